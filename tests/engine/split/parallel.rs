//! Conversion on several threads, against the conversion on one.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::Duration;

use charpipe::internals::codec::State;
use charpipe::internals::encoding::{ALL, Encoding, EncodingOptions, lookup_label};
use charpipe::internals::error_policy::ErrorAction;
use charpipe::internals::parallel::ReadAt;
use charpipe::{BomPolicy, Error, ErrorCounts, TranscodeOptions};

use crate::split::parallel_transcoder::ParallelTranscoder;
use crate::split::parts::random_file;
use crate::split::ranges::{Conversion, Log, TARGETS, policies};
use crate::split::texts;
use charpipe_test_support::XorShift;

/// Returns at most this many bytes at a time.
struct ShortReads<R>(R, usize);

impl<R: Read> Read for ShortReads<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = buffer.len().min(self.1);
        self.0.read(&mut buffer[..len])
    }
}

/// A file in memory that returns at most this many bytes at a time.
struct MemoryFile<'a>(&'a [u8], usize);

impl ReadAt for MemoryFile<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or(&[]);
        let len = buffer.len().min(self.1).min(rest.len());
        buffer[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

/// How to read the input.
#[derive(Debug, Clone, Copy)]
enum Source {
    File,
    Reader,
    Stream,
}

fn in_parallel(
    options: &TranscodeOptions,
    input: &[u8],
    log: Log,
    (source, threads, block_size): (Source, usize, usize),
) -> Conversion {
    let mut all = Conversion { log, ..Conversion::default() };
    let mut transcoder = ParallelTranscoder::new(options, threads).unwrap().block_size(block_size);
    let Conversion { output, log, .. } = &mut all;
    let result = match source {
        Source::File => transcoder.process_file(&MemoryFile(input, 7), output, log),
        Source::Reader => transcoder.process_reader(&mut ShortReads(input, 5), output, log),
        Source::Stream => {
            let reads = ShortReads(io::Cursor::new(input.to_vec()), 3);
            transcoder.process_stream(reads, output, log)
        }
    };
    match result.and_then(|()| transcoder.finish(output, log)) {
        Ok(()) => {}
        Err(Error::Conversion(error)) => {
            all.stopped = true;
            assert!(error.position().is_some());
        }
        Err(error) => panic!("{error}"),
    }
    all
}

/// Compares conversions of random files, some of them long enough to take several blocks in all threads.
fn check(encoding: &'static Encoding, steps: &[&str], rounds: usize) -> Option<String> {
    let mut rng = XorShift::new(encoding.name().len() as u64 * 57 + 3);
    let mut encoder = encoding.encoder(&EncodingOptions::default());
    let encodable = texts::encodable(&mut *encoder, &texts::characters());
    for (at, label) in TARGETS.into_iter().enumerate() {
        for round in 0..rounds {
            let policies = policies();
            let (malformed, unmappable) = policies[(at + round) % policies.len()].clone();
            let bom = rng.one(&[BomPolicy::Default, BomPolicy::Strip, BomPolicy::Add]);
            let mut options = TranscodeOptions::new(encoding, lookup_label(label).unwrap())
                .on_malformed(malformed)
                .on_unmappable(unmappable)
                .bom(bom)
                .buffer_size(rng.one(&[1, 7, 64, 4096]));
            if !steps.is_empty() {
                options = options.via(rng.one(steps).parse().unwrap());
            }
            if options.build().is_err() {
                continue;
            }
            let mut input = Vec::new();
            for _ in 0..rng.one(&[1, 1, 8]) {
                encoder.restore_state(State::INITIAL);
                input.extend(random_file(&mut rng, encoding, &mut *encoder, &encodable));
            }
            let limit = rng.one(&[None, None, Some(0), Some(2)]);
            let log = || Log { limit, ..Log::default() };
            let source = rng.one(&[Source::File, Source::Reader, Source::Stream]);
            let how = (source, 1 + rng.below(4), rng.one(&[1, 2, 5, 16, 64, 1000]));
            let whole = Conversion::whole(&options, &input, log());
            let parallel = in_parallel(&options, &input, log(), how);
            if let Some(difference) = parallel.difference(&whole) {
                return Some(format!("{options:?}\n{input:02X?}\n{how:?}: {difference}"));
            }
        }
    }
    None
}

fn report(results: Vec<Option<String>>) {
    let wrong: Vec<String> = results.into_iter().flatten().collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(3)].join("\n"));
}

