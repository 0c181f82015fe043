import Foundation
import SaunterCore

/// Why the master key cannot be loaded.
package struct MasterKeyFault: Error, Hashable, CustomStringConvertible {
    /// One line for the operator with the cause, and the remedy if there is one. It does not contain the key.
    package let description: String
}

/// The 32 bytes from which all keys of this server are derived. They are not in the database: without this file, its
/// encrypted columns are lost.
package enum MasterKey {
    private static let length = 32

    /// Reads the key from a file of 32 bytes or 64 hexadecimal digits. Throws if users outside the file's group have
    /// access to it.
    package static func load(from path: String) throws(MasterKeyFault) -> [UInt8] {
        guard let bytes = try read(path) else {
            throw MasterKeyFault(description: "There is no master key at \(path).")
        }
        return bytes
    }

    /// Reads the key, or creates it at the first start. Two servers that start at the same time use the same key: the
    /// complete file is linked to its path, and only if no file exists there.
    package static func loadOrMake(at path: String) throws(MasterKeyFault) -> [UInt8] {
        if let bytes = try read(path) { return bytes }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try store(bytes, at: path)
        return try load(from: path)
    }

    /// Returns nil if there is no file.
    private static func read(_ path: String) throws(MasterKeyFault) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw fault("cannot be opened", path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw fault("cannot be examined", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MasterKeyFault(description: "The master key \(path) is not a file.")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw MasterKeyFault(
                description: "All users can read the master key \(path): change that with `chmod 600`.")
        }
        var bytes = [UInt8](repeating: 0, count: 128)
        let count = Foundation.read(file, &bytes, bytes.count)
        guard count >= 0 else { throw fault("cannot be read", path) }
        return try key(Array(bytes[..<count]), path)
    }

    private static func key(_ bytes: [UInt8], _ path: String) throws(MasterKeyFault) -> [UInt8] {
        if bytes.count == length { return bytes }
        var digits = bytes[...]
        while let last = digits.last, last == 0x0A || last == 0x0D { digits = digits.dropLast() }
        guard digits.count == length * 2, let key = Hex.decode(digits) else {
            throw MasterKeyFault(
                description:
                    "The master key \(path) is neither 32 bytes nor 64 hexadecimal digits; restore it from a copy."
            )
        }
        return key
    }

    /// Writes the key to a temporary file, flushes it and links it to its path. The link fails if a file exists there.
    /// The folder is flushed too, so that after a power failure the key is either complete or absent.
    private static func store(_ bytes: [UInt8], at path: String) throws(MasterKeyFault) {
        let folder = (path as NSString).deletingLastPathComponent
        let temporary = "\(path).\(getpid()).\(UUID().uuidString.prefix(8)).new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fault("cannot be created", path) }
        defer { unlink(temporary) }
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let isClosed = close(file) == 0
        guard isWritten, isClosed else { throw fault("cannot be written", path) }
        guard link(temporary, path) == 0 || errno == EEXIST else { throw fault("cannot be linked", path) }
        let directory = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw fault("cannot be flushed", path) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw fault("cannot be flushed", path) }
    }

    private static func fault(_ what: String, _ path: String) -> MasterKeyFault {
        MasterKeyFault(description: "The master key \(path) \(what): \(String(cString: strerror(errno))).")
    }
}
