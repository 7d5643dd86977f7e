//! The order of the two octets of a unit.

/// How a unit lies in memory.
pub trait Order: Send + Sync {
    /// Whether the high octet is first.
    const BIG: bool;

    /// The unit that two octets make.
    fn unit(octets: [u8; 2]) -> u16;

    /// The two octets that a unit makes.
    fn octets(unit: u16) -> [u8; 2];
}

/// High octet first.
pub struct Big;

/// Low octet first.
pub struct Little;

impl Order for Big {
    const BIG: bool = true;

    fn unit(octets: [u8; 2]) -> u16 {
        u16::from_be_bytes(octets)
    }

    fn octets(unit: u16) -> [u8; 2] {
        unit.to_be_bytes()
    }
}

impl Order for Little {
    const BIG: bool = false;

    fn unit(octets: [u8; 2]) -> u16 {
        u16::from_le_bytes(octets)
    }

    fn octets(unit: u16) -> [u8; 2] {
        unit.to_le_bytes()
    }
}
