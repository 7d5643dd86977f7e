//! The encoding that the start of an input declares, and whether the bytes confirm it.

use super::{DecoderProber, LineEndings, Utf8Sniffer};
use charpipe_encoding::encoding::{self, Encoding, EncodingOptions};
use charpipe_transform::declaration::{self, DeclarationKind, FoundDeclaration};

/// A declaration of the encoding at the start of an input.
///
/// ```
/// use charpipe_detect::{Evidence, detect};
///
/// // The bytes are UTF-8.
/// let detection = detect("# coding: latin-1\n# é".as_bytes());
/// let declaration = detection.declaration.as_ref().unwrap();
/// assert_eq!((declaration.label.as_str(), declaration.is_confirmed), ("latin-1", false));
/// assert_eq!(detection.best().unwrap().evidence, Evidence::Utf8);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declaration {
    /// Its syntax.
    pub kind: DeclarationKind,
    /// The name that it contains.
    pub label: String,
    /// The encoding of this name.
    pub encoding: &'static Encoding,
    /// Whether the input is valid in this encoding, and is not UTF-8 if this is another one.
    pub is_confirmed: bool,
}

/// Searches an input for a declaration, and decodes the input in the declared encoding.
#[derive(Default)]
pub(crate) struct DeclarationProber {
    /// The first bytes, until [`declaration::MAX_LEN`] have been collected.
    head: Vec<u8>,
    started: bool,
    found: Option<(DeclarationKind, String, &'static Encoding)>,
    /// None if the declaration cannot be read in the declared encoding.
    prober: Option<Prober>,
}

/// Examines the whole input in the declared encoding.
enum Prober {
    /// UTF-8 needs no decoding, which takes longer.
    Utf8(Utf8Sniffer),
    Decoder(Box<DecoderProber>),
}

impl Prober {
    fn new(encoding: &'static Encoding) -> Prober {
        match encoding::is_utf8(encoding) {
            true => Prober::Utf8(Utf8Sniffer::default()),
            false => Prober::Decoder(Box::new(DecoderProber::for_declared(encoding))),
        }
    }

    fn feed(&mut self, bytes: &[u8]) {
        match self {
            Prober::Utf8(sniffer) => sniffer.feed(bytes),
            Prober::Decoder(prober) => prober.feed(bytes),
        }
    }

    fn finish(&mut self) {
        match self {
            Prober::Utf8(sniffer) => sniffer.finish(),
            Prober::Decoder(prober) => prober.finish(),
        }
    }
}

/// The declared encoding of an input that is text in it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AcceptedDeclaration {
    pub encoding: &'static Encoding,
    /// The line endings, unless they are those of ASCII.
    pub line_endings: Option<LineEndings>,
}

impl DeclarationProber {
    /// Examines the next bytes.
    pub fn feed(&mut self, bytes: &[u8]) {
        if self.started {
            if let Some(prober) = &mut self.prober {
                prober.feed(bytes);
            }
            return;
        }
        // The search does not depend on the chunks.
        if self.head.is_empty() && bytes.len() >= declaration::MAX_LEN {
            return self.start(bytes);
        }
        self.head.extend_from_slice(bytes);
        if self.head.len() >= declaration::MAX_LEN {
            self.start_with_head();
        }
    }

    /// Ends the input, of which only the beginning may have been examined.
    pub fn finish(&mut self, is_truncated: bool) {
        if !self.started {
            self.start_with_head();
        }
        if let Some(prober) = self.prober.as_mut().filter(|_| !is_truncated) {
            prober.finish();
        }
    }

    fn start_with_head(&mut self) {
        let head = std::mem::take(&mut self.head);
        self.start(&head);
    }

    fn start(&mut self, head: &[u8]) {
        self.started = true;
        let start = &head[..head.len().min(declaration::MAX_LEN)];
        let Some((kind, label, encoding)) = find(start) else { return };
        // In the declared encoding there is the same declaration.
        let decoded = decode(encoding, start);
        if first(decoded.as_bytes()).is_some_and(|(_, other, _)| other == label) {
            let mut prober = Prober::new(encoding);
            prober.feed(head);
            self.prober = Some(prober);
        }
        self.found = Some((kind, label, encoding));
    }

