//! Simplified Chinese: GB 2312, GBK and GB 18030.

use super::Encoding;
use super::mapping::{self, Gb18030Ranges, MultiByteMapping};

/// The encodings in the order of the manual.
pub const ALL: &[&Encoding] = &[
    &EUC_CN,
    &GBK,
    &CP936,
    &GB18030,
    &GB18030_2005,
    &WHATWG_GBK,
    &WHATWG_GB18030,
    &LIBICONV_GBK,
    &LIBICONV_GB18030,
];

static EUC_CN: Encoding = Encoding::new(
    "EUC-CN",
    "Extended Unix Code of GB 2312",
    &MultiByteMapping::with_ascii(include_bytes!("data/euc-cn.trie"), &mapping::GR_94),
);

static GBK: Encoding = Encoding::new(
    "GBK",
    "GBK, as in glibc",
    &MultiByteMapping::with_ascii(include_bytes!("data/gbk.trie"), &mapping::GBK),
);

static CP936: Encoding = Encoding::new(
    "CP936",
    "Code page 936 of Windows: GBK with the euro sign at 80",
    &MultiByteMapping::with_ascii(include_bytes!("data/cp936.trie"), &mapping::GBK),
);

static GB18030: Encoding = Encoding::new(
    "GB18030",
    "GB 18030-2022",
    &MultiByteMapping::with_ascii(include_bytes!("data/gb18030.trie"), &mapping::GBK)
        .with_gb18030_ranges(Gb18030Ranges::new(include_bytes!("data/gb18030.ranges"))),
);

static GB18030_2005: Encoding = Encoding::new(
    "GB18030:2005",
    "GB 18030-2005, as in glibc 2.36",
    &MultiByteMapping::with_ascii(include_bytes!("data/gb18030-2005.trie"), &mapping::GBK)
        .with_gb18030_ranges(Gb18030Ranges::new(include_bytes!("data/gb18030-2005.ranges"))),
);

static WHATWG_GBK: Encoding = Encoding::new(
    "whatwg:GBK",
    "GBK of the Encoding Standard, which decodes GB 18030",
    &MultiByteMapping::with_ascii(include_bytes!("data/whatwg-gbk.trie"), &mapping::GBK)
        .with_gb18030_ranges(
            Gb18030Ranges::new(include_bytes!("data/whatwg-gb18030.ranges")).decode_only(),
        ),
);

static WHATWG_GB18030: Encoding = Encoding::new(
    "whatwg:gb18030",
    "GB 18030 of the Encoding Standard",
    &MultiByteMapping::with_ascii(include_bytes!("data/whatwg-gb18030.trie"), &mapping::GBK)
        .with_gb18030_ranges(Gb18030Ranges::new(include_bytes!("data/whatwg-gb18030.ranges"))),
);

static LIBICONV_GBK: Encoding = Encoding::new(
    "libiconv:GBK",
    "GBK of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-gbk.trie"), &mapping::GBK),
);

static LIBICONV_GB18030: Encoding = Encoding::new(
    "libiconv:GB18030",
    "GB 18030-2005 of libiconv",
    &MultiByteMapping::with_ascii(include_bytes!("data/libiconv-gb18030.trie"), &mapping::GBK)
        .with_gb18030_ranges(Gb18030Ranges::new(include_bytes!("data/libiconv-gb18030.ranges"))),
);
