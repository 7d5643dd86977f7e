//! Control characters, which tell text from what is none.

/// One byte among so many may be a control character that text hardly has.
const PER_CONTROL: u64 = 16;

/// Bytes so far, and those among them that text in ASCII or a legacy charset hardly has.
#[derive(Debug, Clone, Default)]
pub(super) struct Controls {
    bytes: u64,
    found: u64,
}

impl Controls {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        self.found += bytes.iter().filter(|byte| is_control(**byte)).count() as u64;
    }

    /// Whether there are no bytes at all.
    pub(super) fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Whether there is any.
    pub(super) fn any(&self) -> bool {
        self.found > 0
    }

    /// Whether there are more than text has.
    pub(super) fn too_many(&self) -> bool {
        self.found * PER_CONTROL > self.bytes
    }
}

/// All but BEL to CR, the two shifts, what DOS ends a file with, and ESC.
fn is_control(byte: u8) -> bool {
    matches!(byte, 0..=6 | 0x10..=0x19 | 0x1C..=0x1F | 0x7F)
}
