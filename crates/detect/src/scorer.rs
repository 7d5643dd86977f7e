//! Scores the candidate encodings of a sample with the language models.

use super::Confidence;
use super::candidates::{
    CANDIDATES, CandidateEncoding, DecodedSample, EncodingFamily, Resolved, TextCounts,
    common_form, decode,
};
use super::ebcdic::{self, EbcdicShape};
use super::hints::DetectionHints;
use super::language::{CODES, Language};
use super::model::character::Script;
use super::model::{COST_UNITS, Character, LanguageModel, MODELS, Models, Symbol};
use super::sample::{MAX_ASCII_LEN, MULTI_BYTE_STAGE, STAGES, Sample};

/// How much worse than the best one the score of a candidate may be for the next stage.
const STAGE_MARGIN: f64 = 25.0;

/// After the stage of [`MULTI_BYTE_STAGE`] only encodings with characters of several bytes are scored, if the text fits
/// one of them: it has no more than this cost per byte, in nats. Chinese, Japanese and Korean have 1.6 to 3.7, and text
/// in encodings of one byte per character, read in these, 6.4 to 9.
const MAX_MULTI_BYTE_NATS: f64 = 4.5;

/// The cost of each malformed sequence after the bytes that are scored in these, in nats.
const MALFORMED_NATS: f64 = 14.0;

/// How much ASCII text in another language may lower the score, in nats, and by how much more for each
/// non-ASCII character.
const MAX_ASCII_PENALTY: f64 = 20.0;
const MAX_ASCII_PENALTY_PER_CHAR: f64 = 3.0;

/// The cost of a change between a language and English in ASCII text, and that of a text that begins in English.
const SWITCH_COST: u32 = 60;
const MIXED_COST: u32 = 72;

/// How much less probable a language with another script than Latin is if it has no word of two letters, in nats.
const NO_WORDS_PENALTY: f64 = 3.5;

/// The cost of a `«` without `»`, or the reverse, in nats.
const UNPAIRED_COST: f64 = 5.0;

/// How many nats a language that the caller expects is better than the others.
const HINT_BONUS: f64 = 6.0;

/// A candidate with its score.
#[derive(Debug, Clone)]
pub struct Scored {
    pub candidate: &'static CandidateEncoding,
    pub resolved: &'static Resolved,
    pub language: Language,
    /// The logarithm of the probability of the text and the candidate, in nats.
    pub score: f64,
    /// The cost of the text where it depends on non-ASCII bytes.
    cost: f64,
    /// The decoded text, to recognize candidates that are equal.
    text_hash: u64,
    /// Whether the whole sample is known to be valid.
    is_valid: bool,
}

/// Hypotheses that are scored together: an encoding and languages that it is used for, on the first bytes of
/// the sample.
struct Hypotheses<'a> {
    candidate: &'static CandidateEncoding,
    resolved: &'static Resolved,
    languages: &'a [Language],
    /// The number of bytes.
    len: usize,
    scored: &'a mut Vec<Scored>,
}

impl Hypotheses<'_> {
    /// Adds a candidate without a score, which [`Scorer::add_scores`] computes from the costs of all.
    fn push(&mut self, language: Language, cost: f64, text_hash: u64, is_valid: bool) {
        let Hypotheses { candidate, resolved, .. } = *self;
        let score = 0.0;
        self.scored.push(Scored {
            candidate,
            resolved,
            language,
            score,
            cost,
            text_hash,
            is_valid,
        });
    }
}

/// The result of scoring: the candidates by probability.
#[derive(Debug)]
pub struct Ranking {
    /// The best candidate of each different text, with the sum of their probabilities before calibration.
    pub ranked: Vec<(Scored, f64)>,
    /// The cost of the best candidate per byte that depends on non-ASCII bytes, in nats.
    pub nats_per_byte: f64,
    /// How much that says: between 0 and 1.
    fit_weight: f64,
    /// Whether the input is EBCDIC by its structure.
    pub is_ebcdic: bool,
}

impl Ranking {
    /// Returns the confidence in the first candidate.
    pub fn confidence(&self) -> Confidence {
        match self.ranked.first().map_or(0.0, |(_, probability)| *probability) {
            MIN_CERTAIN.. => Confidence::Certain,
            MIN_LIKELY.. => Confidence::Likely,
            MIN_GUESS.. => Confidence::Guess,
            _ => Confidence::Uncertain,
        }
    }

