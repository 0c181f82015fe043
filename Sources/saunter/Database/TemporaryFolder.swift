import Console
import Foundation

/// The temporary folder of a temporary cluster. Restored data is as private as the original, so the folder is removed
/// when the command ends, also on a signal. After SIGKILL the next command that creates such a folder removes it.
struct TemporaryFolder {
    /// Only its owner can read it. The name is short because the path of a socket has at most 107 bytes.
    let url: URL
    /// The file descriptor of the lock file. The lock is released when the command ends.
    private let lock: Int32

    private static let prefix = "saunter-"
    private static let lockName = "in-use"

    init() throws {
        Self.removeAbandoned()
        let url = FileManager.default.temporaryDirectory.appending(
            path: Self.prefix + UUID().uuidString.prefix(8))
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        let lock = open(url.appending(path: Self.lockName).path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFault("\(url.path) cannot be locked: \(String(cString: strerror(errno)))")
        }
        self.url = url
        self.lock = lock
    }

    /// Call this after the database has stopped.
    func remove() {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Terminal.error("warning: \(url.path) cannot be removed: \(error.localizedDescription)")
        }
        close(lock)
    }

    /// Removes the folders of commands that were killed. A folder that cannot be read or removed is left for the next
    /// command, because this is no reason for the current command to fail.
    private static func removeAbandoned() {
        let parent = FileManager.default.temporaryDirectory
        for name in (try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? [] {
            guard name.hasPrefix(prefix) else { continue }
            let url = parent.appending(path: name)
            // A folder of another user or program, or one without a lock file, is skipped.
            let lock = open(url.appending(path: lockName).path, O_RDWR | O_CLOEXEC)
            guard lock >= 0 else { continue }
            if isAbandoned(url), flock(lock, LOCK_EX | LOCK_NB) == 0 { delete(url) }
            close(lock)
        }
    }

    /// Whether the folder belongs to this user and is older than 5 s. A newer folder may have a lock file that is not
    /// locked yet.
    private static func isAbandoned(_ url: URL) -> Bool {
        let file = url.appending(path: lockName).path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let owner = attributes[.ownerAccountID] as? NSNumber,
            let createdAt = attributes[.modificationDate] as? Date
        else { return false }
        return owner.uint32Value == geteuid() && createdAt.timeIntervalSinceNow < -5
    }

    /// Kills the database and removes the folder. Another process may still start the database, and the last
    /// processes may still write, so this is repeated for up to 10 s.
    static func delete(_ url: URL) {
        for _ in 0..<200 {
            if let postmaster = postmaster(in: url) {
                kill(postmaster, SIGQUIT)
            } else if (try? FileManager.default.removeItem(at: url)) != nil {
                return
            }
            usleep(50_000)
        }
    }

    /// The postmaster of the cluster in this folder; nil if it does not run, or if another process has its pid now.
    private static func postmaster(in url: URL) -> pid_t? {
        let file = url.appending(path: "postgres/postmaster.pid")
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), pid > 1,
            let workingDirectory = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/\(pid)/cwd"),
            workingDirectory.contains(url.lastPathComponent)
        else { return nil }
        return pid
    }
}
