import Foundation

/// Writes a backup's file. It has a name of its own, `<path>.part`, until it is complete and on the disk, so that whatever stands under the path is
/// whole. Two that would write the same file at once do not: the second is refused.
final class BackupFileWriter {
    private let path: String
    private let partial: String
    private let file: FileHandle
    private var seal: BackupSeal
    private var isFinished = false

    init(path: String, master: [UInt8]) throws(BackupFault) {
        guard !FileManager.default.fileExists(atPath: path) else {
            throw .file(path: path, reason: "there is a file already; choose another name")
        }
        self.path = path
        partial = path + ".part"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.fault(partial) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .file(path: partial, reason: "another backup is being written there")
        }
        guard ftruncate(descriptor, 0) == 0 else {
            let fault = Self.fault(partial)
            close(descriptor)
            throw fault
        }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var generator = SystemRandomNumberGenerator()
        let salt = (0..<BackupSeal.saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        seal = BackupSeal(master: master, salt: salt)
        try put(BackupParts.magic + salt)
    }

    deinit {
        // What was not finished is of no use to anybody.
        if !isFinished { unlink(partial) }
    }

    func write(_ record: BackupRecord) throws {
        let part = try seal.seal(try BackupParts.compressed(try record.encoded()), isLast: record == .end)
        try put(BackupParts.length(part.count) + part)
    }

    /// Puts the whole file in its place, durably.
    func finish() throws(BackupFault) {
        do {
            try file.synchronize()
        } catch {
            throw Self.fault(partial, error)
        }
        guard link(partial, path) == 0 else {
            throw errno == EEXIST
                ? .file(path: path, reason: "there is a file already; choose another name") : Self.fault(path)
        }
        unlink(partial)
        isFinished = true
        let folder = open(
            (path as NSString).deletingLastPathComponent.isEmpty
                ? "." : (path as NSString).deletingLastPathComponent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw Self.fault(path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw Self.fault(path) }
    }

    private func put(_ bytes: [UInt8]) throws(BackupFault) {
        do {
            try file.write(contentsOf: bytes)
        } catch {
            throw Self.fault(partial, error)
        }
    }

    private static func fault(_ path: String, _ error: (any Error)? = nil) -> BackupFault {
        .file(path: path, reason: error.map { $0.localizedDescription } ?? String(cString: strerror(errno)))
    }
}