    /// Returns the declared encoding if the input is text in it. `has_nul` says whether it contains the
    /// byte 00.
    pub fn accepted(&self, has_nul: bool) -> Option<AcceptedDeclaration> {
        let (_, _, encoding) = self.found.as_ref()?;
        let is_wide = ["UTF-16", "UTF-32"].iter().any(|wide| encoding.name().starts_with(wide));
        let (is_text, line_endings) = match self.prober.as_ref()? {
            Prober::Utf8(sniffer) => (sniffer.is_valid_utf8(), None),
            Prober::Decoder(prober) => {
                let is_text = prober.is_valid() && prober.stats.may_be_text();
                (is_text, Some(prober.stats.line_endings.result()))
            }
        };
        let accepted = AcceptedDeclaration { encoding, line_endings };
        (is_text && (is_wide || !has_nul)).then_some(accepted)
    }

    pub fn declaration(&self, is_confirmed: bool) -> Option<Declaration> {
        let (kind, label, encoding) = self.found.clone()?;
        Some(Declaration { kind, label, encoding, is_confirmed })
    }
}

/// Finds the first declaration in bytes of an encoding that is not known.
fn find(head: &[u8]) -> Option<(DeclarationKind, String, &'static Encoding)> {
    let family = Family::of(head);
    let text = family.decode(head);
    let (kind, label, encoding) = first(&text)?;
    let encoding = match (family, encoding.name()) {
        (Family::AsciiCompatible, _) => encoding,
        // These names do not say the byte order.
        (Family::Wide(wide), name) if wide.starts_with(name) || name == "UNICODE" => {
            encoding::for_label(wide)?
        }
        _ => encoding,
    };
    Some((kind, label, encoding))
}

fn first(text: &[u8]) -> Option<(DeclarationKind, String, &'static Encoding)> {
    let has_name = |found: &FoundDeclaration| !found.label.is_empty();
    let found = declaration::find(text).find(has_name)?;
    let label = String::from_utf8_lossy(&text[found.label.clone()]).into_owned();
    Some((found.kind, label, found.encoding(text)?))
}

/// Encodings in which a declaration has the same bytes (XML 1.0, appendix F).
#[derive(Debug, Clone, Copy)]
enum Family {
    AsciiCompatible,
    /// UTF-16 or UTF-32 in a byte order, by name.
    Wide(&'static str),
    Ebcdic,
}

impl Family {
    fn of(head: &[u8]) -> Family {
        match head {
            [b'<', 0, 0, 0, b'?', ..] => Family::Wide("UTF-32LE"),
            [0, 0, 0, b'<', ..] => Family::Wide("UTF-32BE"),
            [b'<', 0, b'?', 0, ..] => Family::Wide("UTF-16LE"),
            [0, b'<', 0, b'?', ..] => Family::Wide("UTF-16BE"),
            // `<?xm`
            [0x4C, 0x6F, 0xA7, 0x94, ..] => Family::Ebcdic,
            _ => Family::AsciiCompatible,
        }
    }

    /// Returns the text of bytes, as far as it is ASCII.
    fn decode(self, head: &[u8]) -> Vec<u8> {
        let name = match self {
            Family::AsciiCompatible => return head.to_vec(),
            Family::Wide(name) => name,
            // The letters, digits and quotation marks are the same on all code pages.
            Family::Ebcdic => "IBM1047",
        };
        let encoding = encoding::for_label(name);
        encoding.map_or_else(Vec::new, |encoding| decode(encoding, head).into_bytes())
    }
}

/// Decodes bytes up to the first error.
fn decode(encoding: &Encoding, bytes: &[u8]) -> String {
    let mut decoder = encoding.decoder(&EncodingOptions::default());
    let mut text = vec![0; 4 * bytes.len() + decoder.max_lookahead()];
    let progress = decoder.decode(bytes, &mut text, false);
    text.truncate(progress.written);
    String::from_utf8(text).unwrap_or_default()
}
