import Foundation

/// Writes the file of a backup. The file is named `<path>.part` until it is complete and flushed, so a file under the
/// final path is always complete. If two processes write the same file, the second one fails.
final class BackupFileWriter {
    private let path: String
    private let partial: String
    private let file: FileHandle
    private var cipher: BackupCipher
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
        let salt = (0..<BackupCipher.saltLength).map { _ in UInt8.random(in: .min ... .max, using: &generator)
        }
        cipher = BackupCipher(master: master, salt: salt)
        try put(BackupFormat.magic + salt)
    }

    deinit {
        // An unfinished file is of no use.
        if !isFinished { unlink(partial) }
    }

    func write(_ record: BackupRecord) throws {
        let part = try cipher.seal(try BackupFormat.compressed(try record.encoded()), isLast: record == .end)
        try put(BackupFormat.length(part.count) + part)
    }

    /// Flushes the file and links it to its final path.
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
        // Flushes the folder, so that the new name survives a power failure.
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
