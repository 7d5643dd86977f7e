//! The decoder of all charsets that are nothing but a grid.
//!
//! The loop converts what is plain and says how far it came; a single step settles what is not,
//! and it alone finds faults.

use super::directory::ROOT;
use super::grid::{Grid, Trouble};
use super::quick;
use crate::codec::{Decoder, Progress, Resume, State};
use crate::fault::{Malformed, Why};
use crate::kernel;
use crate::kernel::octet::doubles::Doubles;

/// Bytes of the longest text of a code, and of the longest code.
pub const WINDOW: usize = 8;

/// Remembers nothing: an unfinished code stays unread.
pub struct GridDecoder {
    grid: Grid,
    /// Whether all bytes 00 to 7F are ASCII.
    straight: bool,
    /// A table for large inputs.
    quick: Option<Doubles>,
}

impl GridDecoder {
    pub fn new(grid: Grid) -> GridDecoder {
        let straight = grid.ascii && grid.directory.bounds(ROOT).0 >= 0x80;
        GridDecoder { grid, straight, quick: None }
    }

    /// Decodes runs of ASCII and of plain two-byte codes, while there is room enough.
    fn run(&self, src: &[u8], dst: &mut [u8]) -> (usize, usize) {
        if let Some(quick) = &self.quick {
            let (read, written) = quick.decode(src, dst);
            if read > 0 {
                return (read, written);
            }
        }
        if !self.straight {
            return self.grid.plain(src, dst, false);
        }
        let (mut read, mut written) = (0, 0);
        loop {
            let ascii = kernel::ascii::copy(&src[read..], &mut dst[written..]);
            let (more, put) =
                self.grid.plain(&src[read + ascii..], &mut dst[written + ascii..], true);
            read += ascii + more;
            written += ascii + put;
            if more == 0 {
                return (read, written);
            }
        }
    }
}

impl Resume for GridDecoder {
    fn state(&self) -> State {
        State::START
    }

    fn resume(&mut self, _: State) {}

    fn window(&self) -> usize {
        WINDOW
    }
}

impl Decoder for GridDecoder {
    fn prepare(&mut self) {
        self.quick = quick::doubles(&self.grid);
    }

    fn decode(&mut self, src: &[u8], dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        loop {
            let (more, put) = self.run(&src[read..], &mut dst[written..]);
            read += more;
            written += put;
            let rest = &src[read..];
            if rest.is_empty() {
                return Progress::input(read, written);
            }
            let fault = match self.grid.unit(rest) {
                Ok(unit) if dst.len() - written < unit.text.len() => {
                    return Progress::output(read, written);
                }
                Ok(unit) => {
                    unit.text.put(&mut dst[written..]);
                    written += unit.text.len();
                    read += unit.len;
                    continue;
                }
                Err(Trouble::Unfinished) if !end => return Progress::input(read, written),
                Err(Trouble::Unfinished) => {
                    Malformed::new(rest.len(), Why::Truncated, State::START)
                }
                Err(Trouble::Bad(len, why)) => Malformed::new(len, why, State::START),
            };
            return Progress::fault(read, written, fault);
        }
    }

    fn repeats(&self, src: &[u8], fault: Malformed) -> usize {
        match src {
            // Each but the last few has the same behind it, as far as a code goes.
            [byte, ..] if fault.len == 1 => {
                kernel::count::same(src, *byte).saturating_sub(WINDOW).max(1)
            }
            _ => 1,
        }
    }
}
