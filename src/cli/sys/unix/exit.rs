//! The end of the process.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGABRT, SIGPIPE};
use signal_hook::flag;
use signal_hook::low_level::{emulate_default_handler, exit};

/// Prints a message and exits. Allocates nothing and takes no lock.
pub(crate) fn exit_immediately(message: &[u8], code: i32) -> ! {
    let _ = rustix::io::write(rustix::stdio::stderr(), message);
    exit(code)
}

/// Ends the process as its parent expects if the reader of its output has exited: by SIGPIPE. Returns
/// only if the signal cannot be raised.
pub(crate) fn exit_by_broken_pipe() {
    let _ = emulate_default_handler(SIGPIPE);
}

/// Makes an abort exit with this code.
pub(crate) fn exit_on_abort(code: i32) {
    let _ = flag::register_conditional_shutdown(SIGABRT, code, Arc::new(AtomicBool::new(true)));
}
