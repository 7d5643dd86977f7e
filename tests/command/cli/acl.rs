//! An access control list, in the format of the kernel.

use std::path::Path;

use rustix::fs::{XattrFlags, getxattr, setxattr};

const NAME: &str = "system.posix_acl_access";

/// Mode bits of a file that has been given the list.
pub const MODE: u32 = 0o640;

/// u::rw-, u:1234:r--, g::---, m::r-- and o::---: version 2, then tag, permissions and id of each
/// entry, acl(5) and linux/posix_acl_xattr.h.
fn list() -> Vec<u8> {
    let none = u32::MAX;
    let entries = [(1, 6, none), (2, 4, 1234), (4, 0, none), (16, 4, none), (32, 0, none)];
    let mut list = 2u32.to_le_bytes().to_vec();
    for (tag, permissions, id) in entries {
        list.extend_from_slice(&u16::to_le_bytes(tag));
        list.extend_from_slice(&u16::to_le_bytes(permissions));
        list.extend_from_slice(&u32::to_le_bytes(id));
    }
    list
}

/// Sets the list on a file. Returns false if the file system does not support lists.
pub fn give(path: &Path) -> bool {
    setxattr(path, NAME, &list(), XattrFlags::empty()).is_ok()
}

/// Returns whether a file has the list.
pub fn is_set(path: &Path) -> bool {
    let mut value = [0; 256];
    getxattr(path, NAME, &mut value[..]).is_ok_and(|length| value[..length] == list())
}
