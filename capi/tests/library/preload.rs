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
/// Compares standard output and the files. The loader must bind `iconv_open` of `caller`, the start of the name
/// of the program or of the shared object that calls it, to this library.
#[track_caller]
fn compare(program: &str, caller: &str, script: &str, files: &[(&str, &[u8])]) {
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
        if is_preloaded {
            let bound = bindings(traces.path(), caller);
            let is_library = |target: &String| target == LIBRARY;
            assert!(
                !bound.is_empty() && bound.iter().all(is_library),
                "{program}: iconv_open of {caller} is bound to {bound:?}"
            );
        }
        (stdout, contents(directory.path()))
    };
    let (expected, actual) = (run(false), run(true));
    assert!(!expected.0.is_empty(), "{program} wrote nothing");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&actual.0), text(&expected.0), "{program}");
    assert!(actual == expected, "{program}: the files differ");
}

/// The file name of this library.
const LIBRARY: &str = "libcharpipe_capi.so";

/// Returns the names of the files that the loader has bound `iconv_open` of `caller` to.
fn bindings(traces: &Path, caller: &str) -> Vec<String> {
    let target_of = |line: &str| {
        let (_, binding) = line.split_once("binding file ")?;
        let (objects, symbol) = binding.split_once(": normal symbol ")?;
        let (source, target) = objects.split_once(" to ")?;
        let file_name = |path: &str| {
            let path = path.split(" [").next().unwrap_or(path);
            Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned())
        };
        let is_of_caller = symbol.starts_with("`iconv_open'")
            && file_name(source).is_some_and(|name| name.starts_with(caller));
        is_of_caller.then(|| file_name(target)).flatten()
    };
    let traces =
        fs::read_dir(traces).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    let lines = traces.map(|trace| String::from_utf8_lossy(&trace).into_owned());
    lines.flat_map(|text| text.lines().filter_map(target_of).collect::<Vec<_>>()).collect()
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
    compare("git", "git", script, &[("message", message), ("a.txt", text)]);
}

#[test]
fn gettext_converts_messages() {
    let script = "msgconv -t EUC-JP a.po; msgconv -t Shift_JIS a.po; msgconv -t GB18030 a.po";
    compare(
        "msgconv",
        "libgettextsrc",
        &format!("({script}) | od -An -tx1"),
        &[("a.po", MESSAGES.as_bytes())],
    );
}

#[test]
fn vim_converts_files() {
    let commands =
        "vim -u NONE -es -c 'set enc=utf-8' -c 'e ++enc=euc-jp in' -c 'w! ++enc=utf-8 one' \
                    -c 'w! ++enc=cp1251 two' -c 'w! ++enc=gb18030 three' -c qa </dev/null || true
                    od -An -tx1 one; od -An -tx1 three";
    compare("vim", "vim", commands, &[("in", b"\xC6\xFC\xCB\xDC\xB8\xEC\nabc\n")]);
}

#[test]
fn groff_reads_pages() {
    compare(
        "preconv",
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
    compare("mutt", "mutt", script, &[("box", mail)]);
}

#[test]
fn libxml2_reads_documents() {
    let script =
        "for name in Shift_JIS UTF-16LE KOI8-R; do xmllint --encode $name in | od -An -tx1; done
                  xmllint --xpath 'string(/a)' in";
    // "日本語" in EUC-JP, for which libxml2 calls iconv.
    let document =
        b"<?xml version=\"1.0\" encoding=\"EUC-JP\"?>\n<a>\xC6\xFC\xCB\xDC\xB8\xEC</a>\n";
    compare("xmllint", "libxml2.so", script, &[("in", document)]);
}

/// PHP loads its extension with `RTLD_DEEPBIND`, which binds it to the C library whatever is preloaded. If a
/// version does not, `docs/c-api.md` is wrong.
#[test]
fn php_loads_its_extension_past_the_library() {
    if !has("php") {
        return;
    }
    let traces = tempfile::tempdir().unwrap();
    let mut php = Command::new("php");
    php.args([
        "-r",
        "echo function_exists('iconv') ? bin2hex(iconv('UTF-8', 'EUC-JP', '日')) : '';",
    ]);
    php.env("LD_PRELOAD", shared_library()).env("LD_DEBUG", "bindings");
    php.env("LD_DEBUG_OUTPUT", traces.path().join("trace"));
    output_of(&mut php);
    let bound = bindings(traces.path(), "iconv.so");
    if bound.is_empty() {
        return charpipe_test_support::missing("the shared extension iconv of php");
    }
    assert!(bound.iter().all(|target| target.starts_with("libc.so")), "{bound:?}");
}

#[test]
fn bsdtar_converts_file_names() {
    let script = "echo x >café; touch -d @0 café
                  bsdtar --format ustar --options hdrcharset=ISO-8859-1 -cf b.tar café
                  head -c 6 b.tar | od -An -tx1; bsdtar --options hdrcharset=ISO-8859-1 -tf b.tar";
    compare("bsdtar", "libarchive.so", script, &[]);
}
