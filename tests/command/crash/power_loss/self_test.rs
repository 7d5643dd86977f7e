//! The model is shown the mistakes that programs make, and finds each.

use super::disk_model::{DirectoryEntry, DiskChange, DiskModel, FileImage, FileMetadata};
use super::invariants::{BackupInvariant, CrashMoment, FileInvariant, Violation, check_invariants};

const OLD: &[u8] = b"caf\xE9\n";
const NEW: &[u8] = "café\n".as_bytes();

/// The number of the file that is there, and of the one that takes its position.
const MENU: usize = 0;
const TEMPORARY: usize = 1;

fn at(name: &str) -> DirectoryEntry {
    (String::new(), name.to_owned())
}

fn mode(bits: &str) -> FileMetadata {
    FileMetadata::from([("mode".to_owned(), bits.to_owned())])
}

fn image(bytes: &[u8]) -> FileImage {
    FileImage { bytes: bytes.to_owned(), metadata: mode("640") }
}

/// The meaning of a word below.
fn step(word: &str) -> DiskChange {
    let temporary = || at(".menu.charpipe-Aa0Bb1");
    match word {
        "create" => DiskChange::Create(Some(temporary()), mode("600")),
        "create-nameless" => DiskChange::Create(None, mode("600")),
        "write" => DiskChange::Write(TEMPORARY, 0, NEW.to_owned()),
        "chmod" => DiskChange::SetMetadata(TEMPORARY, "mode".to_owned(), Some("640".to_owned())),
        "sync" => DiskChange::Sync(TEMPORARY),
        "sync-data" => DiskChange::SyncData(TEMPORARY),
        "name" => DiskChange::Link(TEMPORARY, temporary()),
        "rename" => DiskChange::Rename(temporary(), at("menu")),
        "name-again" => DiskChange::Link(TEMPORARY, at(".menu.charpipe-Aa0Bb2")),
        "sync-directory" => DiskChange::SyncDirectory(String::new()),
        "sync-all" => DiskChange::SyncAll,
        "truncate-old" => DiskChange::Truncate(MENU, 0),
        "write-old" => DiskChange::Write(MENU, 0, NEW.to_owned()),
        "sync-old" => DiskChange::Sync(MENU),
        "close-old" => DiskChange::Close(MENU),
        "unlink-old" => DiskChange::Unlink(at("menu")),
        "backup" => DiskChange::Link(MENU, at("menu~")),
        "backup-by-rename" => DiskChange::Rename(at("menu"), at("menu~")),
        "backup-by-copy" => DiskChange::Create(Some(at("menu~")), mode("640")),
        other => panic!("{other}"),
    }
}

/// Goes through the steps and looks after each what might be found, and once more at the end. The
/// number of the step at which a promise is broken, and which. With a backup, there is to be one.
fn check_state(steps: &str, backup: bool) -> Result<(), (usize, Violation)> {
    let mut disk = DiskModel::default();
    disk.add_file(image(OLD), &[at("menu")]);
    disk.apply(&DiskChange::Open(MENU));
    let backup = backup.then(|| BackupInvariant { path: "menu~".to_owned(), previous: None });
    let (old, new) = (Some(image(OLD)), Some(image(NEW)));
    let promises = [FileInvariant { path: "menu".to_owned(), old, new, backup }];
    let mut made = 0;
    for word in steps.split_whitespace() {
        disk.apply(&step(word));
        made += 1;
        check_invariants(&promises, &disk.possible_trees(), CrashMoment::Running)
            .map_err(|broken| (made, broken))?;
    }
    check_invariants(&promises, &disk.possible_trees(), CrashMoment::Done)
        .map_err(|broken| (made, broken))
}

#[test]
fn correct_order_violates_no_invariant() {
    for (steps, backup) in [
        ("create write chmod sync rename sync-directory close-old", false),
        ("create write chmod sync rename sync-all", false),
        ("create-nameless write chmod sync name sync rename sync-directory", false),
        ("create-nameless name write chmod sync rename sync-directory", false),
        ("create write chmod sync backup sync-directory rename sync-directory", true),
        ("backup sync-directory create write chmod sync rename sync-directory", true),
    ] {
        assert_eq!(check_state(steps, backup), Ok(()), "{steps}");
    }
}

/// Whether this is what should be found.
type ExpectedViolation = fn(&Violation) -> bool;

