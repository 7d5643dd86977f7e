//! Sets of 94 by 94 characters without ASCII, in two 7-bit or 8-bit bytes each.

use super::Encoding;
use super::mapping::{self, MultiByteMapping};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] =
    &[&JIS_X0208, &JIS_X0212, &GB_2312_80, &KSC_5601, &IBM_971, &ISO_IR_165];

static JIS_X0208: Encoding = Encoding::new(
    "JIS_X0208",
    "JIS X 0208 without ASCII, in two 7-bit bytes",
    &MultiByteMapping::without_ascii(include_bytes!("data/jisx0208.trie"), &mapping::GL_94),
);

static JIS_X0212: Encoding = Encoding::new(
    "JIS_X0212",
    "JIS X 0212 without ASCII, in two 7-bit bytes",
    &MultiByteMapping::without_ascii(include_bytes!("data/jisx0212.trie"), &mapping::GL_94),
);

static GB_2312_80: Encoding = Encoding::new(
    "GB_2312-80",
    "GB 2312 without ASCII, in two 7-bit bytes",
    &MultiByteMapping::without_ascii(include_bytes!("data/gb2312.trie"), &mapping::GL_94),
);

static KSC_5601: Encoding = Encoding::new(
    "KSC_5601",
    "KS X 1001 without ASCII, in two 7-bit bytes",
    &MultiByteMapping::without_ascii(include_bytes!("data/ksc5601.trie"), &mapping::GL_94),
);

static IBM_971: Encoding = Encoding::new(
    "ibm-971_P100-1995",
    "KS X 1001 without ASCII, in two 8-bit bytes, with IBM's private use characters",
    &MultiByteMapping::without_ascii(include_bytes!("data/ibm971.trie"), &mapping::GR_94),
);

static ISO_IR_165: Encoding = Encoding::new(
    "ISO-IR-165",
    "The CCITT Chinese set without ASCII, in two 7-bit bytes",
    &MultiByteMapping::without_ascii(include_bytes!("data/iso-ir-165.trie"), &mapping::GL_94),
);
