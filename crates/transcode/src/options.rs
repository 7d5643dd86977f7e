//! The options of a conversion: the encodings, the BOM policy and the error policy.

use std::fmt;
use std::str::FromStr;

use crate::chain_spec::{self, ChainSpec, ChainStep};
use crate::encoding_list;
use crate::error_policy::Replacer;
use crate::error_policy::{
    ErrorAction, ErrorPolicy, ReplacementTexts, TargetTransliterator, TranslitRules,
};
use crate::header;
use crate::io;
use crate::transcoder::Transcoder;
use crate::transform_spec::TransformSpec;
use charpipe_encoding::bom::BOM;
use charpipe_encoding::codec::State;
use charpipe_encoding::codec::{EncodeStage, Status, TextTransform};
use charpipe_encoding::encoder;
use charpipe_encoding::encoding::split_rule::SplitRule;
use charpipe_encoding::encoding::{self, Encoding, EncodingOptions, LookupError, Ucs4Codecs};
use charpipe_encoding::error::Error;
use charpipe_transform::{Direction, TransformCodecs};

/// The maximum length of the name of a header field that is selected.
const MAX_FIELD_NAME: usize = 255;

/// ASCII text to determine how an encoding encodes ASCII.
const ASCII_PROBE: &str = "Az09 ~\r\n";

/// ASCII characters that every ASCII-compatible encoding has, including the Japanese ones.
const ASCII_SUPERSET_PROBE: &str = "AZaz09 \r\n<>&'()/=?";

/// Non-ASCII characters of which most encodings have at least one. The yen sign is excluded because it
/// is an ASCII byte in Shift_JIS.
const NON_ASCII_PROBE: &str = "£§äéøąčőşțơλжאاกაहあ中가—";

/// An encoding with its options, such as `UTF-7:close=always`, and the transforms that are applied to
/// text before and to bytes after it, as in `utf-8/crlf/base64`.
///
/// ```
/// use charpipe::EncodingSpec;
///
/// let spec: EncodingSpec = "utf7:close=always".parse()?;
/// assert_eq!((spec.encoding(), spec.to_string().as_str()), (charpipe::UTF_7, "UTF-7:close=always"));
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct EncodingSpec {
    /// The encoding.
    #[doc(hidden)]
    pub encoding: &'static Encoding,
    /// The options of the encoding.
    #[doc(hidden)]
    pub options: EncodingOptions,
    /// The transforms, in the order in which they are encoded.
    #[doc(hidden)]
    pub transforms: Vec<TransformSpec>,
}

impl From<&'static Encoding> for EncodingSpec {
    fn from(encoding: &'static Encoding) -> EncodingSpec {
        EncodingSpec { encoding, options: EncodingOptions::default(), transforms: Vec::new() }
    }
}

/// What to do with a byte order mark, U+FEFF at the start of the text.
///
/// ```
/// use charpipe::{BomPolicy, TranscodeOptions};
///
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_8).bom(BomPolicy::Add);
/// assert_eq!(options.transcode(b"a")?, b"\xEF\xBB\xBFa");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BomPolicy {
    /// Keep it. The command strips it from UTF-8 if it determines the encoding from the input.
    #[default]
    Default,
    /// Treat it like any character (RFC 3629, section 6: avoid stripping it without good reason).
    Keep,
    /// Strip it from the start of each input.
    Strip,
    /// Start the output with exactly one, and strip it from the start of each further input.
    Add,
}

/// The options of a conversion. [`build`](TranscodeOptions::build) returns the [`Transcoder`].
///
/// ```
/// use charpipe::{ErrorAction, TranscodeOptions};
///
/// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::WINDOWS_1252)
///     .on_malformed(ErrorAction::Skip)
///     .on_unmappable(ErrorAction::Replace(Some("?".to_owned())));
/// assert_eq!(options.transcode("€ \u{4E2D}".as_bytes())?, b"\x80 ?");
/// # Ok::<(), charpipe::Error>(())
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TranscodeOptions {
    /// The encoding of the input.
    #[doc(hidden)]
    pub from: EncodingSpec,
    /// The encoding of the output.
    #[doc(hidden)]
    pub to: EncodingSpec,
    /// The steps between them.
    #[doc(hidden)]
    pub via: Vec<ChainStep>,
    /// What to do with a byte order mark.
    #[doc(hidden)]
    pub bom: BomPolicy,
    /// What to do on conversion errors.
    #[doc(hidden)]
    pub error_policy: ErrorPolicy,
    /// Whether to convert only the header block of each input, up to the first empty line. The body is
    /// copied unchanged.
    #[doc(hidden)]
    pub headers_only: bool,
    /// The names of the header fields that are converted, or none for the whole input.
    #[doc(hidden)]
    pub header_fields: Vec<String>,
    /// Whether to change the declarations of the encoding in XML, HTML and coding lines.
    #[doc(hidden)]
    pub fix_declaration: bool,
    /// The number of bytes to convert at a time, clamped to 1 to
    /// [`MAX_BUFFER_SIZE`](TranscodeOptions::MAX_BUFFER_SIZE). Results do not depend on it.
    #[doc(hidden)]
    pub buffer_size: usize,
    /// Whether zero-copy conversion and bulk error handling are enabled. Results do not depend on it.
    #[doc(hidden)]
    pub fast_paths: bool,
    /// How `//TRANSLIT` works, if not as by default.
    #[doc(hidden)]
    pub translit_rules: Option<TranslitRules>,
}

