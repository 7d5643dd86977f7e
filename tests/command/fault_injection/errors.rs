//! The errors that each system call is made to return: what its manual page names and what happens.

/// A family of calls, by the beginnings of their names, and how they may fail.
struct FailingCalls {
    calls: &'static [&'static str],
    errors: &'static [&'static str],
}

const fn failing_calls(
    calls: &'static [&'static str],
    errors: &'static [&'static str],
) -> FailingCalls {
    FailingCalls { calls, errors }
}

/// The first that fits counts.
const FAILURES: &[FailingCalls] = &[
    failing_calls(&["read", "pread"], &["EIO", "EINTR", "EAGAIN", "EBADF", "EISDIR"]),
    failing_calls(
        &["write"],
        &["EIO", "ENOSPC", "EINTR", "EAGAIN", "EBADF", "EFBIG", "EDQUOT", "EPIPE"],
    ),
    failing_calls(&["openat"], &["EIO", "EINTR", "EMFILE", "EACCES", "ENOENT", "ENOSPC", "EROFS"]),
    failing_calls(&["getdents"], &["EIO", "EINTR", "EBADF", "ENOMEM"]),
    failing_calls(&["close"], &["EIO", "EINTR", "ENOSPC"]),
    failing_calls(&["fsync", "fdatasync"], &["EIO", "EINTR", "ENOSPC", "EDQUOT"]),
    failing_calls(
        &["rename", "link", "unlink"],
        &["EIO", "ENOSPC", "EPERM", "EXDEV", "EROFS", "ENOENT"],
    ),
    failing_calls(&["mkdir"], &["EIO", "ENOSPC", "EACCES", "EDQUOT", "EROFS", "EMLINK"]),
    failing_calls(&["flock"], &["EIO", "EINTR", "ENOLCK", "EAGAIN"]),
    failing_calls(&["poll", "ppoll"], &["EINTR", "ENOMEM"]),
    failing_calls(&["recvfrom"], &["EINTR"]),
    failing_calls(&["fchown", "fchmod", "utimensat"], &["EIO", "EPERM", "EROFS"]),
    failing_calls(
        &["flistxattr", "fgetxattr", "fsetxattr", "fremovexattr"],
        &["EIO", "EPERM", "ENOSPC"],
    ),
    failing_calls(&["getrandom"], &["EINTR", "ENOSYS", "EPERM"]),
    failing_calls(&["mmap", "mprotect", "munmap", "mremap"], &["ENOMEM"]),
    failing_calls(&["clone"], &["EAGAIN", "ENOMEM"]),
    failing_calls(&["socketpair", "pipe", "dup"], &["EMFILE", "ENFILE"]),
    failing_calls(&["fcntl"], &["EMFILE"]),
    failing_calls(&["getcwd"], &["ENOENT", "EACCES"]),
    // These cannot fail as they are called.
    failing_calls(
        &["rt_sig", "exit", "gettid", "set_robust_list", "rseq", "prctl", "sigaltstack"],
        &[],
    ),
    failing_calls(&["kill", "tgkill", "getpid", "geteuid", "restart_syscall"], &[]),
    // A `brk` that fails says how far the memory goes, and a `futex` that wakes no thread is not an error:
    // what would be returned instead is not a result of the kernel.
    failing_calls(&["brk", "futex"], &[]),
];

/// The error that any other call returns.
const ANY_ERRORS: &[&str] = &["EIO", "EACCES", "ENOMEM"];

/// Errors of a disk that has gone invalid, is full or may not be written any more: they stay.
const LASTING_ERRORS: &[&str] = &["EIO", "ENOSPC", "EDQUOT", "EROFS"];

/// Calls that fail together then.
pub const ALL_CALLS: &[&[&str]] = &[
    &["renameat", "renameat2", "unlinkat"],
    &[
        "write",
        "fsync",
        "linkat",
        "renameat",
        "renameat2",
        "unlinkat",
        "fchmod",
        "fchown",
        "fsetxattr",
    ],
];

/// Calls that a signal may interrupt: they are made again.
const INTERRUPTIBLE: &[&str] = &[
    "read", "pread", "write", "openat", "getdents", "close", "fsync", "flock", "poll", "recvfrom",
];

/// Calls that say EAGAIN where they would have to wait: they are waited for.
const WAITING: &[&str] = &["read", "pread", "write"];

fn is_one_of(call: &str, names: &[&str]) -> bool {
    names.iter().any(|name| match call.strip_prefix(name) {
        // `readlink` is not a `read`, but `pread64` is a `pread`.
        Some(rest) if matches!(*name, "read" | "pread" | "write") => {
            rest.chars().all(|digit| digit.is_ascii_digit())
        }
        rest => rest.is_some(),
    })
}

/// The errors that this call is made to return.
pub fn errors_of(call: &str) -> &'static [&'static str] {
    let fits = FAILURES.iter().find(|failing| is_one_of(call, failing.calls));
    fits.map_or(ANY_ERRORS, |failing| failing.errors)
}

/// Those of them that may come again at every later call.
pub fn lasting_errors(call: &str) -> impl Iterator<Item = &'static str> {
    errors_of(call).iter().copied().filter(|error| LASTING_ERRORS.contains(error))
}

/// Whether the run goes on as if nothing had happened.
pub fn is_tolerable(call: &str, error: &str) -> bool {
    match error {
        "EINTR" => is_one_of(call, INTERRUPTIBLE),
        "EAGAIN" => is_one_of(call, WAITING),
        _ => false,
    }
}
