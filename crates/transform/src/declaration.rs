//! Declarations of the encoding at the start of a text: in XML, HTML, CSS, gettext, LaTeX, mail, Perl, Python, Emacs and
//! Vim.
//!
//! They are searched in the first 1,024 bytes, and those of gettext, LaTeX, mail and Perl in the first [`MAX_LEN`], of an encoding in which the
//! declaration is ASCII:
//!
//! * the `encoding` of the XML declaration (XML 1.0, section 2.8);
//! * `<meta charset>` and `<meta http-equiv>` in HTML (HTML Standard, "prescan a byte stream"), if the
//!   text starts with `<`;
//! * `@charset "latin1";` at the start of a CSS file (CSS Syntax Module Level 3, section 3.2);
//! * the `Content-Type` in the header entry of a message catalog (GNU gettext manual, "Filling in the Header Entry");
//! * the option of the package inputenc, `\usepackage[latin1]{inputenc}`, in LaTeX (`inputenc.dtx`);
//! * the field `Content-Type: text/plain; charset=latin1` in the header of a mail or of an HTTP message (RFC 2045, section 5);
//! * the command `=encoding latin1` (perlpod) and the pragma `use encoding "latin1";` in Perl;
//! * a comment such as `# coding: latin-1` in the first two lines (PEP 263; also in Ruby);
//! * `-*- coding: latin-1 -*-` in the first line, or the second one after `#!` (The GNU Emacs Manual,
//!   "Specifying File Variables");
//! * `vim: set fileencoding=latin1:` in the first five lines (Vim's `modeline`). Those at the end of a
//!   file are ignored, because they are not known when the conversion starts.

use std::fmt;
use std::ops::Range;

use charpipe_encoding::encoding::{self, Encoding};

mod coding_line;
mod css;
mod fixer;
mod gettext;
mod html;
mod latex;
mod mail;
mod xml;

pub use fixer::DeclarationFixer;

/// The number of bytes in which the header of a message catalog, which follows the names of its authors, the packages of a
/// document in LaTeX, the header of a mail, and the declarations of Perl are searched.
pub const MAX_LEN: usize = 4096;

/// The number of bytes in which other declarations are searched, as the HTML Standard prescans them.
const PRESCAN_LEN: usize = 1024;

/// The maximum length of the name in a declaration.
pub const MAX_LABEL_LEN: usize = 64;

/// The number of declarations that are changed in a text.
const MAX_DECLARATIONS: usize = 2;

/// The syntax of a declaration.
///
/// ```
/// use charpipe::internals::detect::{DeclarationKind, detect};
///
/// let detection = detect(b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>");
/// let declaration = detection.declaration.unwrap();
/// assert_eq!(declaration.kind, DeclarationKind::Xml);
/// assert_eq!(detection.candidates[0].encoding, charpipe::ISO_8859_1);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DeclarationKind {
    /// `<?xml encoding="…"?>`.
    Xml,
    /// `<meta charset>` or `<meta http-equiv="Content-Type">`.
    Html,
    /// `@charset "…";`.
    Css,
    /// `"Content-Type: text/plain; charset=…\n"` in a message catalog.
    Gettext,
    /// `\usepackage[…]{inputenc}`.
    Latex,
    /// `Content-Type: text/plain; charset=…` in a header of a mail or of HTTP.
    Mail,
    /// `=encoding …` or `use encoding "…";` in Perl.
    Perl,
    /// A comment that starts with `#` and contains `coding:`.
    Python,
    /// `-*- coding: … -*-`.
    Emacs,
    /// `vim: set fileencoding=…:`.
    Vim,
}

impl fmt::Display for DeclarationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DeclarationKind::Xml => "XML declaration",
            DeclarationKind::Html => "HTML meta element",
            DeclarationKind::Css => "CSS charset rule",
            DeclarationKind::Gettext => "gettext header",
            DeclarationKind::Latex => "inputenc option",
            DeclarationKind::Mail => "Content-Type field",
            DeclarationKind::Perl => "Perl declaration",
            DeclarationKind::Python => "coding line",
            DeclarationKind::Emacs => "Emacs coding line",
            DeclarationKind::Vim => "Vim modeline",
        })
    }
}

/// A declaration in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundDeclaration {
    /// The syntax of the declaration.
    pub kind: DeclarationKind,
    /// Where the name is. Empty for an XML declaration without encoding: where one belongs.
    pub label: Range<usize>,
}