/// Throughput by buffer size in KiB, in GB per second of processor time, of a program that only
/// transcodes 32 MiB to `/dev/null` (medians of eleven interleaved runs):
///
/// | | 32 | 64 | 128 | 256 | 512 |
/// |---|---:|---:|---:|---:|---:|
/// | UTF-8 to UTF-8, English | 3.61 | 3.64 | 3.73 | 3.77 | 3.71 |
/// | UTF-8 to UTF-8, Russian | 3.11 | 3.22 | 3.29 | 3.31 | 3.29 |
/// | UTF-8 to UTF-16LE, English | 1.64 | 1.67 | 1.70 | 1.70 | 1.69 |
/// | UTF-16LE to UTF-8, English | 3.33 | 3.55 | 3.52 | 3.34 | 3.50 |
/// | UTF-8 to UTF-8, English, into a pipe | 2.18 | 2.41 | 2.45 | 2.53 | 2.42 |
///
/// Each further doubling costs 30 to 60 more page faults for a large input, and gains nothing.
const DEFAULT_BUFFER_SIZE: usize = 128 * 1024;

/// The buffer size of the command for conversions that only validate: text is written from where it was
/// read, so that the system calls take most of the time.
///
/// Throughput by buffer size in KiB as part of that of `cat` with 128 KiB, from a file of 512 MiB of ASCII
/// to `/dev/null` (processor time, medians of eleven interleaved runs):
///
/// | 128 | 256 | 512 | 1024 | 2048 |
/// |---:|---:|---:|---:|---:|
/// | 0.78 | 0.80 | 0.84 | 0.92 | 0.95 |
///
/// Non-ASCII text and pipes are as fast with each of them. A small input touches only the pages that it
/// needs.
pub const VALIDATION_BUFFER_SIZE: usize = 1024 * 1024;

impl TranscodeOptions {
    /// The maximum buffer size, in bytes. A transcoder allocates a few buffers of this size.
    pub const MAX_BUFFER_SIZE: usize = 16 << 20;

    pub(crate) fn clamped_buffer_size(&self) -> usize {
        self.buffer_size.clamp(1, TranscodeOptions::MAX_BUFFER_SIZE)
    }

    /// Returns options that keep byte order marks and stop at the first error. For RFC 2047 malformed
    /// sequences are replaced instead, so that an invalid encoded-word does not prevent the conversion
    /// of the others; with the option `strict` it is kept unchanged.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::new(charpipe::UTF_16LE, charpipe::UTF_8);
    /// assert!(options.build().is_ok());
    /// ```
    pub fn new(from: impl Into<EncodingSpec>, to: impl Into<EncodingSpec>) -> TranscodeOptions {
        let (from, to) = (from.into(), to.into());
        let error_policy =
            ErrorPolicy { malformed: from.default_action(), unmappable: ErrorAction::Stop };
        TranscodeOptions {
            from,
            to,
            via: Vec::new(),
            bom: BomPolicy::Default,
            error_policy,
            headers_only: false,
            header_fields: Vec::new(),
            fix_declaration: false,
            buffer_size: DEFAULT_BUFFER_SIZE,
            fast_paths: true,
            translit_rules: None,
        }
    }

