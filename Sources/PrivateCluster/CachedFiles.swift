import Glibc

/// What the system keeps in memory of a cluster's files, taken away before PostgreSQL recovers.
///
/// When an fsync fails, Linux forgets that it could not write, and goes on showing what it has in memory. PostgreSQL would recover from that and go
/// on in a log that has holes on the disk; the next power cut would take what was acknowledged since, or the whole cluster. What was
/// acknowledged is on the disk, so recovery reads nothing but that, as after a power cut.
struct CachedFiles {
    /// The cluster's own directory, and those that it reaches by links: its log, if that was moved, and tablespaces.
    let roots: [String]

    init(data: String) {
        let links = ["\(data)/pg_wal"] + children(of: "\(data)/pg_tblspc").map { "\(data)/pg_tblspc/\($0)" }
        roots = [data] + links.filter { Self.isLink($0) }
    }

    /// Whether recovery will read the log, by what `pg_controldata` says in English: after everything but an orderly stop.
    static func isRecovering(control: String) -> Bool {
        let name = "Database cluster state:"
        let state = control.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
        return !["shut down", "shut down in recovery"].contains(state?.trimmingSpaces() ?? "")
    }

    /// Nothing of PostgreSQL may run.
    /// - Returns: of how many files the disk did not take everything; what it has of them counts.
    func forget() throws(ClusterFault) -> Int {
        var count = 0
        for root in roots { count += try forget(under: root) }
        return count
    }

    private func forget(under directory: String) throws(ClusterFault) -> Int {
        var count = 0
        for name in try Self.names(in: directory) {
            let path = "\(directory)/\(name)"
            var status = stat()
            // Something that is gone by now needs nothing.
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: count += try forget(under: path)
            case S_IFREG: count += try forget(file: path) ? 0 : 1
            default: continue
            }
        }
        return count
    }

    /// - Returns: whether the disk took what was still to be written. It is told once that it did not; afterwards nothing is left to be written.
    private func forget(file path: String) throws(ClusterFault) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.fault(path) }
        defer { close(descriptor) }
        // What is dirty would stay in memory.
        let isWritten = fdatasync(descriptor) == 0
        let code = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
        guard code == 0 else { throw .directoryUnusable(path: path, reason: SystemFault.text(code)) }
        return isWritten
    }

    private static func names(in directory: String) throws(ClusterFault) -> [String] {
        guard access(directory, R_OK | X_OK) == 0 else { throw fault(directory) }
        return children(of: directory)
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
    }

    private static func fault(_ path: String) -> ClusterFault {
        .directoryUnusable(path: path, reason: SystemFault.text(errno))
    }
}
