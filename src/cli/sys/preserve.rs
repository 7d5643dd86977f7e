//! The metadata that a file keeps when it is replaced.

use std::fmt;
use std::io;

/// The metadata that a new file gets from the one that it replaces; all by default. What the system does
/// not have is ignored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preserve {
    /// The user who owns the file.
    pub owner: bool,
    /// The group of the file.
    pub group: bool,
    /// The permission bits.
    pub mode: bool,
    /// The access control list. It is part of the mode, so it requires `mode`.
    pub acl: bool,
    /// Extended attributes.
    pub xattr: bool,
}

impl Default for Preserve {
    fn default() -> Preserve {
        Preserve { owner: true, group: true, mode: true, acl: true, xattr: true }
    }
}

impl Preserve {
    /// The names of the attributes, and of sets of them.
    pub const NAMES: [&str; 7] = ["owner", "group", "ownership", "mode", "acl", "xattr", "all"];

    /// Returns what is left without the attributes of these names. Unknown names are ignored.
    pub fn without<'a>(names: impl IntoIterator<Item = &'a str>) -> Preserve {
        let mut preserve = Preserve::default();
        let Preserve { owner, group, mode, acl, xattr } = &mut preserve;
        for name in names {
            let attributes: &mut [&mut bool] = match name {
                "owner" => &mut [&mut *owner],
                "group" => &mut [&mut *group],
                "ownership" => &mut [&mut *owner, &mut *group],
                "mode" => &mut [&mut *mode, &mut *acl],
                "acl" => &mut [&mut *acl],
                "xattr" => &mut [&mut *xattr],
                "all" => &mut [&mut *owner, &mut *group, &mut *mode, &mut *acl, &mut *xattr],
                _ => &mut [],
            };
            for attribute in attributes {
                **attribute = false;
            }
        }
        preserve
    }
}

/// The error for metadata that cannot be preserved.
#[derive(Debug)]
pub struct PreserveError {
    /// In words.
    attributes: &'static str,
    /// As [`Preserve::without`] accepts them, separated by commas.
    names: &'static str,
    kind: io::ErrorKind,
}

impl PreserveError {
    /// Returns the error for attributes of these names, which the system did not set for this reason.
    pub(crate) fn io_error(names: &'static str, error: &io::Error) -> io::Error {
        let attributes = match names {
            "owner,group" => "owner and group",
            "acl" => "access control list",
            "xattr" => "extended attributes",
            name => name,
        };
        let kind = error.kind();
        io::Error::new(kind, PreserveError { attributes, names, kind })
    }

    /// Returns the names of the attributes if that is the error, separated by commas.
    pub fn names_in(error: &io::Error) -> Option<&'static str> {
        let inner: &PreserveError = error.get_ref()?.downcast_ref()?;
        Some(inner.names)
    }
}

impl fmt::Display for PreserveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot preserve {}: {}", self.attributes, self.kind)
    }
}

impl std::error::Error for PreserveError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_remove_attributes() {
        let all = Preserve::default();
        assert_eq!(Preserve::without([]), all);
        for (names, expected) in [
            (&["owner"][..], Preserve { owner: false, ..all }),
            (&["owner", "group"], Preserve { owner: false, group: false, ..all }),
            (&["ownership"], Preserve { owner: false, group: false, ..all }),
            // The list contains the permissions.
            (&["mode"], Preserve { mode: false, acl: false, ..all }),
            (&["acl", "xattr"], Preserve { acl: false, xattr: false, ..all }),
        ] {
            assert_eq!(Preserve::without(names.iter().copied()), expected, "{names:?}");
        }
        let Preserve { owner, group, mode, acl, xattr } = Preserve::without(["all"]);
        assert!(![owner, group, mode, acl, xattr].contains(&true));
        assert!(Preserve::NAMES.iter().all(|name| Preserve::without([*name]) != all));
    }

    #[test]
    fn error_names_the_attributes() {
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        for (names, message) in [
            ("owner", "cannot preserve owner: permission denied"),
            ("owner,group", "cannot preserve owner and group: permission denied"),
            ("xattr", "cannot preserve extended attributes: permission denied"),
        ] {
            let error = PreserveError::io_error(names, &denied);
            assert_eq!(
                (error.to_string().as_str(), PreserveError::names_in(&error)),
                (message, Some(names))
            );
        }
        assert_eq!(PreserveError::names_in(&denied), None);
    }
}
