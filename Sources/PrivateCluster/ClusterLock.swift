import Glibc

/// An advisory lock on a file, held until `release()` or the end of the process, however it ends.
///
/// flock belongs to the open file: a program that inherits the descriptor shares the lock and keeps it
/// after this process is gone. Nothing inherits it by accident (close-on-exec).
struct ClusterLock: ~Copyable {
    enum Mode {
        case shared
        case exclusive
    }

    private var descriptor: Int32

    /// Takes the lock, or returns nil when somebody else holds it against `mode`.
    ///
    /// The file is made when it is missing, for `account` under root, so that the same data directory can be
    /// used later without root.
    init?(_ path: String, _ mode: Mode, for account: ClusterAccount) throws(ClusterFault) {
        let opened = Self.open(path, for: account)
        guard opened >= 0 else { throw .directoryUnusable(path: path, reason: SystemFault.text(errno)) }
        while flock(opened, (mode == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0 {
            let fault = errno
            if fault == EINTR { continue }
            close(opened)
            if fault == EWOULDBLOCK { return nil }
            throw .directoryUnusable(path: path, reason: SystemFault.text(fault))
        }
        descriptor = opened
    }

    deinit {
        guard descriptor >= 0 else { return }
        // Closing alone is not enough: a child that is being started at this moment still has a copy.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Gives the descriptor away, to a program that shall hold the lock for its life.
    consuming func surrender() -> Int32 {
        let given = descriptor
        descriptor = -1
        return given
    }

    private static func open(_ path: String, for account: ClusterAccount) -> Int32 {
        // Reading is enough for flock. O_NOFOLLOW: root must not be led to another file by a link.
        let existing = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if existing >= 0 || errno != ENOENT { return existing }
        let made = Glibc.open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if made < 0 {
            // Another process was quicker.
            return errno == EEXIST ? Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : made
        }
        if account.userID != geteuid() { _ = fchown(made, account.userID, account.groupID) }
        return made
    }
}

/// What a system call's error number means.
enum SystemFault {
    /// The system's own words for an `errno`.
    static func text(_ number: Int32) -> String {
        String(cString: strerror(number))
    }
}