    /// Returns the options of [`new`](TranscodeOptions::new) for two labels, which may have options, as
    /// in `utf-7:close=always`.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::from_labels("latin1", "utf-7:close=always")?;
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Encoding::lookup`], [`Error::InvalidOption`], [`Error::UnknownTransform`], and
    /// [`Error::InvalidChain`] if more than 32 transforms follow an encoding.
    pub fn from_labels(from: &str, to: &str) -> Result<TranscodeOptions, Error> {
        Ok(TranscodeOptions::new(from.parse::<EncodingSpec>()?, to.parse::<EncodingSpec>()?))
    }

    /// Returns the options of [`new`](TranscodeOptions::new) for a chain of encodings and transforms,
    /// separated by `..`, which run from left to right.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::from_chain("koi8-r..utf-16le..utf-8")?;
    /// assert_eq!(options.transcode(b"\xED\xC9\xD2")?, "Мир".as_bytes());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`from_labels`](TranscodeOptions::from_labels), [`Error::UnknownTransform`], and
    /// [`Error::InvalidChain`] if a transform of bytes follows text or the reverse, or if there are more than
    /// 32 steps between the source and the target encoding.
    pub fn from_chain(chain: &str) -> Result<TranscodeOptions, Error> {
        let ChainSpec { from, via, to } = chain.parse()?;
        Ok(TranscodeOptions { via, ..TranscodeOptions::new(from, to) })
    }

    /// Adds a step between the source and the target encoding, after the steps added before.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::from_labels("utf-8", "utf-8")?;
    /// let error = options.via("us-ascii".parse()?).transcode("é".as_bytes()).unwrap_err();
    /// assert_eq!(error.to_string(), "1:1: byte 0: U+00E9 cannot be encoded in US-ASCII");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[doc(hidden)]
    #[must_use]
    pub fn via(mut self, step: ChainStep) -> TranscodeOptions {
        self.via.push(step);
        self
    }

    /// Returns whether the conversion consists of a decoder and an encoder only.
    pub fn is_simple(&self) -> bool {
        let specs = [&self.from, &self.to];
        let has_stages =
            |spec: &EncodingSpec| header::has_header_stages(spec.encoding, &spec.options);
        self.via.is_empty()
            && self.header_fields.is_empty()
            && !self.fix_declaration
            && specs.iter().all(|spec| spec.transforms.is_empty() && !has_stages(spec))
    }

    /// Returns whether valid input is written unchanged, without an intermediate copy.
    pub fn only_validates(&self) -> bool {
        self.fast_paths
            && self.is_simple()
            && [&self.from, &self.to].iter().all(|spec| encoding::is_utf8(spec.encoding))
    }

    /// Sets the action for malformed sequences.
    ///
    /// ```
    /// use charpipe::{ErrorAction, TranscodeOptions};
    ///
    /// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_16LE);
    /// let transcoder = options.on_malformed(ErrorAction::Skip).build()?;
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn on_malformed(mut self, action: ErrorAction) -> TranscodeOptions {
        self.error_policy.malformed = action;
        self
    }

