//! The model is shown the mistakes that programs make, and finds each.

use super::disk::{Change, Disk, Entry, Image, Marks};
use super::promise::{Backup, Broken, Moment, Promise, judge};

const OLD: &[u8] = b"caf\xE9\n";
const NEW: &[u8] = "café\n".as_bytes();

/// The number of the file that is there, and of the one that takes its place.
const MENU: usize = 0;
const DRAFT: usize = 1;

fn at(name: &str) -> Entry {
    (String::new(), name.to_owned())
}

fn mode(bits: &str) -> Marks {
    Marks::from([("mode".to_owned(), bits.to_owned())])
}

fn image(bytes: &[u8]) -> Image {
    Image { bytes: bytes.to_owned(), marks: mode("640") }
}

/// What a word below stands for.
fn step(word: &str) -> Change {
    let draft = || at(".menu.charpipe-Aa0Bb1");
    match word {
        "create" => Change::Create(Some(draft()), mode("600")),
        "create-nameless" => Change::Create(None, mode("600")),
        "write" => Change::Write(DRAFT, 0, NEW.to_owned()),
        "chmod" => Change::Mark(DRAFT, "mode".to_owned(), Some("640".to_owned())),
        "sync" => Change::Sync(DRAFT),
        "sync-data" => Change::SyncData(DRAFT),
        "name" => Change::Link(DRAFT, draft()),
        "rename" => Change::Rename(draft(), at("menu")),
        "name-again" => Change::Link(DRAFT, at(".menu.charpipe-Aa0Bb2")),
        "sync-folder" => Change::SyncFolder(String::new()),
        "sync-all" => Change::SyncAll,
        "truncate-old" => Change::Truncate(MENU, 0),
        "write-old" => Change::Write(MENU, 0, NEW.to_owned()),
        "sync-old" => Change::Sync(MENU),
        "close-old" => Change::Release(MENU),
        "unlink-old" => Change::Unlink(at("menu")),
        "backup" => Change::Link(MENU, at("menu~")),
        "backup-by-rename" => Change::Rename(at("menu"), at("menu~")),
        "backup-by-copy" => Change::Create(Some(at("menu~")), mode("640")),
        other => panic!("{other}"),
    }
}

/// Goes through the steps and looks after each what might be found, and once more at the end. The
/// number of the step at which a promise is broken, and which. With a backup, there is to be one.
fn look(steps: &str, backup: bool) -> Result<(), (usize, Broken)> {
    let mut disk = Disk::default();
    disk.put(image(OLD), &[at("menu")]);
    disk.make(&Change::Hold(MENU));
    let backup = backup.then(|| Backup { path: "menu~".to_owned(), older: None });
    let (old, new) = (Some(image(OLD)), Some(image(NEW)));
    let promises = [Promise { path: "menu".to_owned(), old, new, backup }];
    let mut made = 0;
    for word in steps.split_whitespace() {
        disk.make(&step(word));
        made += 1;
        judge(&promises, &disk.found(), Moment::Running).map_err(|broken| (made, broken))?;
    }
    judge(&promises, &disk.found(), Moment::Done).map_err(|broken| (made, broken))
}

#[test]
fn nothing_is_found_in_the_right_order() {
    for (steps, backup) in [
        ("create write chmod sync rename sync-folder close-old", false),
        ("create write chmod sync rename sync-all", false),
        ("create-nameless write chmod sync name sync rename sync-folder", false),
        ("create-nameless name write chmod sync rename sync-folder", false),
        ("create write chmod sync backup sync-folder rename sync-folder", true),
        ("backup sync-folder create write chmod sync rename sync-folder", true),
    ] {
        assert_eq!(look(steps, backup), Ok(()), "{steps}");
    }
}

/// Whether this is what should be found.
type Meant = fn(&Broken) -> bool;

const GONE: Meant = |broken| *broken == Broken::Gone("menu".to_owned());
const NOT_NEW: Meant = |broken| *broken == Broken::NotNew("menu".to_owned());
const NOT_BACKED_UP: Meant = |broken| *broken == Broken::NotBackedUp("menu".to_owned());
const BAD_BACKUP: Meant = |broken| matches!(broken, Broken::BadBackup(path, _) if path == "menu~");
const LEFT_OVER: Meant = |broken| matches!(broken, Broken::LeftOver(_));
/// Neither, for its content.
const TORN: Meant = |broken| matches!(broken, Broken::Neither(_, image) if image.bytes != NEW && image.bytes != OLD);
/// Neither, for its mode alone.
const CLOSED: Meant = |broken| matches!(broken, Broken::Neither(_, image) if image.bytes == NEW && image.marks == mode("600"));

#[test]
fn a_mistake_on_the_way_to_the_new_file_is_found_at_its_step() {
    let mistakes: &[(&str, usize, Meant)] = &[
        ("create write chmod rename sync-folder", 4, GONE),
        // Too late.
        ("create write chmod rename sync sync-folder", 4, GONE),
        ("create sync write chmod rename sync sync-folder", 5, TORN),
        ("create write sync chmod rename sync-folder", 5, CLOSED),
        ("create chmod write sync-data rename sync-folder", 5, GONE),
        ("create sync write chmod sync-data rename sync-folder", 6, CLOSED),
        // A file system without a journal forgets that the file has got a name.
        ("create-nameless write chmod sync name rename sync-folder", 6, GONE),
        // The old file gives way to others before it is sure that nothing leads there.
        ("create write chmod sync rename close-old sync-folder", 6, GONE),
        // Without the folder it may be the old file for ever.
        ("create write chmod sync rename", 5, NOT_NEW),
        ("create write chmod sync rename sync", 6, NOT_NEW),
        ("create write chmod sync sync-folder rename", 6, NOT_NEW),
        // The old file is no place to write.
        ("write-old sync-old", 1, TORN),
        ("truncate-old write-old sync-old", 1, TORN),
        ("create write chmod sync unlink-old rename sync-folder", 5, GONE),
        ("sync-folder", 1, NOT_NEW),
        // A second draft, and one that nobody has taken away.
        ("create name-again", 2, LEFT_OVER),
        ("create write chmod sync rename sync-folder name-again", 7, LEFT_OVER),
    ];
    check(mistakes, false);
}

#[test]
fn a_mistake_with_the_backup_is_found_at_its_step() {
    let mistakes: &[(&str, usize, Meant)] = &[
        ("create write chmod sync backup-by-rename rename sync-folder", 5, GONE),
        // The second of two steps in a folder may be on disk before the first.
        ("create write chmod sync backup rename sync-folder", 6, NOT_BACKED_UP),
        ("create write chmod sync rename sync-folder", 5, NOT_BACKED_UP),
        ("create write chmod sync rename backup sync-folder", 5, NOT_BACKED_UP),
        ("create write chmod sync backup-by-copy", 5, BAD_BACKUP),
    ];
    check(mistakes, true);
}

fn check(mistakes: &[(&str, usize, Meant)], backup: bool) {
    for (steps, number, is_meant) in mistakes {
        let found = look(steps, backup);
        let is_found = found.as_ref().is_err_and(|(at, broken)| at == number && is_meant(broken));
        assert!(is_found, "{steps}: {found:?}");
    }
}