const GONE: ExpectedViolation = |broken| *broken == Violation::Missing("menu".to_owned());
const NOT_NEW: ExpectedViolation = |broken| *broken == Violation::NotNew("menu".to_owned());
const NOT_BACKED_UP: ExpectedViolation =
    |broken| *broken == Violation::NotBackedUp("menu".to_owned());
const INVALID_BACKUP: ExpectedViolation =
    |broken| matches!(broken, Violation::InvalidBackup(path, _) if path == "menu~");
const LEFTOVER: ExpectedViolation = |broken| matches!(broken, Violation::Leftover(_));
/// Neither, for its content.
const TORN: ExpectedViolation = |broken| matches!(broken, Violation::Neither(_, image) if image.bytes != NEW && image.bytes != OLD);
/// Neither, for its mode alone.
const CLOSED: ExpectedViolation = |broken| matches!(broken, Violation::Neither(_, image) if image.bytes == NEW && image.metadata == mode("600"));

#[test]
fn mistakes_in_the_replacement_are_found_at_their_step() {
    let mistakes: &[(&str, usize, ExpectedViolation)] = &[
        ("create write chmod rename sync-directory", 4, GONE),
        // Too late.
        ("create write chmod rename sync sync-directory", 4, GONE),
        ("create sync write chmod rename sync sync-directory", 5, TORN),
        ("create write sync chmod rename sync-directory", 5, CLOSED),
        ("create chmod write sync-data rename sync-directory", 5, GONE),
        ("create sync write chmod sync-data rename sync-directory", 6, CLOSED),
        // A file system without a journal forgets that the file has got a name.
        ("create-nameless write chmod sync name rename sync-directory", 6, GONE),
        // The old file gives way to others before it is sure that nothing leads there.
        ("create write chmod sync rename close-old sync-directory", 6, GONE),
        // Without the directory it may be the old file for ever.
        ("create write chmod sync rename", 5, NOT_NEW),
        ("create write chmod sync rename sync", 6, NOT_NEW),
        ("create write chmod sync sync-directory rename", 6, NOT_NEW),
        // The old file must not be written.
        ("write-old sync-old", 1, TORN),
        ("truncate-old write-old sync-old", 1, TORN),
        ("create write chmod sync unlink-old rename sync-directory", 5, GONE),
        ("sync-directory", 1, NOT_NEW),
        // A second temporary file, and one that is not removed.
        ("create name-again", 2, LEFTOVER),
        ("create write chmod sync rename sync-directory name-again", 7, LEFTOVER),
    ];
    check_mistakes(mistakes, false);
}

#[test]
fn mistakes_with_the_backup_are_found_at_their_step() {
    let mistakes: &[(&str, usize, ExpectedViolation)] = &[
        ("create write chmod sync backup-by-rename rename sync-directory", 5, GONE),
        // The second of two steps in a directory may be on disk before the first.
        ("create write chmod sync backup rename sync-directory", 6, NOT_BACKED_UP),
        ("create write chmod sync rename sync-directory", 5, NOT_BACKED_UP),
        ("create write chmod sync rename backup sync-directory", 5, NOT_BACKED_UP),
        ("create write chmod sync backup-by-copy", 5, INVALID_BACKUP),
    ];
    check_mistakes(mistakes, true);
}

fn check_mistakes(mistakes: &[(&str, usize, ExpectedViolation)], backup: bool) {
    for (steps, number, is_meant) in mistakes {
        let found = check_state(steps, backup);
        let is_found = found.as_ref().is_err_and(|(at, broken)| at == number && is_meant(broken));
        assert!(is_found, "{steps}: {found:?}");
    }
}

#[test]
fn new_directory_may_be_missing_until_its_parent_is_synced() {
    let mut disk = DiskModel::default();
    let missing = |disk: &DiskModel| disk.possible_trees().iter().any(|tree| tree.is_empty());
    for (directory, name) in [("", "a"), ("a", "b")] {
        disk.apply(&DiskChange::CreateDirectory((directory.to_owned(), name.to_owned())));
    }
    disk.add_file(image(NEW), &[("a/b".to_owned(), "menu".to_owned())]);
    assert!(missing(&disk));
    disk.apply(&DiskChange::SyncDirectory("a".to_owned()));
    assert!(missing(&disk));
    disk.apply(&DiskChange::SyncDirectory(String::new()));
    assert!(!missing(&disk));
}