    /// Sets the action for unmappable characters.
    ///
    /// ```
    /// use charpipe::{ErrorAction, TranscodeOptions};
    ///
    /// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII)
    ///     .on_unmappable(ErrorAction::ESCAPE_XML);
    /// assert_eq!(options.transcode("3 €".as_bytes())?, b"3 &#8364;");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn on_unmappable(mut self, action: ErrorAction) -> TranscodeOptions {
        self.error_policy.unmappable = action;
        self
    }

    /// Sets what to do with a byte order mark.
    ///
    /// ```
    /// use charpipe::{BomPolicy, TranscodeOptions};
    ///
    /// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_8).bom(BomPolicy::Strip);
    /// assert_eq!(options.transcode(b"\xEF\xBB\xBFa")?, b"a");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn bom(mut self, policy: BomPolicy) -> TranscodeOptions {
        self.bom = policy;
        self
    }

    /// Sets whether to convert only the header block of each input, up to the first empty line. The body
    /// is copied unchanged. One of the encodings must be RFC 2047.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::from_labels("rfc2047", "utf-8")?.headers_only(true);
    /// let message = b"Subject: =?utf-8?q?caf=C3=A9?=\n\n=?utf-8?q?body?=";
    /// let decoded = "Subject: café\n\n=?utf-8?q?body?=";
    /// assert_eq!(options.transcode(message)?, decoded.as_bytes());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn headers_only(mut self, headers_only: bool) -> TranscodeOptions {
        self.headers_only = headers_only;
        self
    }

    /// Adds the name of a header field to convert. Everything but the fields of these names, in the
    /// messages of a mailbox and in their MIME parts, is dropped. The input encoding must be
    /// ASCII-compatible.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::from_labels("rfc2047", "utf-8")?;
    /// let options = options.header_field("subject").via("unfold".parse()?);
    /// let message = b"To: z\nSubject: =?utf-8?q?caf=C3=A9?=\n au lait\n\nbody";
    /// assert_eq!(options.transcode(message)?, "Subject: café au lait\n".as_bytes());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn header_field(mut self, name: impl Into<String>) -> TranscodeOptions {
        self.header_fields.push(name.into());
        self
    }

    /// Sets whether to change the encoding that the start of each input declares to the target encoding:
    /// in the XML declaration, in a `meta` element of HTML, and in comments for Python, Emacs and Vim.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::from_labels("latin1", "utf-8")?.fix_declaration(true);
    /// let xml = b"<?xml version='1.0' encoding='ISO-8859-1'?>";
    /// assert_eq!(options.transcode(xml)?, b"<?xml version='1.0' encoding='UTF-8'?>");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn fix_declaration(mut self, fix_declaration: bool) -> TranscodeOptions {
        self.fix_declaration = fix_declaration;
        self
    }

    /// Sets the number of bytes to convert at a time, clamped to 1 to
    /// [`MAX_BUFFER_SIZE`](TranscodeOptions::MAX_BUFFER_SIZE). Results do not depend on it.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::new(charpipe::UTF_8, charpipe::UTF_16LE);
    /// assert_eq!(options.buffer_size(1).transcode(b"ab")?, b"a\0b\0");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[must_use]
    pub fn buffer_size(mut self, bytes: usize) -> TranscodeOptions {
        self.buffer_size = bytes;
        self
    }

    /// Converts a slice.
    ///
    /// ```
    /// let options = charpipe::TranscodeOptions::new(charpipe::KOI8_R, charpipe::UTF_8);
    /// assert_eq!(options.transcode(b"\xED\xC9\xD2")?, "Мир".as_bytes());
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](TranscodeOptions::build), and [`Error::Conversion`] for an error under the action
    /// [`Stop`](ErrorAction::Stop).
    pub fn transcode(&self, input: &[u8]) -> Result<Vec<u8>, Error> {
        io::transcode_slice(self, input)
    }

    /// Builds a transcoder with these options.
    ///
    /// ```
    /// use charpipe::{ErrorAction, TranscodeOptions};
    ///
    /// let options = TranscodeOptions::new(charpipe::UTF_8, charpipe::US_ASCII);
    /// assert!(options.build().is_ok());
    /// let options = options.on_unmappable(ErrorAction::Replace(Some("¿".to_owned())));
    /// assert!(options.build().is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`Error::UnmappableReplacement`] if an error action could write text that the target
    /// encoding does not have, or if it has no byte order mark to add; [`Error::InvalidEncodingList`] if
    /// the target is a list of encodings;
    /// [`Error::UnsupportedPassThrough`] or [`Error::UnmappablePassThrough`] if input cannot be passed
    /// through; [`Error::UnsupportedHeaderMode`] if the encodings do not allow to convert only headers;
    /// [`Error::InvalidChain`] for a header field that cannot be selected, or if there are more than 32 steps
    /// between the source and the target encoding.
    pub fn build(&self) -> Result<Transcoder, Error> {
        self.check_step_count()?;
        self.check_targets()?;
        if self.headers_only && !self.supports_headers_only() {
            let (from, to) = (self.from.encoding.name(), self.to.encoding.name());
            return Err(Error::UnsupportedHeaderMode { from, to });
        }
        if let Some(name) = self.header_fields.first() {
            let is_valid = |name: &String| {
                let is_name_char = |byte| matches!(byte, b'!'..=b'9' | b';'..=b'~');
                (1..=MAX_FIELD_NAME).contains(&name.len()) && name.bytes().all(is_name_char)
            };
            if let Some(name) = self.header_fields.iter().find(|name| !is_valid(name)) {
                let reason = "this is not the name of a header field";
                return Err(Error::InvalidChain { step: format!("{name:?}"), reason });
            }
            if !self.from.is_ascii_compatible() {
                let reason = "header fields can be selected only in an ASCII-compatible encoding";
                return Err(Error::InvalidChain { step: name.clone(), reason });
            }
        }
        // Creating an encoder may build tables, so the checks and the transcoder share one.
        let mut targets = self.target_encoders();
        let ErrorPolicy { malformed, unmappable } = &self.error_policy;
        if unmappable.is_for_bytes_only() {
            return Err(Error::UnmappablePassThrough);
        }
        if *malformed == ErrorAction::PassThrough {
            if !self.has_text_transforms_only() {
                return Err(Error::InvalidChain {
                    step: malformed.to_string(),
                    reason: "bytes cannot be written unchanged through other encodings or transforms of \
                             bytes; use keep-text, replace or skip",
                });
            }
            if !self.to.allows_raw_bytes() {
                return Err(Error::UnsupportedPassThrough { to: self.to.encoding.name() });
            }
        }
        for action in [malformed, unmappable] {
            targets.check(action.repertoire(), action)?;
        }
        if self.bom == BomPolicy::Add {
            // Otherwise it would be an error at byte 0 of an input that does not contain it.
            targets.check(BOM, &"adding a byte order mark")?;
        }
        let replacements = self.replacement_texts(&mut targets)?;
        Ok(Transcoder::new(self, targets.main, replacements))
    }

    /// Returns an encoder of the target encoding, and what to write for errors.
    pub fn encoder_and_replacer(&self) -> Result<(Box<dyn EncodeStage>, Replacer), Error> {
        let mut targets = self.target_encoders();
        let texts = self.replacement_texts(&mut targets)?;
        let mut encoder = targets.main;
        encoder.restore_state(State::INITIAL);
        Ok((encoder, Replacer::new(self.error_policy.clone(), texts)))
    }

    /// Returns what error actions write.
    fn replacement_texts(&self, targets: &mut TargetEncoders) -> Result<ReplacementTexts, Error> {
        let missing = self.translit_rules.as_ref().and_then(|rules| rules.missing);
        let mut has_all = |text: &str| targets.first_unmappable(text).is_none();
        // To try it takes longer than the rest of opening a conversion that stops at errors.
        let default_replacement = match self.error_policy.writes_text() {
            true => missing
                .filter(|text| has_all(text))
                .unwrap_or_else(|| encoder::default_replacement(self.to.encoding, has_all)),
            false => "",
        };
        let transliterates = self.error_policy.unmappable == ErrorAction::Transliterate;
        // In headers a character may be unmappable because no encoded-word is allowed there.
        let ascii_only = header::is_header(self.to.encoding);
        let transliterator = transliterates.then(|| {
            TargetTransliterator::new(self.to.encoding, self.to.options.clone(), ascii_only)
        });
        let transliterator = match self.translit_rules.as_ref().and_then(|rules| rules.table) {
            Some(table) => transliterator.map(|default| default.with_table(table)),
            None => transliterator,
        };
        let untransliterable =
            self.translit_rules.as_ref().and_then(|rules| rules.untransliterable.clone());
        if let Some(action) = &untransliterable {
            targets.check(action.repertoire(), action)?;
        }
        Ok(ReplacementTexts { default_replacement, transliterator, untransliterable })
    }

    /// Returns an error if there are too many steps.
    fn check_step_count(&self) -> Result<(), Error> {
        let steps: usize = self.via.iter().map(ChainStep::step_count).sum();
        let count = self.from.transforms.len() + steps + self.to.transforms.len();
        let last_transform = self.to.transforms.last().or(self.from.transforms.last());
        match (self.via.last(), last_transform) {
            (Some(step), _) => chain_spec::check_step_count(count, step),
            (None, Some(step)) => chain_spec::check_step_count(count, step),
            (None, None) => Ok(()),
        }
    }

    /// Returns an error if text is to be encoded in a list of encodings.
    fn check_targets(&self) -> Result<(), Error> {
        let steps = self.via.iter().filter_map(|step| Some(step.encodings()?.0));
        match steps.chain([&self.to]).find(|spec| spec.encoding.factory.list().is_some()) {
            Some(spec) => Err(Error::InvalidEncodingList {
                encoding: spec.to_string(),
                reason: "only the input can be in several encodings; name one of them here",
            }),
            None => Ok(()),
        }
    }

    /// Returns whether one encoding is RFC 2047 and both are ASCII-compatible.
    fn supports_headers_only(&self) -> bool {
        let specs = [&self.from, &self.to];
        specs.iter().any(|spec| header::is_header(spec.encoding))
            && specs.iter().all(|spec| spec.is_ascii_compatible())
    }

    /// Returns the encoders through which a replacement passes.
    fn target_encoders(&self) -> TargetEncoders {
        let encoder = |spec: &EncodingSpec| spec.encoding.encoder(&spec.options);
        let mut others = Vec::new();
        let mut needs_latin1 =
            [&self.from, &self.to].iter().any(|it| it.has_text_transform_of_bytes());
        for step in &self.via {
            if let Some((encode, decode)) = step.encodings() {
                others.push((encode.encoding.name(), encoder(encode)));
                needs_latin1 |= [encode, decode].iter().any(|it| it.has_text_transform_of_bytes());
            }
        }
        if needs_latin1 {
            // A transform of text between bytes works on ISO-8859-1.
            let latin1 = EncodingSpec::from(charpipe_encoding::ISO_8859_1);
            others.push((latin1.encoding.name(), encoder(&latin1)));
        }
        TargetEncoders { name: self.to.encoding.name(), main: encoder(&self.to), others }
    }

    /// Returns the codec of a conversion that only applies one transform to UTF-8, and stops at an error.
    pub(crate) fn only_text_transform(&self) -> Option<Box<dyn TextTransform>> {
        let is_plain =
            |spec: &EncodingSpec| encoding::is_utf8(spec.encoding) && spec.options.is_empty();
        let ErrorPolicy { malformed, unmappable } = &self.error_policy;
        let is_default = self.fast_paths
            && self.bom == BomPolicy::Default
            && [malformed, unmappable].iter().all(|action| **action == ErrorAction::Stop)
            && !self.headers_only
            && self.header_fields.is_empty()
            && !self.fix_declaration;
        if !is_default || ![&self.from, &self.to].iter().all(|spec| is_plain(spec)) {
            return None;
        }
        let (spec, direction) =
            match (&self.from.transforms[..], &self.via[..], &self.to.transforms[..]) {
                ([spec], [], []) => (spec, Direction::Decode),
                ([], [ChainStep::Transform(spec, direction)], []) => (spec, *direction),
                ([], [], [spec]) => (spec, Direction::Encode),
                _ => return None,
            };
        match (spec.transform.codecs, direction) {
            (TransformCodecs::Text { decoder: Some(decoder), .. }, Direction::Decode) => {
                Some(decoder(&spec.options))
            }
            (TransformCodecs::Text { encoder, .. }, _) => Some(encoder(&spec.options)),
            (TransformCodecs::Bytes { .. }, _) => None,
        }
    }

    /// Returns whether all steps except the decoder and the encoder are transforms of text.
    fn has_text_transforms_only(&self) -> bool {
        !self.from.has_byte_transforms()
            && !self.to.has_byte_transforms()
            && self.via.iter().all(|step| matches!(step, ChainStep::Transform(..)))
    }
}

