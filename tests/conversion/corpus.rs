//! Octets of a charset, good and bad: several scripts, faults at many densities, runs that grow,
//! every small length, and some large inputs.

use crate::random::Random;
use crate::run::{plan, run};

const PLAIN: &str = "Plain words, 0123456789, and a line break.\r\nThen more of them.\n";

const TEXTS: &[&str] = &[
    PLAIN,
    "1+1=2 & \\ ~ +-&- \u{A3}+\u{A3}-\u{A3}&\n",
    "d\u{E9}j\u{E0} vu, na\u{EF}ve, \u{FF} and \u{A0}50 \u{A2}\n",
    "\u{3B1}\u{3C1}\u{3C7}\u{3AE} \u{3C4}\u{3BF}\u{3C5} \u{3BB}\u{3CC}\u{3B3}\u{3BF}\u{3C5} 5\n",
    "\u{441}\u{43B}\u{43E}\u{432}\u{43E}, \u{434}\u{435}\u{43B}\u{43E}\n",
    "\u{5E9}\u{5DC}\u{5D5}\u{5DD} / \u{633}\u{644}\u{627}\u{645}\n",
    "\u{65E5}\u{672C}\u{8A9E}\u{3067}\u{3059}\u{3002}A\u{D55C}\u{AD6D}\u{C5B4}\n",
    "\u{1F600}\u{1F1E9}\u{1F1EA} x \u{10000}\u{10FFFF}\n",
    "\u{FEFF}\0\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFD}\u{FFFF}\n",
];

/// A fault at about one octet in so many.
const DENSITIES: &[usize] = &[1, 2, 5, 17, 64, 300];

const SMALL: usize = 300;
const LARGE: usize = 200_000;

/// What conversions from this charset are given.
pub fn inputs(charset: &str) -> Vec<Vec<u8>> {
    let mut random = Random::new(0x10646);
    let mut inputs = Vec::new();
    for text in TEXTS {
        let good = octets(charset, text);
        let long = good.repeat(8);
        inputs.extend(DENSITIES.iter().map(|one_in| sprinkled(&long, *one_in, &mut random)));
        inputs.push(good);
    }
    inputs
        .extend([octets(charset, &runs()), sprinkled(&octets(charset, &runs()), 300, &mut random)]);
    inputs.extend(of_every_length(charset, &mut random));
    inputs.extend(large(charset, &mut random));
    inputs
}

/// The text in the charset, without the characters that it lacks.
fn octets(charset: &str, text: &str) -> Vec<u8> {
    run(&plan("utf-8", charset, "stop", "skip"), &[text.as_bytes()]).output
}

/// These octets with others among them.
fn sprinkled(octets: &[u8], one_in: usize, random: &mut Random) -> Vec<u8> {
    let any = Vec::from_iter(0..=0xFF);
    let mut sprinkled = Vec::new();
    for octet in octets {
        if random.below(one_in) == 0 {
            sprinkled.extend(random.some(3, &any));
        }
        sprinkled.push(*octet);
    }
    sprinkled
}

/// Runs of ASCII, of Latin, of Greek and of ideographs, each twice as long as the one before.
fn runs() -> String {
    let run = |power: u32| {
        let character = ["a", "\u{E9}", "\u{3B1}", "\n", "\u{65E5}"][power as usize % 5];
        character.repeat(1 << (power / 2))
    };
    (0..20).map(run).collect()
}

/// So many octets of the text in the charset, over and over.
fn filled(charset: &str, text: &str, len: usize) -> Vec<u8> {
    octets(charset, text).into_iter().cycle().take(len).collect()
}

fn of_every_length(charset: &str, random: &mut Random) -> Vec<Vec<u8>> {
    let all = filled(charset, &TEXTS.concat(), SMALL);
    let mut inputs: Vec<_> = (0..=SMALL).map(|len| all[..len].to_vec()).collect();
    // Every other one with faults, cut where that lengthens it.
    for input in inputs.iter_mut().step_by(2) {
        let len = input.len();
        *input = sprinkled(input, random.one(DENSITIES), random);
        input.truncate(len);
    }
    inputs
}

fn large(charset: &str, random: &mut Random) -> Vec<Vec<u8>> {
    let plain = filled(charset, PLAIN, LARGE);
    let mixed = filled(charset, &(PLAIN.repeat(30) + &TEXTS.concat()), LARGE);
    vec![sprinkled(&mixed, 2_000, random), plain]
}
