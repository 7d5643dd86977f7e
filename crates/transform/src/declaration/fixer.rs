//! The stage that changes declarations to the output encoding.

use super::{
    DeclarationKind, FoundDeclaration, MAX_DECLARATIONS, MAX_LEN, encoding_for_label, find, latex,
    line_ending_suffix_len, mime_name,
};
use charpipe_encoding::codec::{Checkpoint, Progress, State, Status, TextTransform};
use charpipe_encoding::conversion_error::Malformed;
use charpipe_encoding::encoding::Encoding;
use charpipe_kernel as kernel;

/// Changes the names in the declarations of a text to that of an encoding.
///
/// A name that denotes this encoding already is left, and everything else is copied. If the old name
/// is in lower case, so is the new one. An XML declaration without encoding gets one, unless XML
/// processors recognize the output encoding without.
#[allow(missing_debug_implementations, reason = "as the other stages")]
pub struct DeclarationFixer {
    mime: String,
    /// The name in Python, Emacs and Vim.
    lower: String,
    /// The name in gettext.
    gettext: String,
    /// The name in LaTeX, if there is one.
    latex: Option<&'static str>,
    /// Whether XML needs a declaration.
    needs_xml: bool,
    pending: Pending,
}

/// What is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Pending {
    /// The start of the text has not been examined.
    #[default]
    Unknown,
    /// The changes, each after the one before it.
    Edits([Option<Edit>; MAX_DECLARATIONS]),
}

/// The change of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edit {
    /// The number of bytes before it, or after the previous change.
    before: usize,
    /// The length of the old name.
    len: usize,
    style: Style,
}

/// How the new name is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Mime,
    /// In lower case.
    LowerMime,
    /// As in Python, Emacs and Vim.
    Lower,
    /// As in gettext, which has no other name for code pages of Windows.
    Gettext,
    /// As in LaTeX.
    Latex,
    /// As a pseudo-attribute of the XML declaration.
    XmlAttribute,
}

const STYLES: [Style; 6] = [
    Style::Mime,
    Style::LowerMime,
    Style::Lower,
    Style::Gettext,
    Style::Latex,
    Style::XmlAttribute,
];

impl DeclarationFixer {
    /// Creates a fixer for text that will be in this encoding.
    pub fn new(to: &Encoding) -> DeclarationFixer {
        let mime = mime_name(to).unwrap_or(to.name());
        let is_recognized = ["UTF-8", "US-ASCII", "UTF-16"].contains(&mime);
        DeclarationFixer {
            mime: mime.to_owned(),
            lower: language_name(&mime.to_ascii_lowercase()),
            gettext: mime.replace("windows-125", "CP125"),
            latex: latex::name_of(to),
            needs_xml: !is_recognized,
            pending: Pending::Unknown,
        }
    }

    /// Returns the changes of a text that starts so.
    fn find_edits(&self, text: &str) -> [Option<Edit>; MAX_DECLARATIONS] {
        let mut found: [Option<FoundDeclaration>; MAX_DECLARATIONS] = [None, None];
        let changed = find(text.as_bytes()).filter(|found| self.is_changed(text, found));
        for (slot, found) in found.iter_mut().zip(changed) {
            *slot = Some(found);
        }
        found.sort_by_key(|found| found.as_ref().map_or(usize::MAX, |found| found.label.start));
        let mut end = 0;
        found.map(|found| {
            let FoundDeclaration { kind, mut label } = found?;
            let old = &text[label.clone()];
            if matches!(kind, DeclarationKind::Emacs) {
                label.end -= line_ending_suffix_len(old);
            }
            let is_lower = !old.bytes().any(|byte| byte.is_ascii_uppercase());
            let style = match kind {
                DeclarationKind::Xml if label.is_empty() => Style::XmlAttribute,
                DeclarationKind::Xml
                | DeclarationKind::Html
                | DeclarationKind::Css
                | DeclarationKind::Mail
                | DeclarationKind::Perl => {
                    if is_lower {
                        Style::LowerMime
                    } else {
                        Style::Mime
                    }
                }
                DeclarationKind::Gettext => Style::Gettext,
                DeclarationKind::Latex => Style::Latex,
                DeclarationKind::Python | DeclarationKind::Emacs | DeclarationKind::Vim => {
                    Style::Lower
                }
            };
            let edit = Edit { before: label.start - end, len: label.len(), style };
            end = label.end;
            Some(edit)
        })
    }

    fn is_changed(&self, text: &str, found: &FoundDeclaration) -> bool {
        if found.label.is_empty() {
            return self.needs_xml;
        }
        // inputenc has no name for the output encoding.
        if found.kind == DeclarationKind::Latex && self.latex.is_none() {
            return false;
        }
        // In HTML and CSS the label itself counts: UTF-16 there means UTF-8.
        let label = &text.as_bytes()[found.label.clone()];
        let kind = match found.kind {
            DeclarationKind::Html | DeclarationKind::Css
                if label.to_ascii_lowercase().starts_with(b"utf-16") =>
            {
                DeclarationKind::Xml
            }
            kind => kind,
        };
        let old = encoding_for_label(kind, label).and_then(mime_name);
        old != Some(self.mime.as_str())
    }