/// The encoders through which a replacement passes.
struct TargetEncoders {
    name: &'static str,
    main: Box<dyn EncodeStage>,
    others: Vec<(&'static str, Box<dyn EncodeStage>)>,
}

impl TargetEncoders {
    /// Returns the first character that an encoding does not have, and the encoding.
    fn first_unmappable(&mut self, text: &str) -> Option<(char, &'static str)> {
        let main = encoder::first_unmappable(&mut *self.main, text);
        main.map(|character| (character, self.name)).or_else(|| {
            self.others.iter_mut().find_map(|(name, encoder)| {
                Some((encoder::first_unmappable(&mut **encoder, text)?, *name))
            })
        })
    }

    /// Returns an error if an encoding does not have all characters of `text`.
    fn check(&mut self, text: &str, action: &dyn fmt::Display) -> Result<(), Error> {
        match self.first_unmappable(text) {
            None => Ok(()),
            Some((character, encoding)) => Err(Error::UnmappableReplacement {
                character,
                action: action.to_string(),
                encoding,
            }),
        }
    }
}

impl EncodingSpec {
    /// Returns the encoding, without its options.
    ///
    /// ```
    /// let spec: charpipe::EncodingSpec = "utf-7:close=always".parse()?;
    /// assert_eq!(spec.encoding(), charpipe::UTF_7);
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Returns where a file can be split, as [`Encoding::split_rule`], with the options of the encoding. What
    /// has transforms cannot be split.
    ///
    /// ```
    /// let rule = |label: &str| Ok::<_, charpipe::Error>(label.parse::<charpipe::EncodingSpec>()?.split_rule());
    /// assert_eq!(rule("utf-5:eol=keep")?.source.to_string(), "after 0A");
    /// assert_eq!(rule("utf-8/base64")?.source.to_string(), "nowhere: it has transforms");
    /// # Ok::<(), charpipe::Error>(())
    /// ```
    #[doc(hidden)]
    pub fn split_rule(&self) -> SplitRule {
        if self.transforms.is_empty() {
            self.encoding.factory.split_rule(&self.options)
        } else {
            SplitRule::unsplittable("it has transforms")
        }
    }