    /// Returns whether the input is text of the language of the first candidate, rather than other data.
    pub fn fits(&self) -> bool {
        self.is_ebcdic || self.nats_per_byte < MAX_NATS_PER_BYTE
    }

    /// Makes the first candidate a guess at most if the input is malformed in it, but not in another one of
    /// those that were ranked.
    fn limit_by_errors(&mut self, all: &[u8]) {
        let [(first, probability), others @ ..] = &mut self.ranked[..] else { return };
        if *probability >= MIN_LIKELY
            && !first.is_valid
            && validity(first, all) == Validity::Malformed
            && others.iter().any(|(other, _)| validity(other, all) == Validity::Whole)
        {
            *probability = MAX_GUESS;
        }
    }

    /// Replaces the probabilities of the models with those of being right, which were measured: they depend on
    /// how much better the first candidate is than the second one, and on how well it fits.
    fn calibrate(&mut self) {
        let Some((_, first)) = self.ranked.first() else { return };
        let second = self.ranked.get(1).map_or(0.0, |(_, second)| *second);
        let scale = if self.is_ebcdic { EBCDIC_MARGIN_SCALE } else { 1.0 };
        let margin = (libm::log(first / second.max(1e-300)) * scale).clamp(0.0, MAX_MARGIN);
        // Only the code page of EBCDIC that is recognized by its structure is unknown.
        let nats_per_byte = if self.is_ebcdic { 0.0 } else { self.nats_per_byte };
        let misfit = (nats_per_byte - GOOD_NATS_PER_BYTE).max(0.0) * self.fit_weight;
        let excess = (nats_per_byte - IMPLAUSIBLE_NATS_PER_BYTE).max(0.0) * self.fit_weight;
        let logit = CALIBRATION[0]
            + CALIBRATION[1] * margin
            + CALIBRATION[2] * margin.sqrt()
            + CALIBRATION[3] * misfit
            + CALIBRATION[4] * excess;
        let calibrated = (1.0 / (1.0 + libm::exp(-logit))).min(*first);
        // What the first one loses is not the gain of worse ones: the text may be in none of them.
        let others = ((1.0 - calibrated) / (1.0 - first).max(1e-12)).min(1.0);
        for (index, (_, probability)) in self.ranked.iter_mut().enumerate() {
            // The first one remains the most probable.
            let other = (*probability * others).min(calibrated);
            *probability = if index == 0 { calibrated } else { other };
        }
    }
}

/// The minimum probabilities of the confidences.
const MIN_CERTAIN: f64 = 0.9992;
const MIN_LIKELY: f64 = 0.98;
const MIN_GUESS: f64 = 0.7;

/// The probability of a guess that is not likely because of errors.
const MAX_GUESS: f64 = 0.97;

/// The coefficients of the logarithm of the odds of being right: a constant, the margin in nats, its square root,
/// the misfit, and the excess of the misfit.
const CALIBRATION: [f64; 5] = [0.95, 0.009, 1.15, -0.73, -3.0];

/// How much of the margin between code pages of EBCDIC counts: their differences occur again and again.
const EBCDIC_MARGIN_SCALE: f64 = 0.2;

/// The cost per byte of text that fits well, in nats.
const GOOD_NATS_PER_BYTE: f64 = 3.0;

/// The cost per byte that text hardly ever has, in nats. That of random bytes is higher.
const IMPLAUSIBLE_NATS_PER_BYTE: f64 = 7.0;

/// The maximum probability of an encoding of one byte, which proves nothing.
const MAX_LONE_PROBABILITY: f64 = 0.25;

/// Nearly all text has less than this number of nats per byte.
const MAX_NATS_PER_BYTE: f64 = 5.5;

/// The largest margin that makes a difference, in nats.
const MAX_MARGIN: f64 = 30.0;

