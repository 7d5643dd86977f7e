//! Packs the module for `charpipe-site-unpack`.

use std::io::{self, Write as _};

use charpipe_site_unpack::{LANGUAGE_MODELS, LZMA, LZMA_OF_HALVES, language_models, unpack_parts};
use lzma_rust2::{LzmaOptions, LzmaWriter};

/// The options of LZMA to try: the numbers of bits of the byte before, of the position in literals and of the position.
const BITS: [(u32, u32, u32); 3] = [(3, 0, 2), (0, 1, 1), (0, 0, 0)];

/// Packs a module. The bytes of each table in it are a part of their own, and so are the language models.
pub fn pack(module: &[u8], models: &[u8], tables: &[Vec<u8>]) -> io::Result<Vec<u8>> {
    let mut bounds = vec![0, module.len()];
    for table in tables.iter().map(Vec::as_slice).chain([models]) {
        let found = module.windows(table.len()).position(|window| window == table);
        let start = found.ok_or_else(|| io::Error::other("the module does not contain a table"))?;
        bounds.extend([start, start + table.len()]);
    }
    bounds.sort_unstable();
    let mut packed = Vec::new();
    for range in bounds.windows(2) {
        let part = &module[range[0]..range[1]];
        packed.extend(match part == models {
            true => with_header(LANGUAGE_MODELS, &language_models::pack(part)?)?,
            false => pack_part(part)?,
        });
    }
    match unpack_parts(&packed)? == module {
        true => Ok(packed),
        false => Err(io::Error::other("unpacking does not give the module")),
    }
}

/// Packs a part in the way in which it is the shortest.
fn pack_part(part: &[u8]) -> io::Result<Vec<u8>> {
    let halves: Vec<u8> =
        part.iter().step_by(2).chain(part.iter().skip(1).step_by(2)).copied().collect();
    let mut best: Option<Vec<u8>> = None;
    for (kind, bytes) in [(LZMA, part), (LZMA_OF_HALVES, &halves)] {
        for bits in BITS {
            let compressed = compress(bytes, bits)?;
            if best.as_ref().is_none_or(|best| compressed.len() + 5 < best.len()) {
                best = Some(with_header(kind, &compressed)?);
            }
        }
    }
    Ok(best.unwrap_or_default())
}

/// Returns a part after its kind and its length.
fn with_header(kind: u8, part: &[u8]) -> io::Result<Vec<u8>> {
    let len = u32::try_from(part.len()).map_err(io::Error::other)?;
    Ok([&[kind], &len.to_le_bytes()[..], part].concat())
}

fn compress(bytes: &[u8], (lc, lp, pb): (u32, u32, u32)) -> io::Result<Vec<u8>> {
    let options = LzmaOptions {
        dict_size: 8 << 20,
        lc,
        lp,
        pb,
        nice_len: 273,
        depth_limit: 512,
        ..LzmaOptions::with_preset(9)
    };
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(bytes.len() as u64))?;
    writer.write_all(bytes)?;
    writer.finish()
}
