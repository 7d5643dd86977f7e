//! The text of the progress: amounts, rate and time left, as much of it as fits on one line.

use std::time::Duration;

/// The time after which a rate counts for a third (1/e) in the average.
const RATE_MEMORY: Duration = Duration::from_secs(5);

/// The number of columns of the bar, and the least width of a terminal that it is shown on.
const BAR_WIDTH: usize = 24;
const MIN_WIDTH_WITH_BAR: usize = 72;

/// Longer times are not shown, because they are not known exactly either.
const MAX_TIME_LEFT: f64 = 100.0 * 3600.0;

/// The text of the progress at a time.
#[derive(Debug, Clone, Copy)]
pub struct StatusLine {
    pub done_bytes: u64,
    /// The total, if it is known.
    pub total_bytes: Option<u64>,
    /// The number of files that are done and the total, if files are shown.
    pub files: Option<(u64, Option<u64>)>,
    /// In bytes a second.
    pub rate: f64,
    pub elapsed: Duration,
}

impl StatusLine {
    /// Returns the text in at most `width` columns. It is ASCII.
    pub fn text(&self, width: usize) -> String {
        // A file may have grown.
        let total = self.total_bytes.filter(|total| *total >= self.done_bytes);
        let done = size(self.done_bytes);
        let amount = match (self.files, total) {
            (Some((files, Some(all))), _) => {
                format!("{} of {} files, {done}", grouped(files), grouped(all))
            }
            (Some((1, None)), _) => format!("1 file, {done}"),
            (Some((files, None)), _) => format!("{} files, {done}", grouped(files)),
            (None, Some(total)) => format!("{done} of {}", size(total)),
            (None, None) => done,
        };
        let rate = format!("{}/s", size(self.rate as u64));
        let end = match total {
            Some(total) => self.time_left(total).map_or(String::new(), |left| format!(", {left}")),
            // This shows that something happens.
            None => format!(", {}", duration(self.elapsed.as_secs())),
        };
        let with_bar = match total.and_then(|total| self.bar(total)) {
            Some(bar) if width >= MIN_WIDTH_WITH_BAR => format!("{bar} {amount}, {rate}{end}"),
            _ => String::new(),
        };
        let texts = [with_bar, format!("{amount}, {rate}{end}"), format!("{amount}{end}"), amount];
        texts.into_iter().find(|text| !text.is_empty() && text.len() <= width).unwrap_or_default()
    }

    fn time_left(&self, total: u64) -> Option<String> {
        if self.done_bytes == total && self.files.is_none_or(|(done, all)| Some(done) == all) {
            return Some("finishing".to_owned());
        }
        let seconds = (total - self.done_bytes) as f64 / self.rate;
        (seconds < MAX_TIME_LEFT).then(|| format!("{} left", duration(seconds.ceil() as u64)))
    }

    fn bar(&self, total: u64) -> Option<String> {
        let done = (self.done_bytes as f64 / total as f64 * BAR_WIDTH as f64) as usize;
        let done = done.min(BAR_WIDTH);
        let head = if done < BAR_WIDTH { ">" } else { "" };
        let rest = BAR_WIDTH - done - head.len();
        (total > 0).then(|| format!("[{}{head}{}]", "=".repeat(done), " ".repeat(rest)))
    }
}

/// An average rate, in which the last seconds count most.
#[derive(Debug, Default)]
pub struct RateMeter {
    bytes: u64,
    elapsed: Duration,
    average: f64,
}

impl RateMeter {
    /// Adds the number of bytes since the start, and returns the rate in bytes a second.
    pub fn update(&mut self, bytes: u64, elapsed: Duration) -> f64 {
        let weight = |time: Duration| libm::exp(-time.as_secs_f64() / RATE_MEMORY.as_secs_f64());
        let interval = elapsed.saturating_sub(self.elapsed);
        if !interval.is_zero() {
            let rate = bytes.saturating_sub(self.bytes) as f64 / interval.as_secs_f64();
            let old = weight(interval);
            self.average = self.average * old + rate * (1.0 - old);
            (self.bytes, self.elapsed) = (bytes, elapsed);
        }
        // The average began with zero.
        let known = 1.0 - weight(self.elapsed);
        if known > 0.0 { self.average / known } else { 0.0 }
    }
}

/// Returns a size in binary units with two or three digits: `9.5 MiB`, `210 MiB`.
fn size(bytes: u64) -> String {
    let (mut value, mut units) = (bytes as f64, ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].iter());
    let mut unit = "B";
    while value >= 999.5 {
        let Some(next) = units.next() else { break };
        (value, unit) = (value / 1024.0, next);
    }
    let digits = if value < 9.95 && unit != "B" { 1 } else { 0 };
    format!("{value:.digits$} {unit}")
}

