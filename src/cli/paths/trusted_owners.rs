//! The owners whose files above a start directory are read.

use std::path::Path;

use crate::cli::quote::Quoted;
use crate::cli::sys::status::{FileStatus, effective_user};

/// The owners of files above a start directory that are read, as with `safe.directory` of git: the user and
/// the owner of the start directory.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TrustedOwners {
    /// None if owners are unknown to the system.
    owners: Option<[u32; 2]>,
}

impl TrustedOwners {
    /// Returns the owners for a start directory.
    pub(crate) fn of_start(start: &Path) -> TrustedOwners {
        let owner = FileStatus::at(start).ok().and_then(|status| status.owner());
        TrustedOwners { owners: effective_user().map(|user| [user, owner.unwrap_or(user)]) }
    }

    /// Returns whether a file belongs to one of them.
    pub(crate) fn own(self, status: &FileStatus) -> bool {
        match (self.owners, status.owner()) {
            (Some(owners), Some(owner)) => owners.contains(&owner),
            _ => true,
        }
    }

    /// Returns whether a file that the user may not read belongs to another user, or else what contains it,
    /// such as `.git`.
    pub(crate) fn is_private(self, path: &Path) -> bool {
        let status = path.ancestors().find_map(|path| FileStatus::at(path).ok());
        let owner = status.and_then(|status| status.owner());
        self.owners.zip(owner).is_some_and(|([user, _], owner)| owner != user)
    }

    /// Returns the message about a file of another owner.
    pub(crate) fn note(path: &Path) -> String {
        let name = Quoted::from_path(path);
        format!("{name}: ignored: it is owned by another user and above the start directory")
    }
}
