//! Which errors each system call is made to answer: what its manual page names and what happens.

/// A family of calls, by the beginnings of their names, and how they may fail.
struct Failing {
    calls: &'static [&'static str],
    errors: &'static [&'static str],
}

const fn failing(calls: &'static [&'static str], errors: &'static [&'static str]) -> Failing {
    Failing { calls, errors }
}

/// The first that fits counts.
const FAILURES: &[Failing] = &[
    failing(&["read", "pread"], &["EIO", "EINTR", "EAGAIN", "EBADF", "EISDIR"]),
    failing(&["write"], &["EIO", "ENOSPC", "EINTR", "EAGAIN", "EBADF", "EFBIG", "EDQUOT", "EPIPE"]),
    failing(&["openat"], &["EIO", "EINTR", "EMFILE", "EACCES", "ENOENT", "ENOSPC", "EROFS"]),
    failing(&["getdents"], &["EIO", "EINTR", "EBADF", "ENOMEM"]),
    failing(&["close"], &["EIO", "EINTR", "ENOSPC"]),
    failing(&["fsync", "fdatasync"], &["EIO", "EINTR", "ENOSPC", "EDQUOT"]),
    failing(&["rename", "link", "unlink"], &["EIO", "ENOSPC", "EPERM", "EXDEV", "EROFS", "ENOENT"]),
    failing(&["flock"], &["EIO", "EINTR", "ENOLCK", "EAGAIN"]),
    failing(&["poll", "ppoll"], &["EINTR", "ENOMEM"]),
    failing(&["recvfrom"], &["EINTR"]),
    failing(&["fchown", "fchmod", "utimensat"], &["EIO", "EPERM", "EROFS"]),
    failing(&["flistxattr", "fgetxattr", "fsetxattr", "fremovexattr"], &["EIO", "EPERM", "ENOSPC"]),
    failing(&["getrandom"], &["EINTR", "ENOSYS", "EPERM"]),
    failing(&["mmap", "mprotect", "munmap", "mremap"], &["ENOMEM"]),
    failing(&["clone"], &["EAGAIN", "ENOMEM"]),
    failing(&["socketpair", "pipe", "dup"], &["EMFILE", "ENFILE"]),
    failing(&["fcntl"], &["EMFILE"]),
    failing(&["getcwd"], &["ENOENT", "EACCES"]),
    // These cannot fail as they are called.
    failing(&["rt_sig", "exit", "gettid", "set_robust_list", "rseq", "prctl", "sigaltstack"], &[]),
    failing(&["kill", "tgkill", "getpid", "geteuid", "restart_syscall"], &[]),
    // A `brk` that fails says how far the memory goes, and a `futex` that wakes nobody is no error:
    // what is said instead of them would be no answer that the kernel gives.
    failing(&["brk", "futex"], &[]),
];

/// What any other call is made to answer.
const ANY: &[&str] = &["EIO", "EACCES", "ENOMEM"];

/// Errors of a disk that has gone bad, is full or may not be written any more: they stay.
const LASTING: &[&str] = &["EIO", "ENOSPC", "EDQUOT", "EROFS"];

/// Calls that fail together then.
pub const TOGETHER: &[&[&str]] = &[
    &["renameat", "unlinkat"],
    &["write", "fsync", "linkat", "renameat", "unlinkat", "fchmod", "fchown", "fsetxattr"],
];

/// Calls that a signal may interrupt: they are made again.
const INTERRUPTIBLE: &[&str] = &[
    "read", "pread", "write", "openat", "getdents", "close", "fsync", "flock", "poll", "recvfrom",
];

/// Calls that say EAGAIN where they would have to wait: they are waited for.
const WAITING: &[&str] = &["read", "pread", "write"];

fn is_one_of(call: &str, names: &[&str]) -> bool {
    names.iter().any(|name| match call.strip_prefix(name) {
        // `readlink` is no `read`, but `pread64` is a `pread`.
        Some(rest) if matches!(*name, "read" | "pread" | "write") => {
            rest.chars().all(|digit| digit.is_ascii_digit())
        }
        rest => rest.is_some(),
    })
}

/// The errors that this call is made to answer.
pub fn of(call: &str) -> &'static [&'static str] {
    let fits = FAILURES.iter().find(|failing| is_one_of(call, failing.calls));
    fits.map_or(ANY, |failing| failing.errors)
}

/// Those of them that may come again at every later call.
pub fn lasting(call: &str) -> impl Iterator<Item = &'static str> {
    of(call).iter().copied().filter(|error| LASTING.contains(error))
}

/// Whether the run goes on as if nothing had happened.
pub fn is_bearable(call: &str, error: &str) -> bool {
    match error {
        "EINTR" => is_one_of(call, INTERRUPTIBLE),
        "EAGAIN" => is_one_of(call, WAITING),
        _ => false,
    }
}
