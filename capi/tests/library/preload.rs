//! Existing programs with the library in `LD_PRELOAD` have the same output as with the C library. Needs
//! the feature `posix-names`. Programs that are not installed are skipped.

#![cfg(all(feature = "posix-names", target_os = "linux", target_env = "gnu"))]

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::{has, output_of, shared_library};

/// "café, naïve" in a file of messages.
const MESSAGES: &str = "\
msgid \"\"
msgstr \"Content-Type: text/plain; charset=UTF-8\\n\"

msgid \"yes\"
msgstr \"日本語 はい\"
";

/// Runs the commands of `script` in a shell, in two directories: with the C library, and with this one.
/// Compares standard output and the files. `program` must call `iconv_open` through its shared symbol.
#[track_caller]
fn compare(program: &str, script: &str, files: &[(&str, &[u8])]) {
    if !has(program) {
        return;
    }
    let run = |is_preloaded: bool| {
        let directory = tempfile::tempdir().unwrap();
        for (name, content) in files {
            fs::write(directory.path().join(name), content).unwrap();
        }
        let traces = tempfile::tempdir().unwrap();
        let mut shell = Command::new("sh");
        shell.args(["-e", "-c", script]).current_dir(directory.path());
        shell.env("LC_ALL", "C.UTF-8").env("HOME", directory.path());
        if is_preloaded {
            shell.env("LD_PRELOAD", shared_library());
            shell.env("LD_DEBUG", "bindings");
            shell.env("LD_DEBUG_OUTPUT", traces.path().join("trace"));
        }
        let stdout = output_of(&mut shell);
        assert!(!is_preloaded || is_bound(traces.path()), "{program} does not call the library");
        (stdout, contents(directory.path()))
    };
    let (expected, actual) = (run(false), run(true));
    assert!(!expected.0.is_empty(), "{program} wrote nothing");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&actual.0), text(&expected.0), "{program}");
    assert!(actual == expected, "{program}: the files differ");
}

/// Returns whether the loader has bound `iconv_open` to the library.
fn is_bound(traces: &Path) -> bool {
    let is_binding = |line: &str| {
        line.contains("libcharpipe_capi.so [") && line.contains("normal symbol `iconv_open'")
    };
    fs::read_dir(traces).unwrap().any(|entry| {
        let trace = fs::read(entry.unwrap().path()).unwrap();
        String::from_utf8_lossy(&trace).lines().any(is_binding)
    })
}

/// Returns the files of a directory that do not start with a dot.
fn contents(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.is_file());
    let named = files.map(|path| {
        let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default().into_owned();
        (name, fs::read(path).unwrap())
    });
    let mut files: Vec<_> = named.filter(|(name, _)| !name.starts_with('.')).collect();
    files.sort();
    files
}

#[test]
fn git_converts_messages_and_files() {
    let script = "\
        export GIT_AUTHOR_DATE='2026-01-02 03:04:05 +0000' GIT_COMMITTER_DATE='2026-01-02 03:04:05 +0000'
        git init -q .
        git config user.name n; git config user.email e@example.org
        git config i18n.commitEncoding EUC-JP
        echo '*.txt working-tree-encoding=UTF-16LE-BOM' >.gitattributes
        git add .
        git commit -q -F message
        git cat-file commit HEAD | od -An -tx1
        git log --encoding=Shift_JIS --format=%B | od -An -tx1
        git log --encoding=UTF-8 --format=%B
        git show HEAD:a.txt
        rm a.txt; git checkout -q -- a.txt; od -An -tx1 a.txt
        git log --encoding=ISO-2022-JP --format=%B | od -An -tx1";
    // "日本語" in EUC-JP, and "aé日" in UTF-16.
    let message = b"\xC6\xFC\xCB\xDC\xB8\xEC\n";
    let text = b"\xFF\xFEa\0\xE9\0\xE5\x65\n\0";
    compare("git", script, &[("message", message), ("a.txt", text)]);
}

#[test]
fn gettext_converts_messages() {
    let script = "msgconv -t EUC-JP a.po; msgconv -t Shift_JIS a.po; msgconv -t GB18030 a.po";
    compare("msgconv", &format!("({script}) | od -An -tx1"), &[("a.po", MESSAGES.as_bytes())]);
}

#[test]
fn vim_converts_files() {
    let commands =
        "vim -u NONE -es -c 'set enc=utf-8' -c 'e ++enc=euc-jp in' -c 'w! ++enc=utf-8 one' \
                    -c 'w! ++enc=cp1251 two' -c 'w! ++enc=gb18030 three' -c qa </dev/null || true
                    od -An -tx1 one; od -An -tx1 three";
    compare("vim", commands, &[("in", b"\xC6\xFC\xCB\xDC\xB8\xEC\nabc\n")]);
}

#[test]
fn groff_reads_pages() {
    compare(
        "preconv",
        "preconv -e EUC-JP in",
        &[("in", b"\xC6\xFC\xCB\xDC\xB8\xEC \xA1\xA1\nabc\n")],
    );
}

#[test]
fn mutt_converts_mail() {
    let mail = b"From a@example.org Fri Jan  2 03:04:05 2026\nFrom: =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?= \
                 <a@example.org>\nTo: b@example.org\nSubject: =?koi8-r?Q?=ED=C9=D2?=\nMIME-Version: 1.0\n\
                 Content-Type: text/plain; charset=windows-1251\nContent-Transfer-Encoding: 8bit\n\n\
                 \xCC\xE8\xF0 \x97 caf\xE9\n";
    // mutt needs a terminal.
    let script = "echo 'set wait_key=no pager=builtin' >rc; echo 'push <enter>' >>rc
                  { sleep 1; printf qx; sleep 1; } | TERM=xterm COLUMNS=80 LINES=24 timeout 20 \
                  script -qec 'mutt -n -F rc -R -f box' /dev/null | grep -ao '日本\\|Мир[^[:cntrl:]]*'";
    compare("mutt", script, &[("box", mail)]);
}

#[test]
fn php_converts_strings() {
    let script = r#"php -r 'foreach (["EUC-JP", "UTF-16BE", "ISO-2022-JP", "CP932"] as $to) { echo bin2hex(iconv("UTF-8", $to, "日本語")), "\n"; } echo iconv("UTF-8", "ASCII//TRANSLIT", "café €"), "\n", iconv_strlen("日本語", "UTF-8"), iconv_substr("日本語", 1, 1, "UTF-8"), var_export(@iconv("UTF-8", "ASCII", "é"), true), "\n";'"#;
    compare("php", script, &[]);
}

#[test]
fn bsdtar_converts_file_names() {
    let script = "echo x >café; touch -d @0 café
                  bsdtar --format ustar --options hdrcharset=ISO-8859-1 -cf b.tar café
                  head -c 6 b.tar | od -An -tx1; bsdtar --options hdrcharset=ISO-8859-1 -tf b.tar";
    compare("bsdtar", script, &[]);
}
