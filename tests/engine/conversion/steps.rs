//! The number of steps between the source and the target encoding is limited, however a chain is built: a
//! running step calls the next one, so that a longer chain would need a longer stack.

use charpipe::internals::transcode::ChainStep;
use charpipe::{EncodingSpec, Error, TranscodeOptions};

const MAX_STEPS: usize = 32;

/// Numbers of steps that are rejected.
const TOO_MANY: [usize; 2] = [MAX_STEPS + 1, 100_000];

/// Returns the output for this input, or the reason why the chain is rejected.
fn convert(
    options: Result<TranscodeOptions, Error>,
    input: &[u8],
) -> Result<Vec<u8>, &'static str> {
    match options.and_then(|options| options.transcode(input)) {
        Ok(output) => Ok(output),
        Err(Error::InvalidChain { step, reason }) => {
            assert!(step.len() < 100, "{step}");
            Err(reason)
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn chains_of_more_than_32_steps_are_rejected() {
    let step = || "nfc".parse::<ChainStep>().unwrap();
    let target = |count: usize| format!("utf-8{}", "/lf".repeat(count));
    let via = |count: usize| {
        let options = TranscodeOptions::from_labels("utf-8", "utf-8")?;
        Ok((0..count).fold(options, |options, _| options.via(step())))
    };
    let both = |count: usize| {
        let source = format!("utf-8{}", "/lf".repeat(count / 2));
        TranscodeOptions::from_labels(&source, &target(count - count / 2))
    };
    let chain = |count: usize| {
        TranscodeOptions::from_chain(&format!("utf-8{}..utf-8", "..nfc".repeat(count)))
    };
    let target_of_chain =
        |count: usize| TranscodeOptions::from_chain(&format!("utf-8..{}", target(count)));
    // Each of these steps is an encoding and a transform.
    let reencoded = |count: usize| {
        let options = TranscodeOptions::from_labels("utf-8", "utf-8/lf")?;
        let step: ChainStep = "latin1/lf".parse()?;
        let options =
            (0..count.div_ceil(2) - 1).fold(options, |options, _| options.via(step.clone()));
        Ok(if count % 2 == 0 { options.via("latin1".parse()?) } else { options })
    };
    let built: [&dyn Fn(usize) -> Result<TranscodeOptions, Error>; 7] = [
        &|count| TranscodeOptions::from_labels("utf-8", &target(count)),
        &|count| TranscodeOptions::from_labels(&target(count), "utf-8"),
        &via,
        &both,
        &chain,
        &target_of_chain,
        &reencoded,
    ];
    for (form, options) in built.iter().enumerate() {
        let output = convert(options(MAX_STEPS), b"a\nb\n");
        assert_eq!(output.as_deref(), Ok(&b"a\nb\n"[..]), "form {form}");
        for count in TOO_MANY {
            let rejected = convert(options(count), b"a\nb\n");
            assert!(rejected.is_err_and(|why| why.contains("at most 32 steps")), "{form} {count}");
        }
    }
}

#[test]
fn steps_of_many_stages_run_in_a_small_stack() {
    // A transform of text between bytes has codecs around it, and is undone in a step: six stages.
    let options = TranscodeOptions::from_labels("utf-8", "utf-8").unwrap();
    let step = format!("utf-8/hex{}", "/lf".repeat(MAX_STEPS - 2));
    let options = options.via(step.parse().unwrap());
    for buffer_size in [1, 7, 1 << 17] {
        let options = options.clone().buffer_size(buffer_size);
        let convert = move || options.transcode("é\n".repeat(500).as_bytes()).unwrap();
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(convert).unwrap();
        assert_eq!(thread.join().unwrap(), "é\n".repeat(500).into_bytes(), "{buffer_size}");
    }
}

#[test]
fn slash_in_a_label_is_not_counted() {
    for label in ["ISO-10646/UTF-8", "ISO/TR_11548-1"] {
        let with_steps =
            |count: usize| format!("{label}{}", "/lf".repeat(count)).parse::<EncodingSpec>();
        assert!(with_steps(MAX_STEPS).is_ok(), "{label}");
        assert!(with_steps(MAX_STEPS + 1).is_err(), "{label}");
    }
}