#[test]
fn conversions_on_several_threads_are_those_on_one() {
    report(texts::in_parallel(ALL, |encoding| check(encoding, &[], 1)));
}

#[test]
fn conversions_of_stateful_encodings_are_those_on_one_thread() {
    let labels =
        ["iso-2022-jp", "iso-2022-kr", "hz", "ibm939", "utf-7", "utf-16", "gb18030", "scsu"];
    report(texts::in_parallel(&labels, |label| check(lookup_label(label).unwrap(), &[], 8)));
}

#[test]
fn chains_on_several_threads_are_those_on_one() {
    let steps = ["big5", "utf-16", "iso-2022-jp", "nfc", "crlf", "html:decode", "scsu", "utf-7"];
    let labels = ["utf-8", "gb18030", "utf-16", "shift_jis", "ibm037", "iso-2022-jp"];
    report(texts::in_parallel(&labels, |label| check(lookup_label(label).unwrap(), &steps, 4)));
}

#[test]
fn what_runs_on_one_thread_is_converted_too() {
    let input = b"Subject: =?utf-8?q?caf=C3=A9?=\n au =?utf-8?q?=FF?=\n\nbody\n".repeat(50);
    let rfc2047 = || TranscodeOptions::from_labels("rfc2047", "utf-8").unwrap();
    for options in [
        rfc2047(),
        rfc2047().headers_only(true),
        rfc2047().header_field("subject"),
        TranscodeOptions::from_labels("utf-8,latin1", "utf-16").unwrap(),
        TranscodeOptions::from_chain("utf-8..utf-8/base64").unwrap(),
        TranscodeOptions::from_chain("utf-8/qp..utf-8").unwrap(),
        TranscodeOptions::from_labels("latin1", "utf-8").unwrap().fix_declaration(true),
    ] {
        let options = options.on_malformed(ErrorAction::Skip);
        let whole = Conversion::whole(&options, &input, Log::default());
        for source in [Source::File, Source::Reader, Source::Stream] {
            let parallel = in_parallel(&options, &input, Log::default(), (source, 3, 64));
            assert_eq!(parallel.difference(&whole), None, "{options:?} {source:?}");
        }
    }
}

#[test]
fn files_with_a_long_line_or_much_output_are_converted() {
    let long_line = "あ".repeat(100_000) + "\n" + &"い\n".repeat(1000);
    let escaped = "\u{1F600}\n".repeat(20_000);
    for (text, to) in [(long_line, "utf-7"), (escaped, "us-ascii")] {
        let options = TranscodeOptions::from_labels("utf-8", to).unwrap().on_unmappable(
            ErrorAction::Escape(charpipe::internals::error_policy::EscapeStyle::Unicode),
        );
        let whole = Conversion::whole(&options, text.as_bytes(), Log::default());
        for how in [
            (Source::File, 3, 512),
            (Source::File, 3, 6000),
            (Source::File, 2, 70_000),
            (Source::Reader, 3, 512),
            (Source::Reader, 2, 70_000),
            (Source::Stream, 3, 512),
        ] {
            let parallel = in_parallel(&options, text.as_bytes(), Log::default(), how);
            assert_eq!(parallel.difference(&whole), None, "{how:?}");
        }
    }
}

/// A writer that fails after a number of bytes.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0 {
            0 => Err(io::ErrorKind::BrokenPipe.into()),
            left => {
                let len = bytes.len().min(left);
                self.0 -= len;
                Ok(len)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A stream that has no end, and whose reads wait when `is_open` is false.
struct Endless {
    reads: Arc<AtomicUsize>,
    waits_after: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.reads.fetch_add(1, Relaxed) >= self.waits_after {
            std::thread::sleep(Duration::from_secs(1000));
        }
        buffer.fill(b'\n');
        Ok(buffer.len())
    }
}

#[test]
fn a_closed_output_ends_the_conversion_of_an_endless_input() {
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    let reads = Arc::new(AtomicUsize::new(0));
    let input = |waits_after| Endless { reads: reads.clone(), waits_after };
    let transcoder = || ParallelTranscoder::new(&options, 3).unwrap().block_size(1000);
    let counts = &mut ErrorCounts::default();
    let result = transcoder().process_reader(&mut input(usize::MAX), &mut Full(10_000), counts);
    assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
    assert!(reads.load(Relaxed) < 100);
    // The thread that reads waits forever.
    reads.store(0, Relaxed);
    let result = transcoder().process_stream(input(12), &mut Full(10_000), counts);
    assert!(matches!(result, Err(Error::Io(_))), "{result:?}");
}