/// Returns a number with its digits in groups of three: `1,157`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Returns a duration: `3s`, `2m 05s`, `1h 02m`.
fn duration(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;
    const GIB: u64 = 1 << 30;

    fn line(
        done_bytes: u64,
        total_bytes: Option<u64>,
        files: Option<(u64, Option<u64>)>,
    ) -> StatusLine {
        let (rate, elapsed) = (210.0 * MIB as f64, Duration::from_secs(5));
        StatusLine { done_bytes, total_bytes, files, rate, elapsed }
    }

    #[test]
    fn text_is_as_long_as_the_line_allows() {
        let file = line(1288 * MIB, Some(2 * GIB), None);
        let tree = line(1288 * MIB, Some(2 * GIB), Some((1157, Some(6000))));
        for (line, width, expected) in [
            (file, 79, "[===============>        ] 1.3 GiB of 2.0 GiB, 210 MiB/s, 4s left"),
            (file, 71, "1.3 GiB of 2.0 GiB, 210 MiB/s, 4s left"),
            (file, 38, "1.3 GiB of 2.0 GiB, 210 MiB/s, 4s left"),
            (file, 37, "1.3 GiB of 2.0 GiB, 4s left"),
            (file, 20, "1.3 GiB of 2.0 GiB"),
            (file, 17, ""),
            (file, 0, ""),
            (tree, 50, "1,157 of 6,000 files, 1.3 GiB, 210 MiB/s, 4s left"),
            (tree, 39, "1,157 of 6,000 files, 1.3 GiB, 4s left"),
            (line(9, None, Some((1157, None))), 50, "1,157 files, 9 B, 210 MiB/s, 5s"),
            (line(9, None, Some((1, None))), 50, "1 file, 9 B, 210 MiB/s, 5s"),
            (line(9, None, Some((2, Some(3)))), 50, "2 of 3 files, 9 B, 210 MiB/s, 5s"),
            (line(9, Some(9), Some((3, Some(3)))), 50, "3 of 3 files, 9 B, 210 MiB/s, finishing"),
            (line(3 * MIB, None, None), 50, "3.0 MiB, 210 MiB/s, 5s"),
            (line(3 * MIB, Some(2 * MIB), None), 50, "3.0 MiB, 210 MiB/s, 5s"),
            (line(2 * GIB, Some(2 * GIB), None), 60, "2.0 GiB of 2.0 GiB, 210 MiB/s, finishing"),
        ] {
            assert_eq!(line.text(width), expected, "{width}");
        }
    }

    #[test]
    fn text_never_exceeds_the_width() {
        for bytes in [0, 1, 999, 1000, 1023, 1024, 999 * MIB, 1023 * MIB, u64::MAX] {
            for total in [None, Some(bytes), Some(u64::MAX)] {
                for files in [None, Some((bytes, None)), Some((bytes, Some(u64::MAX)))] {
                    for width in 0..120 {
                        let text = line(bytes, total, files).text(width);
                        assert!(text.len() <= width && text.is_ascii(), "{width}: {text}");
                    }
                }
            }
        }
    }

    #[test]
    fn unknown_rate_has_no_time_left() {
        let mut line = line(0, Some(GIB), None);
        line.rate = 0.0;
        assert_eq!(line.text(60), "0 B of 1.0 GiB, 0 B/s");
    }

    #[test]
    fn numbers_are_short() {
        for (bytes, expected) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 KiB"),
            (10 * 1024, "10 KiB"),
            (10 * 1024 - 1, "10 KiB"),
            (1023 * MIB, "1.0 GiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(size(bytes), expected);
        }
        for (number, expected) in
            [(0, "0"), (999, "999"), (1157, "1,157"), (1_000_000, "1,000,000")]
        {
            assert_eq!(grouped(number), expected);
        }
        for (seconds, expected) in
            [(0, "0s"), (59, "59s"), (125, "2m 05s"), (3600, "1h 00m"), (3725, "1h 02m")]
        {
            assert_eq!(duration(seconds), expected);
        }
    }

    #[test]
    fn rate_follows_the_last_seconds() {
        let mut meter = RateMeter::default();
        let mut bytes = 0;
        assert_eq!(meter.update(0, Duration::ZERO), 0.0);
        for second in 1..=60 {
            bytes += if second <= 30 { 100 } else { 10 };
            let rate = meter.update(bytes, Duration::from_secs(second)).round();
            match second {
                1..=30 => assert_eq!(rate, 100.0),
                60 => assert_eq!(rate, 10.0),
                _ => assert!((10.0..100.0).contains(&rate)),
            }
        }
    }
}