    /// Writes the new name to the start of `dst`, if there is space for it. Returns its length.
    fn write(&self, style: Style, dst: &mut [u8]) -> Option<usize> {
        let (before, name, after) = match style {
            Style::Mime | Style::LowerMime => ("", self.mime.as_str(), ""),
            Style::Lower => ("", self.lower.as_str(), ""),
            Style::Gettext => ("", self.gettext.as_str(), ""),
            Style::Latex => ("", self.latex.unwrap_or_default(), ""),
            Style::XmlAttribute => (" encoding=\"", self.mime.as_str(), "\""),
        };
        let mut len = 0;
        for part in [before, name, after] {
            dst.get_mut(len..len + part.len())?.copy_from_slice(part.as_bytes());
            len += part.len();
        }
        if style == Style::LowerMime {
            dst[..len].make_ascii_lowercase();
        }
        Some(len)
    }
}

/// Returns the name that Python, Emacs and Vim prefer to a MIME name in lower case.
fn language_name(mime: &str) -> String {
    match (mime, mime.strip_prefix("windows-125"), mime.strip_prefix("ibm")) {
        ("iso-8859-1", ..) => "latin-1".to_owned(),
        (_, Some(number), _) => format!("cp125{number}"),
        (_, _, Some(number)) => format!("cp{number}"),
        _ => mime.to_owned(),
    }
}

const BEFORE_BITS: u32 = 13;
const LEN_BITS: u32 = 7;
const STYLE_BITS: u32 = 3;
const EDIT_BITS: u32 = 1 + BEFORE_BITS + LEN_BITS + STYLE_BITS;

impl Pending {
    fn pack(self) -> State {
        let Pending::Edits(edits) = self else { return State::INITIAL };
        let mut bits = 1;
        for (index, edit) in edits.iter().enumerate() {
            let Some(Edit { before, len, style }) = edit else { continue };
            let edit = 1
                | (*before as u64) << 1
                | (*len as u64) << (1 + BEFORE_BITS)
                | (*style as u64) << (1 + BEFORE_BITS + LEN_BITS);
            bits |= edit << (1 + EDIT_BITS * index as u32);
        }
        State::new(bits)
    }

    fn unpack(state: State) -> Pending {
        let bits = state.bits();
        if bits & 1 == 0 {
            return Pending::Unknown;
        }
        Pending::Edits(std::array::from_fn(|index| {
            let edit = bits >> (1 + EDIT_BITS * index as u32);
            let field = |shift: u32, width: u32| (edit >> shift & ((1 << width) - 1)) as usize;
            (edit & 1 == 1).then(|| Edit {
                before: field(1, BEFORE_BITS),
                len: field(1 + BEFORE_BITS, LEN_BITS),
                style: STYLES[field(1 + BEFORE_BITS + LEN_BITS, STYLE_BITS)],
            })
        }))
    }
}

impl Checkpoint for DeclarationFixer {
    fn save_state(&self) -> State {
        self.pending.pack()
    }

    fn restore_state(&mut self, state: State) {
        self.pending = Pending::unpack(state);
    }

    fn max_lookahead(&self) -> usize {
        MAX_LEN
    }
}