/// A stream of lines, of which the next one comes only when the last one has been written.
struct Dialogue {
    written: Arc<(Mutex<usize>, Condvar)>,
    sent: usize,
    lines: usize,
}

impl Read for Dialogue {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (written, changed) = &*self.written;
        let guard = written.lock().unwrap();
        let wait = changed.wait_timeout_while(guard, Duration::from_secs(60), |it| *it < self.sent);
        let (guard, timeout) = wait.unwrap();
        assert!(!timeout.timed_out(), "{} of {} bytes written", *guard, self.sent);
        if self.lines == 0 {
            return Ok(0);
        }
        self.lines -= 1;
        // Every third one is not complete.
        let text: &[u8] = if self.lines % 3 == 0 { b"wait" } else { b"line\n" };
        buffer[..text.len()].copy_from_slice(text);
        self.sent += text.len();
        Ok(text.len())
    }
}

struct Listener(Arc<(Mutex<usize>, Condvar)>);

impl Write for Listener {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        *self.0.0.lock().unwrap() += bytes.len();
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn lines_are_written_before_the_next_read_waits() {
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    let written = Arc::new((Mutex::new(0), Condvar::new()));
    let input = Dialogue { written: written.clone(), sent: 0, lines: 500 };
    let mut transcoder = ParallelTranscoder::new(&options, 4).unwrap();
    let counts = &mut ErrorCounts::default();
    transcoder.process_stream(input, &mut Listener(written.clone()), counts).unwrap();
    assert_eq!(*written.0.lock().unwrap(), 333 * 5 + 167 * 4);
}

#[test]
fn a_read_error_follows_the_output_before_it() {
    struct Failing(usize);
    impl Read for Failing {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(self.0).min(100);
            self.0 -= len;
            buffer[..len].fill(b'\n');
            if len == 0 { Err(io::Error::other("unplugged")) } else { Ok(len) }
        }
    }
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    let mut transcoder = ParallelTranscoder::new(&options, 3).unwrap().block_size(64);
    let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
    let result = transcoder.process_reader(&mut Failing(1000), &mut output, counts);
    assert!(matches!(result, Err(Error::Read(_))), "{result:?}");
    assert_eq!(output.len(), 1000);
    let result = transcoder.process_stream(Failing(1000), &mut output, counts);
    assert!(matches!(result, Err(Error::Read(_))), "{result:?}");
    assert_eq!(output.len(), 2000);
}

#[test]
fn a_panic_of_a_thread_does_not_hang() {
    struct Panicking(AtomicBool);
    impl Write for Panicking {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            assert!(self.0.load(Relaxed), "intended");
            Ok(0)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
        let mut transcoder = ParallelTranscoder::new(&options, 4).unwrap().block_size(64);
        let input = b"text\n".repeat(10_000);
        let mut output = Panicking(AtomicBool::new(false));
        let run = std::panic::AssertUnwindSafe(|| {
            transcoder.process_reader(&mut &input[..], &mut output, &mut ErrorCounts::default())
        });
        sender.send(std::panic::catch_unwind(run).is_err()).unwrap();
    });
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(true));
}

#[test]
fn memory_is_bounded() {
    /// Counts what has been read but not written.
    struct Gauge(Arc<AtomicUsize>, Arc<AtomicUsize>, usize);
    impl Read for Gauge {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(self.2);
            self.2 -= len;
            buffer[..len].fill(b'\n');
            let ahead = self.0.fetch_add(len, Relaxed) + len - self.1.load(Relaxed);
            assert!(ahead <= 100_000, "{ahead} bytes ahead");
            Ok(len)
        }
    }
    struct Slow(Arc<AtomicUsize>);
    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            std::thread::sleep(Duration::from_micros(300));
            self.0.fetch_add(bytes.len(), Relaxed);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    for is_stream in [false, true] {
        let (read, written) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        // Nine blocks with four threads, and those of the stream.
        let mut transcoder = ParallelTranscoder::new(&options, 4).unwrap().block_size(5000);
        let mut input = Gauge(read, written.clone(), 3_000_000);
        let (output, counts) = (&mut Slow(written.clone()), &mut ErrorCounts::default());
        let result = match is_stream {
            false => transcoder.process_reader(&mut input, output, counts),
            true => transcoder.process_stream(input, output, counts),
        };
        result.unwrap();
        assert_eq!(written.load(Relaxed), 3_000_000);
    }
}

