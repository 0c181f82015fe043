import Glibc

/// An advisory lock on a file. It is held until the value is destroyed or the process ends for any reason.
///
/// A flock belongs to the open file. A program that inherits the descriptor shares the lock, and keeps it after this
/// process has ended. The descriptor is close-on-exec, so that no program inherits it by accident.
struct ClusterLock: ~Copyable {
    enum Mode {
        case shared
        case exclusive
    }

    private var descriptor: Int32

    /// Acquires the lock. Returns nil if another process holds a conflicting lock.
    ///
    /// The file is created if it does not exist. Under root it belongs to `account`, so that the data directory can be
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
        // Closing the descriptor is not enough, because a child that is being started has a copy until its exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// Returns the descriptor without unlocking it. The caller passes it to a program, which holds the lock until it
    /// ends.
    consuming func takeDescriptor() -> Int32 {
        let taken = descriptor
        descriptor = -1
        return taken
    }

    private static func open(_ path: String, for account: ClusterAccount) -> Int32 {
        // flock needs only read access. O_NOFOLLOW: a link must not redirect root to another file.
        let existing = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        if existing >= 0 || errno != ENOENT { return existing }
        let created = Glibc.open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if created < 0 {
            // EEXIST: another process created the file in the meantime.
            return errno == EEXIST ? Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : created
        }
        if account.userID != geteuid() { _ = fchown(created, account.userID, account.groupID) }
        return created
    }
}
