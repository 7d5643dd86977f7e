//! Signatures of binary file formats.
//!
//! Only those that no text begins with: they contain bytes that text does not have, or a phrase that is
//! nothing else. `MZ`, `BM`, `GIF89a` and the like are not among them: text may begin so, and such files
//! contain NUL anyway.

/// Formats by the offset of the signature and its bytes. `?` is any byte.
const SIGNATURES: &[(usize, &[u8], &str)] = &[
    // Compressed data and archives.
    (0, b"\x1F\x8B\x08", "gzip"),
    (0, b"PK\x03\x04", "ZIP"),
    (0, b"PK\x05\x06", "ZIP"),
    (0, b"7z\xBC\xAF\x27\x1C", "7z"),
    (0, b"\xFD7zXZ\0", "xz"),
    (0, b"BZh?1AY&SY", "bzip2"),
    (0, b"\x28\xB5\x2F\xFD", "zstd"),
    (0, b"\x04\x22\x4D\x18", "LZ4"),
    (0, b"LZIP\x01", "lzip"),
    (0, b"Rar!\x1A\x07", "RAR"),
    (0, b"!<arch>\n", "ar"),
    (257, b"ustar\0", "tar"),
    (257, b"ustar  \0", "tar"),
    // Images.
    (0, b"\x89PNG\r\n\x1A\n", "PNG"),
    (0, b"\xFF\xD8\xFF", "JPEG"),
    (0, b"GIF8?a????\x80", "GIF"),
    (0, b"II*\0", "TIFF"),
    (0, b"MM\0*", "TIFF"),
    (0, b"RIFF????WEBPVP8", "WebP"),
    // Sound and video.
    (0, b"OggS\0", "Ogg"),
    (0, b"fLaC\0", "FLAC"),
    (0, b"ID3?\0", "MP3"),
    (0, b"RIFF????WAVEfmt ", "WAVE"),
    (0, b"RIFF????AVI LIST", "AVI"),
    (0, b"\x1A\x45\xDF\xA3", "Matroska"),
    // Documents and fonts.
    (0, b"%PDF-?.?\n", "PDF"),
    (0, b"%PDF-?.?\r", "PDF"),
    (0, b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", "OLE"),
    (0, b"SQLite format 3\0", "SQLite"),
    (0, b"\0\x01\0\0\0", "TrueType"),
    (0, b"OTTO\0", "OpenType"),
    (0, b"wOFF\0\x01\0\0", "WOFF"),
    (0, b"wOFFOTTO", "WOFF"),
    (0, b"wOF2\0\x01\0\0", "WOFF2"),
    (0, b"wOF2OTTO", "WOFF2"),
    // Programs.
    (0, b"\x7FELF", "ELF"),
    (0, b"\xCA\xFE\xBA\xBE\0", "Java class"),
    (0, b"\xCF\xFA\xED\xFE?\0", "Mach-O"),
    (0, b"\0asm", "WebAssembly"),
    // Files of git.
    (0, b"PACK\0\0\0", "git pack"),
    (0, b"\xFFtOc\0", "git pack index"),
    (0, b"DIRC\0\0\0", "git index"),
];

/// Bytes that a signature needs at most.
pub(crate) const MAX_SIGNATURE_LEN: usize = {
    let (mut longest, mut at) = (0, 0);
    while at < SIGNATURES.len() {
        let end = SIGNATURES[at].0 + SIGNATURES[at].1.len();
        longest = if end > longest { end } else { longest };
        at += 1;
    }
    longest
};

/// The name of the format whose signature content begins with.
pub(crate) fn detect_signature(head: &[u8]) -> Option<&'static str> {
    let matches_at = |at: usize, pattern: &[u8]| {
        let bytes = head.get(at..at + pattern.len());
        bytes.is_some_and(|bytes| {
            bytes.iter().zip(pattern).all(|(byte, expected)| *expected == b'?' || byte == expected)
        })
    };
    SIGNATURES.iter().find(|(at, pattern, _)| matches_at(*at, pattern)).map(|(_, _, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_file_formats_are_detected() {
        let tar = [&[b'a'; 257][..], b"ustar\x0000"].concat();
        for (head, name) in [
            (&b"BZh91AY&SY\x94\xE5"[..], "bzip2"),
            (b"%PDF-1.4\n%\xE2\xE3\xCF\xD3\n", "PDF"),
            (b"RIFF\x24\x08\x11\x01WAVEfmt \x10", "WAVE"),
            (b"\x89PNG\r\n\x1A\n\0", "PNG"),
            (&tar, "tar"),
        ] {
            assert_eq!(detect_signature(head), Some(name));
            assert_eq!(detect_signature(&head[..4]), None, "{name}");
        }
    }

    #[test]
    fn text_resembling_a_signature_is_not_detected() {
        for text in [
            "MZ is a signature",
            "BM",
            "PK, he said",
            "ID3 tags",
            "GIF89a is a format",
            "RIFF and RAFF",
            "PDF-1.7",
            "BZh9 is bzip2",
            "OggS",
            "ÿØÿ",
        ] {
            assert_eq!(detect_signature(text.as_bytes()), None, "{text}");
        }
    }
}