    /// Returns whether a transform between bytes follows the encoding.
    pub fn has_byte_transforms(&self) -> bool {
        self.transforms.iter().any(TransformSpec::is_for_bytes)
    }

    /// Returns whether a transform of text follows one of bytes.
    fn has_text_transform_of_bytes(&self) -> bool {
        self.transforms
            .iter()
            .skip_while(|spec| !spec.is_for_bytes())
            .any(|spec| !spec.is_for_bytes())
    }

    /// Returns the encoding with its options alone.
    pub fn without_transforms(&self) -> EncodingSpec {
        EncodingSpec { transforms: Vec::new(), ..self.clone() }
    }

    /// Sets the option `strict`. Returns false if the encoding does not have it.
    #[doc(hidden)]
    pub fn set_strict(&mut self) -> bool {
        let strict = self.encoding.options.iter().find(|key| key.name == "strict");
        if let Some(key) = strict {
            self.options.enable(key.name);
        }
        strict.is_some()
    }

    /// Returns the codecs of the UCS-4 path, if the encoding has 31-bit values.
    pub fn ucs4_codecs(&self) -> Option<&'static Ucs4Codecs> {
        self.encoding.ucs4.as_ref().filter(|codecs| (codecs.is_enabled)(&self.options))
    }

    /// Returns the default action for malformed sequences.
    pub(crate) fn default_action(&self) -> ErrorAction {
        match (header::is_header(self.encoding), self.options.flag("strict")) {
            (false, _) => ErrorAction::Stop,
            (true, false) => ErrorAction::Replace(None),
            (true, true) => ErrorAction::PassThroughText,
        }
    }

