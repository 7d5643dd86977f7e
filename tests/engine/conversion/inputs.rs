//! Bytes of an encoding, good and invalid: several scripts, errors at many densities, runs that grow,
//! every small length, and some large inputs.

use crate::conversion::driver::{conversion_options, run_conversion};
use charpipe_test_support::XorShift;

const PLAIN_TEXT: &str = "Plain words, 0123456789, and a line break.\r\nThen more of them.\n";

const TEXTS: &[&str] = &[
    PLAIN_TEXT,
    "1+1=2 & \\ ~ +-&- \u{A3}+\u{A3}-\u{A3}&\n",
    "d\u{E9}j\u{E0} vu, na\u{EF}ve, \u{FF} and \u{A0}50 \u{A2}\n",
    "\u{3B1}\u{3C1}\u{3C7}\u{3AE} \u{3C4}\u{3BF}\u{3C5} \u{3BB}\u{3CC}\u{3B3}\u{3BF}\u{3C5} 5\n",
    "\u{441}\u{43B}\u{43E}\u{432}\u{43E}, \u{434}\u{435}\u{43B}\u{43E}\n",
    "\u{5E9}\u{5DC}\u{5D5}\u{5DD} / \u{633}\u{644}\u{627}\u{645}\n",
    "\u{65E5}\u{672C}\u{8A9E}\u{3067}\u{3059}\u{3002}A\u{D55C}\u{AD6D}\u{C5B4}\n",
    "\u{1F600}\u{1F1E9}\u{1F1EA} x \u{10000}\u{10FFFF}\n",
    "\u{FEFF}\0\u{7F}\u{80}\u{7FF}\u{800}\u{D7FF}\u{E000}\u{FFFD}\u{FFFF}\n",
];

/// An error at about one byte in the given number.
const ERROR_INTERVALS: &[usize] = &[1, 2, 5, 17, 64, 300];

const SMALL: usize = 300;
const LARGE: usize = 200_000;

/// Returns inputs of conversions from this encoding.
pub fn inputs(encoding: &str) -> Vec<Vec<u8>> {
    let mut random = XorShift::new(0x10646);
    let mut inputs = Vec::new();
    for text in TEXTS {
        let good = encode_text(encoding, text);
        let long = good.repeat(8);
        inputs.extend(
            ERROR_INTERVALS.iter().map(|one_in| with_random_bytes(&long, *one_in, &mut random)),
        );
        inputs.push(good);
    }
    inputs.extend([
        encode_text(encoding, &script_runs()),
        with_random_bytes(&encode_text(encoding, &script_runs()), 300, &mut random),
    ]);
    inputs.extend(inputs_of_every_length(encoding, &mut random));
    inputs.extend(large_inputs(encoding, &mut random));
    inputs
}

/// The text in the encoding, without its unmappable characters.
fn encode_text(encoding: &str, text: &str) -> Vec<u8> {
    run_conversion(&conversion_options("utf-8", encoding, "stop", "skip"), &[text.as_bytes()])
        .output
}

/// These bytes with others among them.
fn with_random_bytes(bytes: &[u8], one_in: usize, random: &mut XorShift) -> Vec<u8> {
    let any = Vec::from_iter(0..=0xFF);
    let mut sprinkled = Vec::new();
    for byte in bytes {
        if random.below(one_in) == 0 {
            sprinkled.extend(random.some(3, &any));
        }
        sprinkled.push(*byte);
    }
    sprinkled
}

/// Runs of ASCII, of Latin, of Greek and of ideographs, each twice as long as the one before.
fn script_runs() -> String {
    let run = |power: u32| {
        let character = ["a", "\u{E9}", "\u{3B1}", "\n", "\u{65E5}"][power as usize % 5];
        character.repeat(1 << (power / 2))
    };
    (0..20).map(run).collect()
}

/// The given number of bytes of the text in the encoding, repeated.
fn repeat_to_len(encoding: &str, text: &str, len: usize) -> Vec<u8> {
    encode_text(encoding, text).into_iter().cycle().take(len).collect()
}

fn inputs_of_every_length(encoding: &str, random: &mut XorShift) -> Vec<Vec<u8>> {
    let all = repeat_to_len(encoding, &TEXTS.concat(), SMALL);
    let mut inputs: Vec<_> = (0..=SMALL).map(|len| all[..len].to_vec()).collect();
    // Every other one with errors, cut where that lengthens it.
    for input in inputs.iter_mut().step_by(2) {
        let len = input.len();
        *input = with_random_bytes(input, random.one(ERROR_INTERVALS), random);
        input.truncate(len);
    }
    inputs
}

fn large_inputs(encoding: &str, random: &mut XorShift) -> Vec<Vec<u8>> {
    let plain = repeat_to_len(encoding, PLAIN_TEXT, LARGE);
    let mixed = repeat_to_len(encoding, &(PLAIN_TEXT.repeat(30) + &TEXTS.concat()), LARGE);
    vec![with_random_bytes(&mixed, 2_000, random), plain]
}