impl FoundDeclaration {
    fn new(kind: DeclarationKind, label: Range<usize>) -> FoundDeclaration {
        FoundDeclaration { kind, label }
    }

    /// Returns the encoding that the declaration in this text names.
    pub fn encoding(&self, text: &[u8]) -> Option<&'static Encoding> {
        encoding_for_label(self.kind, &text[self.label.clone()])
    }
}

/// Returns the declarations in the first bytes of a text, in order of precedence. A name that is not
/// that of an encoding is not a declaration.
pub fn find(text: &[u8]) -> impl Iterator<Item = FoundDeclaration> + '_ {
    let long_text = &text[..text.len().min(MAX_LEN)];
    let text = &text[..text.len().min(PRESCAN_LEN)];
    let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let mut found = [xml::find(text, start), html::find(text, start)];
    if found.iter().all(Option::is_none) {
        found = [css::find(text, start), gettext::find(long_text, start)];
    }
    if found.iter().all(Option::is_none) {
        found = [latex::find(long_text, start), mail::find(long_text, start)];
    }
    if found.iter().all(Option::is_none) {
        found = coding_line::find(text, start);
    }
    if found.iter().all(Option::is_none) {
        found[0] = coding_line::find_for_perl(long_text, start);
    }
    found.into_iter().flatten()
}

const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// Returns the encoding of a name in a declaration.
fn encoding_for_label(kind: DeclarationKind, label: &[u8]) -> Option<&'static Encoding> {
    let label = std::str::from_utf8(label).ok().filter(|label| label.len() <= MAX_LABEL_LEN)?;
    let encoding = match kind {
        DeclarationKind::Html | DeclarationKind::Css => {
            let encoding = encoding::for_label(&format!("whatwg:{label}"))?;
            match encoding.name() {
                // The bytes of the declaration are ASCII.
                "UTF-16" | "UTF-16LE" | "UTF-16BE" | "whatwg:UTF-16LE" | "whatwg:UTF-16BE" => {
                    encoding::utf8()
                }
                _ => encoding,
            }
        }
        DeclarationKind::Xml
        | DeclarationKind::Gettext
        | DeclarationKind::Mail
        | DeclarationKind::Perl
        | DeclarationKind::Python => encoding::for_label(label)?,
        DeclarationKind::Latex => latex::encoding(label)?,
        DeclarationKind::Emacs | DeclarationKind::Vim => {
            encoding::for_label(label.split_at(label.len() - line_ending_suffix_len(label)).0)?
        }
    };
    // Names such as `java` are those of escapes, and ASCII could mean something else in UTF-7.
    let has_name = mime_name(encoding).is_some();
    (has_name && !encoding.name().starts_with("UTF-7")).then_some(encoding)
}

/// Returns the length of the suffix of Emacs for line endings.
fn line_ending_suffix_len(label: &str) -> usize {
    let suffixes = ["-unix", "-dos", "-mac"];
    suffixes.into_iter().find(|suffix| label.ends_with(suffix)).map_or(0, str::len)
}

/// Returns the name of an encoding in the Encoding Standard or in MIME.
fn mime_name(encoding: &Encoding) -> Option<&'static str> {
    match encoding.name() {
        "UTF-8-SIG" => Some("UTF-8"),
        "UTF-16LE-BOM" | "UTF-16BE-BOM" => Some("UTF-16"),
        "UTF-32LE-BOM" | "UTF-32BE-BOM" => Some("UTF-32"),
        name => name.strip_prefix("whatwg:").or_else(|| encoding.mime_name()),
    }
}

/// Returns the number of bytes of the name at the start of `text`.
fn label_len(text: &[u8]) -> usize {
    let is_label = |byte: &&u8| byte.is_ascii_alphanumeric() || b"-_:.+".contains(byte);
    text.iter().take_while(is_label).count()
}

/// Returns the value of the parameter `charset` in a `Content-Type` field.
fn charset_parameter(line: &[u8]) -> Option<Range<usize>> {
    const NAME: &[u8] = b"charset=";
    let at = line.windows(NAME.len()).position(|part| part.eq_ignore_ascii_case(NAME))?;
    let is_parameter = at == 0 || matches!(line[at - 1], b';' | b' ' | b'\t');
    let label = at + NAME.len();
    let label = label + usize::from(line.get(label) == Some(&b'"'));
    is_parameter.then_some(label..label + label_len(&line[label..]))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | 0x0C | b'\r' | b' ')
}