/// Scores all candidates.
pub fn rank(all: &[u8], hints: &DetectionHints) -> Ranking {
    let ebcdic = EbcdicShape::new(all);
    let sample = match ebcdic.is_certain {
        true => Sample::new(&ebcdic::to_ascii_superset(all), ebcdic),
        false => Sample::new(all, ebcdic),
    };
    let mut scorer = Scorer::new(&MODELS, &sample, hints);
    let (mut scored, len) = scorer.score_all();
    scored.sort_by(|one, other| other.score.total_cmp(&one.score));
    let mut ranking = merge(scored, &sample, len);
    if !ebcdic.is_certain {
        ranking.limit_by_errors(all);
    }
    ranking
}

/// The number of leading bytes in which malformed sequences are counted.
const VALIDATED_LEN: usize = 16 * 1024;

/// The number of characters in which one malformed sequence may be damage.
const CHARS_PER_DAMAGE: usize = 1000;

/// How an input is decoded in an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Validity {
    /// Without a malformed sequence.
    Whole,
    /// With a few malformed sequences, but not at the start.
    Damaged,
    /// With more of them.
    Malformed,
}

/// Returns how these bytes, of which the first are ASCII, are decoded in the encoding of a candidate.
fn validity(one: &Scored, bytes: &[u8]) -> Validity {
    let bytes = &bytes[..bytes.len().min(VALIDATED_LEN)];
    let counts = TextCounts::new(one.resolved.encoding, bytes);
    // The last character may be cut off.
    let malformed = counts.malformed - usize::from(counts.ends_malformed);
    let begins_malformed = counts.begins_malformed && malformed > 0;
    let is_damage = malformed == 1 || malformed * CHARS_PER_DAMAGE <= counts.characters + malformed;
    match malformed {
        0 => Validity::Whole,
        _ if is_damage && !begins_malformed => Validity::Damaged,
        _ => Validity::Malformed,
    }
}

/// Adds up the probabilities of candidates that are the same text. `len` is the number of bytes that were scored.
fn merge(scored: Vec<Scored>, sample: &Sample, len: usize) -> Ranking {
    let best = scored.first().map_or(0.0, |best| best.score);
    let script = |language: Language| MODELS.language(language.index()).script;
    let mut ranked: Vec<(Scored, f64)> = Vec::new();
    for one in scored {
        let probability = libm::exp((one.score - best).max(-700.0));
        match ranked.iter_mut().find(|(other, _)| other.text_hash == one.text_hash) {
            Some((other, sum)) => {
                *sum += probability;
                // The most useful name, whatever the language.
                let is_same_script = script(one.language) == script(other.language);
                if is_same_script && sample.order(one.candidate) < sample.order(other.candidate) {
                    (other.candidate, other.resolved) = (one.candidate, one.resolved);
                }
            }
            None => ranked.push((one, probability)),
        }
    }
    ranked.sort_by(|one, other| other.1.total_cmp(&one.1));
    let total: f64 = ranked.iter().map(|(_, probability)| probability).sum();
    ranked.iter_mut().for_each(|(_, probability)| *probability /= total);
    let cost = ranked.first().map_or(0.0, |(best, _)| best.cost / COST_UNITS);
    let nats_per_byte = cost / sample.window_len(len).max(1) as f64;
    let is_ebcdic = sample.ebcdic.is_certain;
    let mut ranking = Ranking { ranked, nats_per_byte, fit_weight: sample.fit_weight(), is_ebcdic };
    ranking.calibrate();
    if sample.bytes.iter().filter(|byte| !byte.is_ascii_whitespace()).count() < 2 {
        let probabilities = ranking.ranked.iter_mut().map(|(_, probability)| probability);
        probabilities.for_each(|probability| *probability = probability.min(MAX_LONE_PROBABILITY));
    }
    ranking
}

struct Scorer<'a> {
    models: &'static Models,
    sample: &'a Sample,
    hints: &'a DetectionHints,
    /// The cost of the ASCII text of the part in each language, once computed.
    ascii_costs: Vec<Option<u32>>,
    /// The length of that part.
    ascii_len: usize,
    english: Language,
    /// Whether only candidates with characters of several bytes are scored.
    is_multi_byte: bool,
}

