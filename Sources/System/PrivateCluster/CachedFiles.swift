import Glibc

/// The files of a cluster in the page cache of Linux. They are evicted before PostgreSQL recovers.
///
/// If an fsync fails, Linux marks the unwritten pages as clean, and reads continue to return them from memory.
/// PostgreSQL would recover from these pages and continue a WAL that has gaps on the disk. The next power cut would
/// then lose later acknowledged data, or the whole cluster. Acknowledged data is on the disk. Therefore recovery reads
/// only from the disk, as after a power cut.
struct CachedFiles {
    /// The cluster's directory, and the directories that it links to: the WAL, if it was moved, and tablespaces.
    let roots: [String]

    init(data: String) {
        let links = ["\(data)/pg_wal"] + children(of: "\(data)/pg_tblspc").map { "\(data)/pg_tblspc/\($0)" }
        roots = [data] + links.filter { Self.isLink($0) }
    }

    /// Whether PostgreSQL reads the WAL at the next start. It does so unless the last shutdown was clean.
    /// - Parameter controlData: the English output of `pg_controldata`.
    static func needsRecovery(controlData: String) -> Bool {
        let name = "Database cluster state:"
        let state = controlData.split(separator: "\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
        return !["shut down", "shut down in recovery"].contains(state?.trimmingSpaces() ?? "")
    }

    /// Evicts all files from the page cache. No process of PostgreSQL may run during the call.
    /// - Returns: the number of files that the disk did not accept completely. Their content on the disk is valid.
    func evict() throws(ClusterFault) -> Int {
        var count = 0
        for root in roots { count += try evict(under: root) }
        return count
    }

    private func evict(under directory: String) throws(ClusterFault) -> Int {
        var count = 0
        for name in try Self.names(in: directory) {
            let path = "\(directory)/\(name)"
            var status = stat()
            // A file that was deleted in the meantime needs no eviction.
            guard lstat(path, &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: count += try evict(under: path)
            case S_IFREG: count += try evict(file: path) ? 0 : 1
            default: continue
            }
        }
        return count
    }

    /// - Returns: false if the disk did not accept all unwritten pages. Linux reports this error only once, because it
    ///   then marks the pages as clean.
    private func evict(file path: String) throws(ClusterFault) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.fault(path) }
        defer { close(descriptor) }
        // Only clean pages can be evicted, so unwritten pages are written first.
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