impl TextTransform for DeclarationFixer {
    fn transform_text(&mut self, src: &str, dst: &mut [u8], end: bool) -> Progress<Malformed> {
        let (mut read, mut written) = (0, 0);
        let mut edits = match self.pending {
            Pending::Edits(edits) => edits,
            Pending::Unknown if src.len() < MAX_LEN && !end => return Progress::input_empty(0, 0),
            Pending::Unknown => self.find_edits(src),
        };
        let status = loop {
            let before = edits[0].map_or(usize::MAX, |edit| edit.before);
            let space = dst.len() - written;
            let wanted = before.min(src.len() - read);
            let len = kernel::utf8::floor_char_boundary(&src[read..], wanted.min(space));
            dst[written..written + len].copy_from_slice(&src.as_bytes()[read..read + len]);
            (read, written) = (read + len, written + len);
            let Some(edit) = &mut edits[0] else {
                break if len < wanted { Status::OutputFull } else { Status::InputEmpty };
            };
            edit.before -= len;
            if len < wanted {
                break Status::OutputFull;
            }
            if edit.before > 0 || src.len() - read < edit.len {
                break Status::InputEmpty;
            }
            let edit = *edit;
            let Some(len) = self.write(edit.style, &mut dst[written..]) else {
                break Status::OutputFull;
            };
            (read, written) = (read + edit.len, written + len);
            edits = [edits[1], None];
        };
        if (read, written) != (0, 0) {
            self.pending = Pending::Edits(edits);
        }
        Progress { read, written, status }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use charpipe_encoding::encoding;

    /// Fixes a text in every split into two, and character by character with buffers of every size.
    fn fix(to: &str, text: &str) -> String {
        let to = encoding::for_label(to).expect("a known encoding");
        let mut codec = DeclarationFixer::new(to);
        let mut run = |cuts: &[usize], space: usize| {
            let (mut state, mut out, mut at) = (State::INITIAL, String::new(), 0);
            for cut in cuts.iter().chain([&text.len()]) {
                let end = *cut == text.len();
                let mut space = space;
                loop {
                    codec.restore_state(state);
                    assert_eq!(codec.save_state(), state, "{text}");
                    let mut dst = vec![0; space];
                    let Progress { read, written, status } =
                        codec.transform_text(&text[at..*cut], &mut dst, end);
                    assert!((read, written) != (0, 0) || codec.save_state() == state);
                    state = codec.save_state();
                    out += std::str::from_utf8(&dst[..written]).expect("whole characters");
                    at += read;
                    if status == Status::InputEmpty {
                        break;
                    }
                    assert!((read, written) != (0, 0) || space < MAX_LEN, "{text}: stuck");
                    space += usize::from((read, written) == (0, 0));
                }
                assert!(cut - at <= if end { 0 } else { MAX_LEN }, "{text}");
            }
            out
        };
        let whole = run(&[], text.len() + 100);
        let (step, spaces) = match text.len() {
            ..300 => (1, &[0, 1, 2, 10, 100][..]),
            _ => (97, &[1000][..]),
        };
        let positions = (0..text.len()).step_by(step);
        let cuts: Vec<usize> = positions.filter(|at| text.is_char_boundary(*at)).collect();
        for &space in spaces {
            assert_eq!(run(&[], space), whole);
            assert_eq!(run(&cuts, space), whole);
        }
        for cut in cuts {
            assert_eq!(run(&[cut], 2000), whole);
        }
        whole
    }

    #[test]
    fn only_the_name_changes() {
        for (to, text, expected) in [
            (
                "utf-8",
                "<?xml version='1.0' encoding='ISO-8859-1' ?>é",
                "<?xml version='1.0' encoding='UTF-8' ?>é",
            ),
            ("cp1252", "<?xml encoding=\"utf-8\"?>", "<?xml encoding=\"windows-1252\"?>"),
            ("utf-16", "\u{FEFF}<?xml encoding=\"UTF-8\"?>", "\u{FEFF}<?xml encoding=\"UTF-16\"?>"),
            (
                "latin1",
                "<?xml version=\"1.0\"?>\n",
                "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n",
            ),
            ("utf-8", "<?xml version=\"1.0\"?>\n", "<?xml version=\"1.0\"?>\n"),
            ("utf-8", "<p><meta charset=latin1>é", "<p><meta charset=utf-8>é"),
            (
                "utf-8",
                "<meta http-equiv=content-type content='text/html; charset=ISO-8859-1'>",
                "<meta http-equiv=content-type content='text/html; charset=UTF-8'>",
            ),
            ("utf-8", "<meta charset=utf-16>", "<meta charset=utf-8>"),
            ("whatwg:windows-1252", "<meta charset='UTF-8'>", "<meta charset='windows-1252'>"),
            (
                "utf-8",
                "<?xml version='1.0' encoding='KOI8-R'?><meta charset=koi8-r>",
                "<?xml version='1.0' encoding='UTF-8'?><meta charset=utf-8>",
            ),
            ("latin1", "#!x\n# -*- coding: utf-8 -*-\n", "#!x\n# -*- coding: latin-1 -*-\n"),
            ("cp1252", "# coding=UTF8\n", "# coding=cp1252\n"),
            ("ibm850", "# coding=UTF8\n", "# coding=cp850\n"),
            (
                "utf-8",
                ";; -*- coding: latin-1-unix; mode: x -*-\n",
                ";; -*- coding: utf-8-unix; mode: x -*-\n",
            ),
            ("utf-8", "é\n// vim: fenc=latin1 ts=8\n", "é\n// vim: fenc=utf-8 ts=8\n"),
            // Other names of the same encoding.
            ("utf-8", "# coding: utf8\n", "# coding: utf8\n"),
            ("utf-8", "@charset \"latin1\";\né", "@charset \"utf-8\";\né"),
            ("cp1252", "@charset \"UTF-8\";", "@charset \"windows-1252\";"),
            ("latin1", "@charset \"windows-1252\";", "@charset \"iso-8859-1\";"),
            (
                "utf-8",
                "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=iso-8859-2\\n\"\n",
                "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n",
            ),
            (
                "cp1250",
                "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=UTF-8\\n\"\n",
                "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=CP1250\\n\"\n",
            ),
            ("latin1", "# coding: L1\n", "# coding: L1\n"),
            ("utf-8", "é no declaration\n", "é no declaration\n"),
            ("utf-8", "", ""),
        ] {
            assert_eq!(fix(to, text), expected, "{to}");
        }
    }

    #[test]
    fn only_the_start_is_examined() {
        for (padding, is_changed) in [(1000, true), (1010, false), (2000, false)] {
            let text = format!("<p>{}<meta charset=koi8-r>", "é".repeat(padding / 2));
            let expected = if is_changed { text.replace("koi8-r", "utf-8") } else { text.clone() };
            assert!(fix("utf-8", &text) == expected, "{padding}");
        }
    }
}