    /// Returns whether ASCII is encoded as the same bytes.
    pub fn is_ascii_compatible(&self) -> bool {
        let mut output = [0; 256];
        *self.encode_sample(&mut output) == *ASCII_PROBE.as_bytes()
    }

    /// Returns whether arbitrary bytes may be written between two characters: the encoding is a
    /// stateless superset of ASCII, so that at most a lead byte is misread together with the next byte.
    pub(crate) fn allows_raw_bytes(&self) -> bool {
        if header::is_header(self.encoding) {
            return false;
        }
        let encode = |text: &str| {
            let mut output = [0; 64];
            let progress = self.encoding.encoder(&self.options).encode(text, &mut output, true);
            (progress.status == Status::InputEmpty).then(|| output[..progress.written].to_vec())
        };
        let is_superset =
            encode(ASCII_SUPERSET_PROBE).as_deref() == Some(ASCII_SUPERSET_PROBE.as_bytes());
        let mut samples = NON_ASCII_PROBE.chars();
        is_superset
            && samples.all(|sample| match encode(&sample.to_string()) {
                // Shift sequences start with an ASCII byte.
                Some(bytes) => {
                    bytes.first().is_some_and(|byte| !byte.is_ascii())
                        && encode(&format!("A{sample}A")) == Some([b"A", &bytes[..], b"A"].concat())
                }
                None => true,
            })
    }

    /// Returns whether encoded ASCII text contains the byte 00, as in UTF-16.
    pub fn can_contain_nul(&self) -> bool {
        self.encoding.can_contain_nul(&self.options)
    }

    /// Returns the encoded [`ASCII_PROBE`].
    fn encode_sample<'a>(&self, output: &'a mut [u8]) -> &'a [u8] {
        let progress = self.encoding.encoder(&self.options).encode(ASCII_PROBE, output, true);
        &output[..progress.written]
    }
}

impl FromStr for EncodingSpec {
    type Err = Error;

    /// Parses `NAME` or `NAME:key=value,…`, followed by any number of `/TRANSFORM`. A label that contains
    /// a colon or a slash itself takes precedence, as in `ISO_8859-1:1987`.
    ///
    /// Two or more encodings, separated by commas, are a list, from which input can be decoded. A word
    /// after a comma that is an option of the encoding before it belongs to that.
    fn from_str(label: &str) -> Result<EncodingSpec, Error> {
        chain_spec::check_transform_count(label)?;
        let error = match parse_encoding(label) {
            Ok(spec) => return Ok(spec),
            Err(error) => error,
        };
        // Text after a slash is the start of a transform, or part of the label before it.
        for (at, _) in label.rmatch_indices('/').filter(|(at, _)| *at > 0) {
            if let Ok(spec) = parse_encoding(&label[..at]) {
                let transforms: Result<Vec<_>, _> =
                    label[at + 1..].split('/').map(str::parse).collect();
                let spec = EncodingSpec { transforms: transforms?, ..spec };
                if let Some(last) = spec.transforms.last() {
                    chain_spec::check_step_count(spec.transforms.len(), last)?;
                }
                return Ok(spec);
            }
        }
        Err(error)
    }
}

