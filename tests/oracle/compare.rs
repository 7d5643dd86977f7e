//! What a peer is expected to answer: what charpipe does, but for the rows of the table.

use std::io::Write;

use charpipe::Writer;
use charpipe::plan::Plan;
use charpipe::policy::Action;

use crate::disagreements::{self, Direction, Row, Rule};
use crate::families::{self, Family};
use crate::pairings::Pairing;
use crate::peers::{Answer, Mode, Peers, Question};

/// Bytes in a block of short inputs, few enough that many a character is cut by its end.
const SHORT: usize = 5;

/// One conversion of charpipe's beside the same of a peer.
pub struct Comparison<'a> {
    pub pairing: &'a Pairing,
    pub direction: Direction,
}

/// An expected answer.
#[derive(Debug, PartialEq, Eq)]
enum Expected {
    Exactly(Answer),
    /// Whatever it accepts the input as.
    Acceptance,
}

/// What came of comparing charpipe with every peer of a group.
pub struct Outcome {
    /// What charpipe gave for each input that it accepted.
    pub given: Vec<Vec<u8>>,
    /// The inputs on which a peer's answer is neither charpipe's nor that of a row, in words.
    pub surprises: Vec<String>,
}

/// Compares charpipe with the peers of a group that are here.
pub fn compare(
    group: &[&Pairing],
    direction: Direction,
    peers: &mut Peers,
    inputs: &[Vec<u8>],
) -> Outcome {
    let own = plan(direction, group[0].charset, group[0].pivot.0, false);
    let ours: Vec<Answer> = inputs.iter().map(|input| convert(&own, input)).collect();
    let mut surprises = Vec::new();
    for &pairing in group {
        if peers.has(pairing.peer) {
            let comparison = Comparison { pairing, direction };
            surprises.append(&mut comparison.surprises(peers, inputs, &ours));
        }
    }
    let given = ours.into_iter().filter_map(|answer| match answer {
        Answer::Gives(output) => Some(output),
        Answer::Refuses => None,
    });
    Outcome { given: given.collect(), surprises }
}