/// Returns the number of bytes of white space at `at`.
fn space_len(text: &[u8], at: usize) -> usize {
    text[at..].iter().take_while(|byte| is_space(**byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the kinds and names of the declarations in a text.
    fn found(text: &str) -> Vec<(DeclarationKind, &str)> {
        find(text.as_bytes()).map(|found| (found.kind, &text[found.label])).collect()
    }

    #[test]
    fn xml_declarations_are_found_at_the_start() {
        use DeclarationKind::Xml;
        for (text, expected) in [
            ("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>", Some("ISO-8859-1")),
            (
                "\u{FEFF}<?xml version='1.0'\n encoding = 'koi8-r' standalone='yes' ?>",
                Some("koi8-r"),
            ),
            ("<?xml encoding='utf-8'?>", Some("utf-8")),
            ("<?xml version=\"1.0\"?>", Some("")),
            ("<?xml version=\"1.0\" encoding=\"nonsense\"?>", None),
            ("<?xml version=\"1.0\" encoding=\"utf-7\"?>", None),
            (" <?xml version=\"1.0\" encoding=\"utf-8\"?>", None),
            ("<?xml-stylesheet encoding=\"utf-8\"?>", None),
            ("<?xml version=\"1.0\" encoding=\"utf-8\"", None),
            ("<?xml version=\"1.0 encoding='utf-8'?>", None),
        ] {
            let expected: Vec<_> = expected.map(|label| (Xml, label)).into_iter().collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn html_is_scanned_as_in_the_standard() {
        use DeclarationKind::Html;
        for (text, expected) in [
            ("<!doctype html><meta charset=latin1>", Some("latin1")),
            ("<META CharSet = 'KOI8-R' />", Some("KOI8-R")),
            ("<meta http-equiv=Content-Type content='text/html; charset=sjis'>", Some("sjis")),
            ("<meta content='text/html; charset=\"sjis\"' http-equiv=content-type>", Some("sjis")),
            ("<meta content='text/html; charset=sjis'>", None),
            ("<meta charset=utf-8 content='text/html; charset=sjis'>", Some("utf-8")),
            ("<meta http-equiv=refresh content='charset=sjis'>", None),
            ("<meta charset=nonsense><meta charset=utf-8>", Some("utf-8")),
            ("<!-- <meta charset=sjis> --><meta charset=utf-8>", Some("utf-8")),
            ("<!--><meta charset=sjis>", Some("sjis")),
            ("<!-- <meta charset=sjis>", None),
            ("<a title='<meta charset=sjis>'><meta charset=utf-8>", Some("utf-8")),
            ("<metadata charset=sjis>", None),
            ("<meta/charset=sjis>", Some("sjis")),
            ("<meta name=charset charset>", None),
            ("<meta charset=sjis", None),
            ("<?php <meta charset=sjis> ?><meta charset=utf-8>", Some("utf-8")),
            ("text <meta charset=sjis>", None),
            ("<meta charset=utf-16>", Some("utf-16")),
        ] {
            let expected: Vec<_> = expected.map(|label| (Html, label)).into_iter().collect();
            assert_eq!(found(text), expected, "{text}");
        }
        let utf16 = encoding_for_label(Html, b"utf-16").map(|encoding| encoding.name());
        assert_eq!(utf16, Some("UTF-8"));
        let far = format!("<p>{}<meta charset=sjis>", " ".repeat(1010));
        assert_eq!(found(&far), []);
    }

    #[test]
    fn charset_rules_are_found_in_exactly_their_bytes() {
        for (text, expected) in [
            ("@charset \"latin1\";\na { content: \"x\" }", Some("latin1")),
            ("\u{FEFF}@charset \"UTF-8\";", Some("UTF-8")),
            ("@charset \"utf-16\";", Some("utf-16")),
            ("@charset 'latin1';", None),
            ("@charset  \"latin1\";", None),
            ("@CHARSET \"latin1\";", None),
            (" @charset \"latin1\";", None),
            ("/* a */ @charset \"latin1\";", None),
            ("@charset \"latin1\" ;", None),
            ("@charset \"latin1", None),
            ("@charset \"nonsense\";", None),
        ] {
            let expected: Vec<_> =
                expected.map(|label| (DeclarationKind::Css, label)).into_iter().collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn header_entries_of_gettext_are_found() {
        let header =
            |field: &str| format!("# A comment\n#, fuzzy\n\nmsgid \"\"\nmsgstr \"\"\n{field}\n");
        for (text, expected) in [
            (header(r#""Content-Type: text/plain; charset=ISO-8859-2\n""#), Some("ISO-8859-2")),
            (
                header(
                    r#""MIME-Version: 1.0\n"
"content-type: text/plain; charset=koi8-r\n""#,
                ),
                Some("koi8-r"),
            ),
            (
                header(r#""Content-Type: text/plain; charset=utf-8; format=flowed\n""#),
                Some("utf-8"),
            ),
            // The template of xgettext.
            (header(r#""Content-Type: text/plain; charset=CHARSET\n""#), None),
            (header(r#""Content-Type: text/plain\n""#), None),
            (header("msgid \"a\"\nmsgstr \"Content-Type: text/plain; charset=latin1\""), None),
            (header(r#""Content-Type: text/plain; charset=latin"#), None),
            (r#""Content-Type: text/plain; charset=latin1\n""#.to_owned(), None),
            (
                "msgid \"a\"\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: ; charset=latin1\"\n"
                    .to_owned(),
                None,
            ),
        ] {
            let expected: Vec<_> =
                expected.map(|label| (DeclarationKind::Gettext, label)).into_iter().collect();
            assert_eq!(found(&text), expected, "{text}");
        }
    }

    #[test]
    fn options_of_inputenc_are_found() {
        let document =
            |line: &str| format!("% A comment\n\\documentclass[a4paper]{{article}}\n{line}\n");
        for (line, expected) in [
            (r"\usepackage[latin1]{inputenc}", Some("latin1")),
            (r"  \usepackage [T1, ansinew ] {inputenc} % as on Windows", Some("ansinew")),
            (r"\usepackage[applemac]{inputenc}", Some("applemac")),
            (r"\usepackage[utf8x]{inputenc}", Some("utf8x")),
            (r"\usepackage[latin5]{inputenc}", Some("latin5")),
            (r"%\usepackage[latin1]{inputenc}", None),
            (r"x \% \usepackage[latin1]{inputenc}", None),
            (r"\usepackage[T1]{fontenc}", None),
            (r"\usepackage[nonsense]{inputenc}", None),
            (r"\usepackage{inputenc}", None),
            (r"\usepackage[latin1", None),
            ("\\begin{document}\n\\usepackage[latin1]{inputenc}", None),
        ] {
            let text = document(line);
            let expected: Vec<_> =
                expected.map(|label| (DeclarationKind::Latex, label)).into_iter().collect();
            assert_eq!(found(&text), expected, "{text}");
        }
        assert_eq!(found("\\usepackage[latin1]{inputenc}\n"), []);
        let encoding = |name: &str| {
            let text = document(&format!("\\usepackage[{name}]{{inputenc}}"));
            find(text.as_bytes()).next().and_then(|found| found.encoding(text.as_bytes()))
        };
        for (name, expected) in [
            ("latin5", "ISO-8859-9"),
            ("latin9", "ISO-8859-15"),
            ("ansinew", "CP1252"),
            ("applemac", "MACINTOSH"),
            ("iso88595", "ISO-8859-5"),
            ("utf8x", "UTF-8"),
        ] {
            assert_eq!(encoding(name).map(Encoding::name), Some(expected), "{name}");
        }
    }

    #[test]
    fn fields_of_headers_are_found() {
        for (text, expected) in [
            ("Subject: a\nContent-Type: text/plain; charset=ISO-8859-2\n\nb", Some("ISO-8859-2")),
            ("From a b\nContent-type: text/plain;\n\tcharset=\"koi8-r\"\n\nb", Some("koi8-r")),
            ("HTTP/1.1 200 OK\r\ncontent-type: text/html;charset=latin1\r\n\r\nb", Some("latin1")),
            ("Content-Type: text/plain; Charset=latin1; format=flowed", Some("latin1")),
            ("Content-Type: text/plain; charset=latin1\nX-Cut", Some("latin1")),
            ("Content-Type: text/plain; charset=latin1\nno field\n", None),
            ("Content-Type: text/plain; charset=nonsense\n\n", None),
            ("Content-Type: text/plain; x-charset=latin1\n\n", None),
            ("Content-Type: text/plain\n\nContent-Type: ; charset=latin1\n", None),
            ("Text\nContent-Type: text/plain; charset=latin1\n\n", None),
            ("Two words: a\nContent-Type: text/plain; charset=latin1\n\n", None),
            (" Content-Type: text/plain; charset=latin1\n\n", None),
            (
                "Content-Type: text/plain; charset=latin1\n\
                 Content-Transfer-Encoding: quoted-printable\n\n",
                None,
            ),
            (
                "Content-Transfer-Encoding: 8bit\nContent-Type: text/plain; charset=latin1\n\n",
                Some("latin1"),
            ),
        ] {
            let expected: Vec<_> =
                expected.map(|label| (DeclarationKind::Mail, label)).into_iter().collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn declarations_of_perl_are_found() {
        for (text, expected) in [
            ("package A;\n\n=pod\n\n=encoding latin1\n\n", Some("latin1")),
            ("#!/usr/bin/perl\nuse encoding 'euc-jp';\n", Some("euc-jp")),
            ("use encoding  \"shiftjis\", STDOUT => \"utf8\";\n", Some("shiftjis")),
            (" =encoding latin1\n", None),
            ("=encoding nonsense\n", None),
            ("=encoding latin1", None),
        ] {
            let expected: Vec<_> =
                expected.map(|label| (DeclarationKind::Perl, label)).into_iter().collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn header_entries_may_follow_4_kib_of_comments() {
        let text = |padding: usize| {
            let header =
                "msgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=koi8-r\\n\"\n";
            format!("{}{header}", "# A name\n".repeat(padding))
        };
        assert_eq!(found(&text(440)), [(DeclarationKind::Gettext, "koi8-r")]);
        assert_eq!(found(&text(455)), []);
    }

    #[test]
    fn coding_lines_are_found_in_the_first_lines() {
        use DeclarationKind::{Emacs, Python, Vim};
        for (text, expected) in [
            ("# coding: latin-1\n", Some((Python, "latin-1"))),
            ("#!/usr/bin/python\r\n# -*- coding: cp1252 -*-\r\n", Some((Python, "cp1252"))),
            ("\n  # vim: set fileencoding=koi8-r :", Some((Python, "koi8-r"))),
            ("import x\n# coding: latin-1\n", None),
            ("\n\n# coding: latin-1\n", None),
            ("x = 1 # coding: latin-1\n", None),
            ("# coding : latin-1\n", None),
            ("# coding: nonsense\n", None),
            ("# encoding: iso-8859-2\n", Some((Python, "iso-8859-2"))),
            (";; -*- mode: lisp; coding: latin-1-unix -*-\n", Some((Emacs, "latin-1-unix"))),
            ("/* -*- coding:utf-8 -*- */", Some((Emacs, "utf-8"))),
            ("/* -*- encoding: utf-8 -*- */", None),
            ("a\n/* -*- coding: utf-8 -*- */", None),
            ("#!/bin/sh\n: -*- coding: utf-8 -*-\n", Some((Emacs, "utf-8"))),
            ("a\nb\nc\nd\n\" vim: set ts=8 fenc=cp1251:\n", Some((Vim, "cp1251"))),
            ("// vi:fileencoding=cp1251\n", Some((Vim, "cp1251"))),
            ("a\nb\nc\nd\ne\n\" vim: set fenc=cp1251:\n", None),
            ("xvim: fenc=cp1251", None),
            ("vim: xfenc=cp1251", None),
        ] {
            let expected: Vec<_> = expected.into_iter().collect();
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn two_declarations_are_found() {
        use DeclarationKind::{Emacs, Html, Vim, Xml};
        let xhtml = "<?xml version='1.0' encoding='koi8-r'?><html><meta charset=latin1>";
        assert_eq!(found(xhtml), [(Xml, "koi8-r"), (Html, "latin1")]);
        let lines = "/* -*- coding: koi8-r -*- */\n/* vim: set fenc=koi8-r: */";
        assert_eq!(found(lines), [(Emacs, "koi8-r"), (Vim, "koi8-r")]);
    }

    #[test]
    fn any_prefix_can_be_searched() {
        for text in [
            "<?xml version='1.0' encoding='koi8-r'?><html><!-- a --><meta x=\"y\" charset='latin1'/>",
            "<meta http-equiv=content-type content='text/html; charset=\"sjis\"'></p><!a><?b>",
            "@charset \"latin1\";",
            "# a\nmsgid \"\"\nmsgstr \"\"\n\"Content-Type: text/plain; charset=utf-8\\n\"\n",
            "#! -*- x: y; coding: koi8-r -*- vim: set x fenc=koi8-r :\r\n# coding=utf-8",
        ] {
            for len in 0..text.len() {
                find(&text.as_bytes()[..len]).for_each(drop);
                find(&text.as_bytes()[len..]).for_each(drop);
            }
        }
    }
}
