import Foundation

/// A folder of one command's own in which a database runs for a while. What is restored there is as private as what was backed up, so it is gone with the
/// command: on a signal too, and after SIGKILL as soon as another command makes one.
struct ScratchFolder {
    /// Only its owner reads it. Short: the path of a socket has at most 107 bytes.
    let url: URL
    /// Held for as long as the command lives.
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
            throw CocoaError(.fileWriteUnknown)
        }
        self.url = url
        self.lock = lock
    }

    /// To be called once the database has stopped.
    func remove() {
        do {
            try FileManager.default.removeItem(at: url)
        } catch {
            Terminal.note("saunter: \(url.path) could not be removed: \(error.localizedDescription)")
        }
        close(lock)
    }

    /// Folders whose commands did not live to remove them. What cannot be read or removed stays for the next command: it is no reason for this one to fail.
    private static func removeAbandoned() {
        let place = FileManager.default.temporaryDirectory
        for name in (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? [] {
            guard name.hasPrefix(prefix) else { continue }
            let url = place.appending(path: name)
            // Of other users, of other things, or not yet locked: none of ours.
            let lock = open(url.appending(path: lockName).path, O_RDWR | O_CLOEXEC)
            guard lock >= 0 else { continue }
            if isAbandoned(url), flock(lock, LOCK_EX | LOCK_NB) == 0 { end(url) }
            close(lock)
        }
    }

    /// Ours, and older than the moment between making its lock and holding it.
    private static func isAbandoned(_ url: URL) -> Bool {
        let file = url.appending(path: lockName).path
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: file),
            let owner = attributes[.ownerAccountID] as? NSNumber,
            let made = attributes[.modificationDate] as? Date
        else { return false }
        return owner.uint32Value == geteuid() && made.timeIntervalSinceNow < -5
    }

    /// By force. Whoever was about to start a database may go on with it, and the last of its processes may still write: so again and again, for 10 s.
    static func end(_ url: URL) {
        for _ in 0..<200 {
            if let postmaster = postmaster(in: url) {
                kill(postmaster, SIGQUIT)
            } else if (try? FileManager.default.removeItem(at: url)) != nil {
                return
            }
            usleep(50_000)
        }
    }

    /// The first process of the PostgreSQL in this folder; nil where it does not run, and for another process that has its number by now.
    private static func postmaster(in url: URL) -> pid_t? {
        let file = url.appending(path: "postgres/postmaster.pid")
        guard let text = try? String(contentsOf: file, encoding: .utf8),
            let pid = text.split(separator: "\n").first.flatMap({ pid_t($0) }), pid > 1,
            let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd"),
            place.contains(url.lastPathComponent)
        else { return nil }
        return pid
    }
}
