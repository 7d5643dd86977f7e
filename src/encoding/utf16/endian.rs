//! The order of the two bytes of a unit.

/// How a unit lies in memory.
pub trait Endian: Send + Sync {
    /// Whether the high byte is first.
    const IS_BIG: bool;

    /// The unit that two bytes make.
    fn unit_from_bytes(bytes: [u8; 2]) -> u16;

    /// The two bytes that a unit makes.
    fn unit_to_bytes(unit: u16) -> [u8; 2];
}

/// High byte first.
pub struct BigEndian;

/// Low byte first.
pub struct LittleEndian;

impl Endian for BigEndian {
    const IS_BIG: bool = true;

    fn unit_from_bytes(bytes: [u8; 2]) -> u16 {
        u16::from_be_bytes(bytes)
    }

    fn unit_to_bytes(unit: u16) -> [u8; 2] {
        unit.to_be_bytes()
    }
}

impl Endian for LittleEndian {
    const IS_BIG: bool = false;

    fn unit_from_bytes(bytes: [u8; 2]) -> u16 {
        u16::from_le_bytes(bytes)
    }

    fn unit_to_bytes(unit: u16) -> [u8; 2] {
        unit.to_le_bytes()
    }
}