impl<'a> Scorer<'a> {
    fn new(models: &'static Models, sample: &'a Sample, hints: &'a DetectionHints) -> Scorer<'a> {
        let english = Language::for_code("en").expect("has a model");
        let (ascii_costs, ascii_len) = (Vec::new(), 0);
        Scorer { models, sample, hints, ascii_costs, ascii_len, english, is_multi_byte: false }
    }

    /// Returns the candidates, and the number of bytes that were scored.
    fn score_all(&mut self) -> (Vec<Scored>, usize) {
        let (mut partial, mut len) = (Vec::new(), 0);
        if self.sample.is_dense() {
            self.is_multi_byte = true;
            let first_len = self.sample.stage_len(MULTI_BYTE_STAGE);
            let scored = self.score_part(first_len, None);
            let is_latin =
                |language: Language| self.models.language(language.index()).script == Script::Latin;
            let eastern = scored.iter().filter(|one| !is_latin(one.language));
            let cost = eastern.map(|one| one.cost).fold(f64::INFINITY, f64::min);
            self.is_multi_byte =
                cost / COST_UNITS <= MAX_MULTI_BYTE_NATS * self.sample.window_len(first_len) as f64;
            if self.is_multi_byte {
                (partial, len) = (retain_good(scored), first_len);
            }
        }
        for stage in STAGES {
            let stage_len = match self.is_multi_byte {
                true => self.sample.stage_len(stage).min(self.sample.multi_byte_len()),
                false => self.sample.stage_len(stage),
            };
            if stage_len <= len {
                continue;
            }
            len = stage_len;
            let kept = (!partial.is_empty()).then_some(&partial[..]);
            let scored = self.score_part(len, kept);
            let is_last = len == self.sample.bytes.len() || stage == usize::MAX;
            partial = if is_last { scored } else { retain_good(scored) };
        }
        if len < self.sample.bytes.len() {
            self.subtract_malformed(&mut partial, len);
        }
        (partial, len)
    }

    /// Subtracts the cost of the malformed sequences after the first bytes, which are the only ones that are scored.
    fn subtract_malformed(&self, partial: &mut [Scored], len: usize) {
        let rest = &self.sample.bytes[len..];
        for one in partial {
            let counts = TextCounts::new(one.resolved.encoding, rest);
            // The last character may be cut off.
            let count = counts.malformed - usize::from(counts.ends_malformed);
            one.is_valid &= count == 0;
            one.score -= count as f64 * MALFORMED_NATS;
            // The rest is not the same text.
            one.text_hash ^= count as u64;
        }
    }

    /// Scores all candidates, or the given ones, on the first bytes.
    fn score_part(&mut self, len: usize, kept: Option<&[Scored]>) -> Vec<Scored> {
        let mut partial = Vec::new();
        for candidate in &CANDIDATES {
            if self.is_multi_byte && candidate.family != EncodingFamily::Decoded {
                continue;
            }
            let Some(resolved) = candidate.resolve() else { continue };
            if self.sample.ebcdic.is_certain && candidate.family != EncodingFamily::Ebcdic {
                continue;
            }
            let is_kept = |language: &Language| {
                candidate.family == EncodingFamily::Wide
                    || kept.is_none_or(|kept| {
                        kept.iter().any(|one| {
                            std::ptr::eq(one.candidate, candidate) && one.language == *language
                        })
                    })
            };
            // The letters of other scripts are not among those of all code pages.
            let has_script = |language: &Language| {
                !self.sample.ebcdic.is_certain
                    || self.models.language(language.index()).script == Script::Latin
            };
            let languages = resolved.languages.iter().copied().filter(has_script);
            let languages: Vec<Language> = languages.filter(is_kept).collect();
            if languages.is_empty() {
                continue;
            }
            let languages = &languages;
            let hypotheses =
                Hypotheses { candidate, resolved, languages, len, scored: &mut partial };
            match candidate.family {
                EncodingFamily::Ebcdic if self.sample.ebcdic.is_certain => {
                    self.score_single_byte(hypotheses);
                }
                EncodingFamily::SingleByte => self.score_single_byte(hypotheses),
                EncodingFamily::Decoded => self.score_decoded(hypotheses),
                EncodingFamily::Ebcdic if self.sample.ebcdic.is_possible => {
                    self.score_ebcdic(hypotheses)
                }
                EncodingFamily::Wide if self.sample.is_whole && len == self.sample.bytes.len() => {
                    self.score_wide(hypotheses);
                }
                EncodingFamily::Ebcdic | EncodingFamily::Wide => {}
            }
        }
        self.add_scores(&mut partial, len);
        partial
    }

    fn score_single_byte(&self, mut hypotheses: Hypotheses<'_>) {
        let Hypotheses { resolved, languages, len, .. } = hypotheses;
        let sample = self.sample;
        let is_ebcdic = hypotheses.candidate.family == EncodingFamily::Ebcdic;
        let all_characters = resolved.characters();
        let decode = |byte: u8| {
            let byte = if is_ebcdic { ebcdic::from_ascii_superset(byte) } else { byte };
            all_characters[usize::from(byte)]
        };
        let is_punctuation =
            |byte: u8| is_ebcdic && decode(byte).is_none_or(|own| !ebcdic::is_letter(own));
        let characters: Vec<(u8, Character)> = sample
            .present
            .iter()
            .map(|byte| match is_punctuation(*byte) {
                true => (*byte, self.models.character(Some('#'))),
                false => (*byte, self.models.character(decode(*byte))),
            })
            .collect();
        let text_hash = hash(sample.present.iter().map(|byte| decode(*byte)));
        let has = |own: char| sample.present.iter().any(|byte| decode(*byte) == Some(own));
        let unpaired = if has('«') != has('»') { UNPAIRED_COST * COST_UNITS } else { 0.0 };
        let punctuation_cost = match is_ebcdic {
            true => sample.ebcdic.punctuation_cost(&sample.bytes[..len], decode),
            false => 0.0,
        };
        let mut table = [Symbol::START; 256];
        for language in languages {
            let is_same = |one: &&Scored| one.language == *language && one.text_hash == text_hash;
            if let Some(cost) = hypotheses.scored.iter().find(is_same).map(|one| one.cost) {
                hypotheses.push(*language, cost, text_hash, false);
                continue;
            }
            let model = self.models.language(language.index());
            (0..128).for_each(|byte| table[usize::from(byte)] = *model.ascii(byte));
            for (byte, character) in &characters {
                table[usize::from(*byte)] = model.symbol(self.models, character);
            }
            let mut repeated = [0; 256];
            let (mut cost, mut saved) = (0_u32, 0_u32);
            for window in &sample.windows {
                let (start, end) = (window.start, window.end.min(len));
                if start >= end {
                    break;
                }
                for byte in sample.bytes[start..end].iter().filter(|byte| !byte.is_ascii()) {
                    saved += std::mem::replace(
                        &mut repeated[usize::from(*byte)],
                        table[usize::from(*byte)].repeated_saving(),
                    );
                }
                let before = |distance: usize| match start.checked_sub(distance) {
                    Some(index) => table[usize::from(sample.bytes[index])],
                    None => Symbol::START,
                };
                let symbols = sample.bytes[start..end].iter().map(|byte| table[usize::from(*byte)]);
                cost += self.symbols_cost(model, [before(2), before(1)], symbols);
            }
            let cost = f64::from(cost - saved.min(cost)) + punctuation_cost + unpaired;
            hypotheses.push(*language, cost, text_hash, false);
        }
    }

    /// Scores a code page of EBCDIC for an input that may be something else.
    fn score_ebcdic(&self, mut hypotheses: Hypotheses<'_>) {
        let Hypotheses { resolved, languages, len, .. } = hypotheses;
        let bytes = &self.sample.bytes[..len];
        let characters = resolved.characters();
        let text_hash = hash(bytes.iter().map(|byte| characters[usize::from(*byte)]));
        let characters: Vec<Character> =
            characters.iter().map(|character| self.models.character(*character)).collect();
        for language in languages {
            let model = self.models.language(language.index());
            let symbol = |character: &Character| model.symbol(self.models, character);
            let table: Vec<Symbol> = characters.iter().map(symbol).collect();
            let symbols = bytes.iter().map(|byte| table[usize::from(*byte)]);
            let cost = self.symbols_cost(model, [Symbol::START; 2], symbols);
            hypotheses.push(*language, cost.into(), text_hash, false);
        }
    }

    fn score_wide(&self, mut hypotheses: Hypotheses<'_>) {
        let Hypotheses { resolved, languages, .. } = hypotheses;
        let text = decode(resolved.encoding, &self.sample.bytes);
        let text_hash = hash(text.iter().copied());
        for language in languages {
            let model = self.models.language(language.index());
            let symbol = |character: &Option<char>| {
                model.symbol(self.models, &self.models.character(*character))
            };
            let cost = self.symbols_cost(model, [Symbol::START; 2], text.iter().map(symbol));
            hypotheses.push(*language, cost.into(), text_hash, false);
        }
    }

    fn score_decoded(&mut self, mut hypotheses: Hypotheses<'_>) {
        let Hypotheses { resolved, languages, len, .. } = hypotheses;
        let mut text = decode(resolved.encoding, &self.sample.bytes[..len]);
        text.iter_mut().flatten().for_each(|own| *own = common_form(*own));
        let text_hash = self.decoded_hash(&text, len);
        let is_valid = !text.contains(&None);
        for language in languages {
            let is_same = |one: &&Scored| {
                one.candidate.family == EncodingFamily::Decoded
                    && one.language == *language
                    && one.text_hash == text_hash
            };
            if let Some(cost) = hypotheses.scored.iter().find(is_same).map(|one| one.cost) {
                hypotheses.push(*language, cost, text_hash, is_valid);
                continue;
            }
            let model = self.models.language(language.index());
            let ascii_language = self.ascii_language(*language);
            let cost = self.decoded_cost(model, ascii_language, &text);
            // The ASCII bytes that are second bytes of characters are not ASCII text.
            let raw = match model.script {
                Script::Latin => 0,
                _ => self.ascii_cost(ascii_language, len),
            };
            let cost = f64::from(cost) - f64::from(raw);
            hypotheses.push(*language, cost, text_hash, is_valid);
        }
    }

    /// Returns the hash of a decoded text: that of a single-byte encoding with the same characters, if each byte is one.
    fn decoded_hash(&self, text: &DecodedSample, len: usize) -> u64 {
        if text.len() != len {
            return hash(text.iter().copied());
        }
        let bytes = &self.sample.bytes[..len];
        let character = |byte: &u8| {
            let index = bytes.iter().position(|own| own == byte)?;
            text[index]
        };
        hash(self.sample.present.iter().map(character))
    }

    /// Returns the cost of symbols after two others.
    fn symbols_cost(
        &self,
        model: &LanguageModel,
        [mut first, mut second]: [Symbol; 2],
        symbols: impl Iterator<Item = Symbol>,
    ) -> u32 {
        let mut cost = 0;
        for third in symbols {
            cost += self.models.cost(model, &first, &second, &third);
            (first, second) = (second, third);
        }
        cost
    }

    fn decoded_cost(
        &self,
        model: &LanguageModel,
        ascii_language: Language,
        text: &DecodedSample,
    ) -> u32 {
        let ascii_model = self.models.language(ascii_language.index());
        let mut cache = SymbolCache::new(self.models, model);
        let mut cost = 0;
        let (mut first, mut second) = (Symbol::START, Symbol::START);
        let (mut ascii_first, mut ascii_second) = (Symbol::START, Symbol::START);
        let (mut since_non_ascii, mut ascii_counted) = (2, 0);
        for character in text {
            let (third, ascii_third);
            match character {
                Some(ascii) if ascii.is_ascii() => {
                    third = *model.ascii(*ascii as u8);
                    ascii_third = *ascii_model.ascii(*ascii as u8);
                    since_non_ascii += 1;
                }
                _ => {
                    third = cache.symbol(*character);
                    ascii_third = Symbol::START;
                    since_non_ascii = 0;
                }
            }
            cost += match since_non_ascii {
                0..=2 => self.models.cost(model, &first, &second, &third),
                _ if ascii_counted < MAX_ASCII_LEN && model.script != Script::Latin => {
                    ascii_counted += 1;
                    self.models.cost(ascii_model, &ascii_first, &ascii_second, &ascii_third)
                }
                _ => 0,
            };
            (first, second) = (second, third);
            (ascii_first, ascii_second) = (ascii_second, ascii_third);
        }
        cost
    }

    /// Returns the language whose model is used for ASCII words in another language.
    fn ascii_language(&self, language: Language) -> Language {
        match self.models.language(language.index()).script {
            Script::Latin => language,
            _ => self.english,
        }
    }

    /// Returns the cost of the ASCII text outside of the windows in a language, with parts in English: source
    /// code, markup, and names with their originals.
    fn ascii_cost(&mut self, language: Language, len: usize) -> u32 {
        if self.ascii_len != len || self.ascii_costs.is_empty() {
            self.ascii_costs = vec![None; CODES.len()];
            self.ascii_len = len;
        }
        if let Some(cost) = self.ascii_costs[language.index()] {
            return cost;
        }
        let own = self.models.language(language.index());
        let english = self.models.language(self.english.index());
        let symbols = |byte: u8| [*own.ascii(byte), *english.ascii(byte)];
        let bytes = &self.sample.bytes;
        let (mut remaining, mut mixed) = (MAX_ASCII_LEN, MixedCost::default());
        for gap in self.sample.gaps(len) {
            let gap = gap.start..gap.end.min(gap.start + remaining);
            remaining -= gap.len();
            let before = &bytes[gap.start.saturating_sub(2)..gap.start];
            before.iter().for_each(|byte| mixed.skip(symbols(*byte)));
            for byte in &bytes[gap] {
                let is_letter = byte.is_ascii_alphabetic();
                mixed.add(self.models, [own, english], symbols(*byte), is_letter);
            }
        }
        let cost = mixed.cost();
        self.ascii_costs[language.index()] = Some(cost);
        cost
    }

    /// Returns whether the cost of a candidate includes that of all characters.
    fn has_no_ascii(&self, one: &Scored) -> bool {
        match one.candidate.family {
            EncodingFamily::SingleByte | EncodingFamily::Decoded => false,
            EncodingFamily::Ebcdic => !self.sample.ebcdic.is_certain,
            EncodingFamily::Wide => true,
        }
    }

    /// Computes the scores from the costs.
    fn add_scores(&mut self, partial: &mut [Scored], len: usize) {
        let ascii: Vec<f64> = partial
            .iter()
            .map(|one| {
                if self.has_no_ascii(one) {
                    return f64::INFINITY;
                }
                let language = self.ascii_language(one.language);
                f64::from(self.ascii_cost(language, len)) / COST_UNITS
            })
            .collect();
        let best_ascii = ascii.iter().copied().fold(f64::INFINITY, f64::min);
        let best_ascii = if best_ascii.is_finite() { best_ascii } else { 0.0 };
        let non_ascii = self.sample.bytes[..len].iter().filter(|byte| !byte.is_ascii()).count();
        let limit = MAX_ASCII_PENALTY + MAX_ASCII_PENALTY_PER_CHAR * non_ascii as f64;
        for (one, ascii) in partial.iter_mut().zip(ascii) {
            let penalty = match self.has_no_ascii(one) {
                true => -best_ascii,
                false => limit * (1.0 - libm::exp(-(ascii - best_ascii) / limit)),
            };
            let is_latin = self.models.language(one.language.index()).script == Script::Latin;
            let is_single_byte = one.candidate.family == EncodingFamily::SingleByte;
            let foreign = match is_single_byte && !is_latin && !self.sample.has_adjacent {
                true => NO_WORDS_PENALTY,
                false => 0.0,
            };
            let hint = if self.hints.includes(one.language) { HINT_BONUS } else { 0.0 };
            let prior = one.candidate.prior(one.language) + hint;
            one.score = -(one.cost / COST_UNITS + penalty + foreign) + prior;
        }
    }
}

/// Returns those of the candidates of a stage that the next one scores.
fn retain_good(mut scored: Vec<Scored>) -> Vec<Scored> {
    let best = scored.iter().map(|one| one.score).fold(f64::NEG_INFINITY, f64::max);
    scored.retain(|one| one.score > best - STAGE_MARGIN);
    scored
}

/// The number of symbols that are cached.
const CACHE_LEN: usize = 256;

/// The symbols of characters that occurred last.
struct SymbolCache<'a> {
    models: &'a Models,
    model: &'a LanguageModel,
    entries: [(Option<char>, Symbol); CACHE_LEN],
}