/// Parses an encoding or a list of encodings, with options.
fn parse_encoding(label: &str) -> Result<EncodingSpec, Error> {
    let Some(list) = encoding_list::parse(label) else { return parse_single_encoding(label) };
    list.or_else(|error| match (parse_single_encoding(label), error) {
        (Ok(spec), _) => Ok(spec),
        // An unknown word after an option is rather a mistyped option.
        (Err(error @ Error::InvalidOption { .. }), Error::UnknownEncoding { .. }) => Err(error),
        (Err(_), error) => Err(error),
    })
}

/// Parses an encoding with its options.
pub(crate) fn parse_single_encoding(label: &str) -> Result<EncodingSpec, Error> {
    if let Some(encoding) = lookup_label(label)? {
        return Ok(encoding.into());
    }
    let colons = label.rmatch_indices(':').map(|(at, _)| at);
    let split = colons.map(|at| (&label[..at], &label[at + 1..]));
    for (name, options) in split {
        if let Some(encoding) = lookup_label(name)? {
            let options = EncodingOptions::parse(options, encoding.options)
                .map_err(|reason| Error::InvalidOption { encoding: encoding.name(), reason })?;
            return Ok(EncodingSpec { encoding, options, transforms: Vec::new() });
        }
    }
    let name =
        if encoding::has_vendor_prefix(label) { Some(label) } else { label.split(':').next() };
    let name = name.unwrap_or(label);
    Err(Error::UnknownEncoding { label: name.to_owned(), suggestions: encoding::suggest(name) })
}

/// Returns the encoding with this label, or RFC 2047, if there is one.
pub(crate) fn lookup_label(name: &str) -> Result<Option<&'static Encoding>, Error> {
    if let Some(header) = header::header_for_label(name) {
        return Ok(Some(header));
    }
    match encoding::lookup_label(name) {
        Ok(encoding) => Ok(Some(encoding)),
        Err(LookupError::Unknown) => Ok(None),
        Err(error) => Err(Error::from_lookup(name, error)),
    }
}

impl fmt::Display for EncodingSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.encoding.name(), self.options)?;
        self.transforms.iter().try_for_each(|transform| write!(f, "/{transform}"))
    }
}

impl FromStr for BomPolicy {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<BomPolicy, Self::Err> {
        match name {
            "keep" => Ok(BomPolicy::Keep),
            "strip" => Ok(BomPolicy::Strip),
            "add" => Ok(BomPolicy::Add),
            _ => Err("keep, strip or add expected"),
        }
    }
}

impl fmt::Display for BomPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BomPolicy::Default => "default",
            BomPolicy::Keep => "keep",
            BomPolicy::Strip => "strip",
            BomPolicy::Add => "add",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error_policy::FormatString;

    #[test]
    fn build_rejects_a_bom_that_is_unmappable() {
        for (to, is_unmappable) in
            [("ascii", true), ("latin1", true), ("utf-7", false), ("utf-16", false)]
        {
            let mut options = TranscodeOptions::from_labels("utf-8", to).unwrap();
            options.bom = BomPolicy::Add;
            let built = options.build().map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(built.is_err(), is_unmappable, "{to} {built:?}");
        }
    }

    #[test]
    fn formatted_replacement_is_longer_than_the_buffer() {
        let format = FormatString::parse("<%0100X>").unwrap();
        let options = TranscodeOptions::from_labels("utf-8", "ascii")
            .unwrap()
            .on_unmappable(ErrorAction::Format(format))
            .buffer_size(1);
        let expected = format!("a<{:0100X}>b", 0x20AC);
        assert_eq!(options.transcode("a€b".as_bytes()).unwrap(), expected.as_bytes());
    }

    #[test]
    fn transform_of_text_after_one_of_bytes_works_on_latin_1() {
        let options =
            TranscodeOptions::from_labels("latin1/percent:lenient/html", "utf-8").unwrap();
        assert_eq!(options.transcode(b"caf&eacute;%E9").unwrap(), "caféé".as_bytes());
    }
}
