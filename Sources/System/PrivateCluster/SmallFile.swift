import Glibc

/// Writes small files completely, and reads the beginning or the end of a file.
enum SmallFile {
    /// At most the first `limit` bytes as text. Nil if the file cannot be read.
    static func read(_ path: String, limit: Int = 1 << 16) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return readAll(descriptor, limit: limit)
    }

    /// The last `limit` bytes as text. Nil if the file cannot be read.
    static func tail(_ path: String, limit: Int = 4096) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard lseek(descriptor, max(0, end - off_t(limit)), SEEK_SET) >= 0 else { return nil }
        return readAll(descriptor, limit: limit)
    }

    /// Creates or replaces the file, and waits until it is on disk. A new file has mode 0600. Links are not followed.
    static func write(_ text: String, to path: String, owner: ClusterAccount) throws(ClusterFault) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .directoryUnusable(path: path, reason: SystemFault.text(errno)) }
        defer { close(descriptor) }
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .directoryUnusable(path: path, reason: SystemFault.text(errno)) }
            rest = rest.dropFirst(count)
        }
        if owner.userID != geteuid(), fchown(descriptor, owner.userID, owner.groupID) != 0 {
            throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
        }
        guard fsync(descriptor) == 0 else {
            throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
        }
    }

    /// Waits until the entries of a directory are on disk.
    static func syncDirectory(_ path: String) throws(ClusterFault) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .directoryUnusable(path: path, reason: SystemFault.text(errno)) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
        }
    }

    private static func readAll(_ descriptor: Int32, limit: Int) -> String? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit, 1 << 16))
        while bytes.count < limit {
            let count = Glibc.read(descriptor, &chunk, min(chunk.count, limit - bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