/// Calls a function at each read.
struct ReadHook<'a, F: Fn(u64, usize) -> io::Result<usize>>(&'a [u8], F);

impl<F: Fn(u64, usize) -> io::Result<usize> + Sync> ReadAt for ReadHook<'_, F> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let len = (self.1)(offset, buffer.len())?;
        MemoryFile(self.0, len).read_at(buffer, offset)
    }
}

#[test]
fn a_read_error_of_a_file_follows_the_output_before_it() {
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    let text = b"abc\n".repeat(5000);
    for failing in [0, 3, 4000, 10_001] {
        let file = ReadHook(&text, |offset, len| match failing - offset.min(failing) {
            0 => Err(io::Error::other("unplugged")),
            left => Ok(len.min(left as usize)),
        });
        for block_size in [64, 6000] {
            let mut transcoder =
                ParallelTranscoder::new(&options, 3).unwrap().block_size(block_size);
            let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
            let result = transcoder.process_file(&file, &mut output, counts);
            assert!(matches!(result, Err(Error::Read(_))), "{result:?}");
            assert!(output == text[..failing as usize], "{failing}: {} bytes", output.len());
        }
    }
}

#[test]
fn a_file_that_becomes_shorter_or_longer_ends_where_a_read_ends() {
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    let text: Vec<u8> = (0..40_000).flat_map(|line| format!("{line}\n").into_bytes()).collect();
    for (first, then) in [(text.len(), 100_000), (100_000, text.len()), (text.len(), 0)] {
        for reads in [0, 3, 10, 50] {
            let count = AtomicUsize::new(0);
            let file = ReadHook(&text, |offset, len| {
                let is_first = count.fetch_add(1, Relaxed) < reads;
                let size = if is_first { first } else { then };
                Ok(len.min(size.saturating_sub(offset as usize)))
            });
            let mut transcoder = ParallelTranscoder::new(&options, 3).unwrap().block_size(9000);
            let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
            transcoder.process_file(&file, &mut output, counts).unwrap();
            transcoder.finish(&mut output, counts).unwrap();
            assert!(text.starts_with(&output), "{first} {then} {reads}");
            assert!(output.len() >= first.min(then), "{first} {then} {reads}: {}", output.len());
        }
    }
}

/// A file in memory that adds up the bytes that have been converted.
struct CountedFile<'a>(MemoryFile<'a>, AtomicUsize);

impl ReadAt for CountedFile<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.read_at(buffer, offset)
    }

    fn count(&self, converted: u64) {
        self.1.fetch_add(converted as usize, Relaxed);
    }
}

#[test]
fn each_byte_of_a_file_is_counted_once() {
    let options = TranscodeOptions::from_labels("gb18030", "utf-8").unwrap();
    let text = b"\xD6\xD0\xCE\xC4 text\n".repeat(5000);
    for threads in 1..=3 {
        let file = CountedFile(MemoryFile(&text, 4096), AtomicUsize::new(0));
        let mut transcoder = ParallelTranscoder::new(&options, threads).unwrap().block_size(9000);
        let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
        transcoder.process_file(&file, &mut output, counts).unwrap();
        transcoder.finish(&mut output, counts).unwrap();
        assert_eq!(file.1.into_inner(), text.len(), "{threads}");
    }
}

#[test]
fn a_file_that_changes_is_converted_once() {
    // The boundaries that two threads find between their blocks differ.
    let options = TranscodeOptions::from_labels("latin1", "utf-16le").unwrap();
    let (a, b) = (b"aaaaaa\n".repeat(3000), b"bb\nbbbb".repeat(3000));
    for seed in 1..50 {
        let rng = Mutex::new(XorShift::new(seed));
        struct Changing<'a>([&'a [u8]; 2], Mutex<XorShift>);
        impl ReadAt for Changing<'_> {
            fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
                let version = self.1.lock().unwrap().below(2);
                MemoryFile(self.0[version], usize::MAX).read_at(buffer, offset)
            }
        }
        let file = Changing([&a, &b], rng);
        let mut transcoder = ParallelTranscoder::new(&options, 3).unwrap().block_size(500);
        let (mut output, counts) = (Vec::new(), &mut ErrorCounts::default());
        transcoder.process_file(&file, &mut output, counts).unwrap();
        transcoder.finish(&mut output, counts).unwrap();
        assert_eq!(output.len(), 2 * a.len(), "{seed}");
    }
}