impl Comparison<'_> {
    fn surprises(&self, peers: &mut Peers, inputs: &[Vec<u8>], ours: &[Answer]) -> Vec<String> {
        let answers = self.ask(peers, Mode::Strict, inputs);
        let rows = self.rows();
        let is_measured = peers.is_as_measured(self.pairing.peer);
        let mut surprises = Vec::new();
        for ((input, theirs), ours) in inputs.iter().zip(&answers).zip(ours) {
            // Another version of the peer may have given up a disagreement.
            if ours == theirs && (rows.is_empty() || !is_measured) {
                continue;
            }
            let is_expected = match self.expected(&rows, ours, input) {
                Expected::Exactly(answer) => answer == *theirs,
                Expected::Acceptance => *theirs != Answer::Refuses,
            };
            if !is_expected {
                surprises.push(self.surprise(input, theirs, ours));
            }
        }
        surprises
    }

    /// The inputs in which the peer replaces other sequences than charpipe, in words.
    pub fn other_replacements(&self, peers: &mut Peers, inputs: &[Vec<u8>]) -> Vec<String> {
        let mut own = plan(self.direction, self.pairing.charset, self.pairing.pivot.0, false);
        own.policy.invalid = "replace".parse::<Action>().unwrap();
        let answers = self.ask(peers, Mode::Replace, inputs);
        let mut others = Vec::new();
        for (input, theirs) in inputs.iter().zip(&answers) {
            let ours = convert(&own, input);
            if ours != *theirs {
                others.push(self.surprise(input, theirs, &ours));
            }
        }
        others
    }

    /// The peer's answers.
    pub fn ask(&self, peers: &mut Peers, mode: Mode, inputs: &[Vec<u8>]) -> Vec<Answer> {
        let Pairing { peer, theirs, pivot: (_, pivot), .. } = *self.pairing;
        let (from, to) = self.direction.sort(theirs, pivot);
        let question = |input| Question { peer, mode, from, to, input };
        peers.ask(&inputs.iter().map(|input| question(input)).collect::<Vec<_>>())
    }

    /// The rows about this comparison.
    pub fn rows(&self) -> Vec<&'static Row> {
        let Pairing { peer, charset, pivot: (pivot, _), .. } = *self.pairing;
        let is_about = |row: &&Row| {
            (row.peer, row.charset, row.pivot, row.direction)
                == (peer, charset, pivot, self.direction)
        };
        disagreements::all().filter(is_about).collect()
    }

    fn expected(&self, rows: &[&Row], ours: &Answer, input: &[u8]) -> Expected {
        let mut families = families::of(self.pairing.charset, self.direction, input);
        let rows: Vec<_> = rows.iter().filter(|row| families.contains(&row.family)).collect();
        families.retain(|family| matches!(family, Family::Flaw(_)));
        // A flaw that the peer minds is minded whatever else it lets pass.
        let forgiven = families.iter().all(|flaw| rows.iter().any(|row| row.family == *flaw));
        if forgiven && rows.iter().any(|row| row.rule == Rule::Accepts) {
            return Expected::Acceptance;
        }
        let skips = forgiven && rows.iter().any(|row| row.rule == Rule::Skips);
        let same = rows.iter().find_map(|row| match row.rule {
            Rule::SameAs(charset, pivot) => Some((charset, pivot)),
            _ => None,
        });
        if !skips && same.is_none() {
            return Expected::Exactly(ours.clone());
        }
        let (charset, pivot) = same.unwrap_or((self.pairing.charset, self.pairing.pivot.0));
        Expected::Exactly(convert(&plan(self.direction, charset, pivot, skips), input))
    }

    fn surprise(&self, input: &[u8], theirs: &Answer, ours: &Answer) -> String {
        let Pairing { peer, charset, pivot: (pivot, _), .. } = self.pairing;
        let (from, to) = self.direction.sort(charset, pivot);
        let (peer, input, theirs, ours) = (peer.name(), shown(input), said(theirs), said(ours));
        format!("{from} to {to}: {input}: {peer} {theirs}, charpipe {ours}")
    }
}

impl Direction {
    /// From what to what.
    pub fn sort<'a>(self, charset: &'a str, pivot: &'a str) -> (&'a str, &'a str) {
        match self {
            Direction::Decode => (charset, pivot),
            Direction::Encode => (pivot, charset),
        }
    }
}

/// What charpipe is to do.
pub fn plan(direction: Direction, charset: &str, pivot: &str, skips: bool) -> Plan {
    let (from, to) = direction.sort(charset, pivot);
    let mut plan = Plan::new(from.parse().unwrap(), to.parse().unwrap());
    if skips {
        plan.policy.invalid = "skip".parse::<Action>().unwrap();
        plan.policy.unmappable = "skip".parse::<Action>().unwrap();
    }
    plan
}

/// What charpipe says.
pub fn convert(plan: &Plan, input: &[u8]) -> Answer {
    let mut plan = plan.clone();
    if input.len() < 64 {
        plan.block = SHORT;
    }
    let mut writer = Writer::new(Vec::new(), &plan).unwrap();
    match writer.write_all(input).and_then(|()| writer.finish()) {
        Ok(output) => Answer::Gives(output),
        Err(_) => Answer::Refuses,
    }
}

/// The first bytes of an input, as text and as octets.
fn shown(bytes: &[u8]) -> String {
    let first = &bytes[..bytes.len().min(24)];
    format!("\"{}\" ({} bytes: {first:02X?})", first.escape_ascii(), bytes.len())
}

fn said(answer: &Answer) -> String {
    match answer {
        Answer::Gives(bytes) => format!("gives {}", shown(bytes)),
        Answer::Refuses => "refuses".to_owned(),
    }
}