impl<'a> SymbolCache<'a> {
    fn new(models: &'a Models, model: &'a LanguageModel) -> SymbolCache<'a> {
        let malformed = model.symbol(models, &models.character(None));
        SymbolCache { models, model, entries: [(None, malformed); CACHE_LEN] }
    }

    #[inline]
    fn symbol(&mut self, character: Option<char>) -> Symbol {
        let index = character.map_or(0, |own| own as usize % CACHE_LEN);
        let entry = &mut self.entries[index];
        if entry.0 != character {
            *entry = (character, self.model.symbol(self.models, &self.models.character(character)));
        }
        entry.1
    }
}

/// The cost of text in a language with parts in English.
struct MixedCost {
    /// The costs of text that ends in the language, and in English.
    costs: [u32; 2],
    /// The two symbols before, in each of them.
    before: [[Symbol; 2]; 2],
}

impl Default for MixedCost {
    fn default() -> MixedCost {
        MixedCost { costs: [0, MIXED_COST], before: [[Symbol::START; 2]; 2] }
    }
}

impl MixedCost {
    /// Adds a character, which is these symbols in the two languages.
    #[inline]
    fn add(
        &mut self,
        models: &Models,
        languages: [&LanguageModel; 2],
        symbols: [Symbol; 2],
        is_letter: bool,
    ) {
        for (index, model) in languages.into_iter().enumerate() {
            let [first, second] = &self.before[index];
            self.costs[index] += models.cost(model, first, second, &symbols[index]);
        }
        if !is_letter {
            let changed = self.cost() + SWITCH_COST;
            self.costs = self.costs.map(|cost| cost.min(changed));
        }
        self.skip(symbols);
    }

