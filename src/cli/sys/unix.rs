//! The implementation for Unix.

pub(crate) mod directory;
pub(crate) mod exit;
pub(crate) mod file_name;
pub(crate) mod inherited_fd;
pub(crate) mod lock;
pub(crate) mod metadata;
pub(crate) mod permissions;
pub(crate) mod signals;
pub(crate) mod status;
pub(crate) mod stdio;
