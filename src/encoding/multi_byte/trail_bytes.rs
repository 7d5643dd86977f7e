//! Which column of a row a trail byte means, in each way of building two-byte codes.

/// The column of each byte; [`NONE`] for a byte that ends no code.
pub type TrailIndex = [u8; 256];

/// No column: no row has so many.
pub const NOT_A_TRAIL: u8 = 0xFF;

/// The right half of ISO 2022: 94 columns (EUC).
pub static GR_94: TrailIndex = trail_index(&[(0xA1, 0xFE)]);
/// The left half of ISO 2022: 94 columns (bare sets, ISO-2022-*, HZ).
pub static GL_94: TrailIndex = trail_index(&[(0x21, 0x7E)]);
/// Two rows of 94 to a lead byte (Shift_JIS).
pub static SHIFT_JIS: TrailIndex = trail_index(&[(0x40, 0x7E), (0x80, 0xFC)]);
/// 157 columns (Big5).
pub static BIG5: TrailIndex = trail_index(&[(0x40, 0x7E), (0xA1, 0xFE)]);
/// 190 columns (GBK, GB 18030).
pub static GBK: TrailIndex = trail_index(&[(0x40, 0x7E), (0x80, 0xFE)]);
/// 178 columns (Unified Hangul Code).
pub static UHC: TrailIndex = trail_index(&[(0x41, 0x5A), (0x61, 0x7A), (0x81, 0xFE)]);
/// 204 columns (the Johab of KS X 1001, annex 3).
pub static JOHAB: TrailIndex = trail_index(&[(0x31, 0x7E), (0x81, 0xFE)]);
/// Both halves: 188 columns (DEC Hanyu).
pub static GL_OR_GR_94: TrailIndex = trail_index(&[(0x21, 0x7E), (0xA1, 0xFE)]);
/// 191 columns (IBM's host sets).
pub static EBCDIC: TrailIndex = trail_index(&[(0x40, 0xFE)]);

const fn trail_index(ranges: &[(u8, u8)]) -> TrailIndex {
    let mut columns = [NOT_A_TRAIL; 256];
    let (mut range, mut column) = (0, 0);
    while range < ranges.len() {
        let (mut byte, last) = ranges[range];
        while byte <= last {
            columns[byte as usize] = column;
            byte += 1;
            column += 1;
        }
        range += 1;
    }
    columns
}