    /// Adds a character that costs nothing.
    #[inline]
    fn skip(&mut self, symbols: [Symbol; 2]) {
        for (before, symbol) in self.before.iter_mut().zip(symbols) {
            *before = [before[1], symbol];
        }
    }

    fn cost(&self) -> u32 {
        self.costs[0].min(self.costs[1])
    }
}

fn hash(text: impl Iterator<Item = Option<char>>) -> u64 {
    text.fold(0xCBF2_9CE4_8422_2325, |hash: u64, character| {
        let value = character.map_or(u32::MAX, u32::from);
        (hash ^ u64::from(value)).wrapping_mul(0x0000_0100_0000_01B3).rotate_left(5)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::encode;

    /// Returns Japanese text in EUC-JP, and that candidate.
    fn japanese() -> (Vec<u8>, Scored) {
        let text = "吾輩は猫である。名前はまだ無い。どこで生れたかとんと見当がつかぬ。\n";
        let text = encode("EUC-JP", text).unwrap();
        let ranking = rank(&text, &DetectionHints::default());
        let one = ranking.ranked.iter().find(|(one, _)| one.resolved.encoding.name() == "EUC-JP");
        (text, one.expect("a candidate").0.clone())
    }

    #[test]
    fn few_malformed_sequences_after_the_start_are_damage() {
        let (text, one) = japanese();
        let validity = |parts: &[&[u8]]| validity(&one, &parts.concat());
        assert_eq!(validity(&[&text, &text]), Validity::Whole);
        assert_eq!(validity(&[&text, b"\xFF", &text]), Validity::Damaged);
        assert_eq!(validity(&[&text, b"\xFF", &text, b"\xFF", &text]), Validity::Malformed);
        assert_eq!(validity(&[b"a \xFF", &text]), Validity::Malformed);
        let long = text.repeat(60);
        assert_eq!(validity(&[&long, b"\xFF", &text, b"\xFF", &long]), Validity::Damaged);
    }

    #[test]
    fn malformed_sequences_after_what_is_scored_lower_the_score() {
        let (text, one) = japanese();
        let bytes = [&text[..], &text, b"\xFF", &text, b"\xFF", &text].concat();
        let sample = Sample::new(&bytes, EbcdicShape::new(&bytes));
        let hints = DetectionHints::default();
        let scorer = Scorer::new(&MODELS, &sample, &hints);
        for (len, count) in [(text.len(), 2.0), (sample.bytes.len() - text.len(), 0.0)] {
            let mut partial = [Scored { score: 0.0, is_valid: true, ..one.clone() }];
            scorer.subtract_malformed(&mut partial, len);
            assert_eq!(partial[0].score, -count * MALFORMED_NATS);
            assert_eq!(partial[0].is_valid, count == 0.0);
        }
    }

    #[test]
    fn ascii_says_nothing_against_an_encoding() {
        assert!(rank(b"plain text", &DetectionHints::default()).fits());
    }
}
