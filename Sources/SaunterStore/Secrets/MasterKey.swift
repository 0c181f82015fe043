import Foundation
import SaunterCore

/// Why there is no master key. The text is for the operator: one line, with what to do.
package struct MasterKeyFault: Error, Hashable, CustomStringConvertible {
    package let description: String
}

/// The 32 bytes from which every key of this server is derived. The database never holds them: without this file, its encrypted columns are lost.
package enum MasterKey {
    private static let length = 32

    /// Reads the key of a file: 32 bytes as they are, or 64 hexadecimal digits. A file that others may read is refused.
    package static func load(from path: String) throws(MasterKeyFault) -> [UInt8] {
        guard let bytes = try read(path) else {
            throw MasterKeyFault(description: "There is no master key at \(path).")
        }
        return bytes
    }

    /// Reads the key, or makes one on the first start. Two servers that start at once end up with one key: the file is put in place whole, and
    /// only where there was none.
    package static func loadOrMake(at path: String) throws(MasterKeyFault) -> [UInt8] {
        if let bytes = try read(path) { return bytes }
        var generator = SystemRandomNumberGenerator()
        let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        try store(bytes, at: path)
        return try load(from: path)
    }

    /// Nil when there is no file.
    private static func read(_ path: String) throws(MasterKeyFault) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw fault("cannot be opened", path)
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw fault("cannot be looked at", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw MasterKeyFault(description: "The master key \(path) is not a file.")
        }
        guard status.st_mode & 0o007 == 0 else {
            throw MasterKeyFault(
                description: "The master key \(path) can be read by everybody: change that with `chmod 600`.")
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
        let key = stride(from: digits.startIndex, to: digits.endIndex, by: 2).compactMap { place -> UInt8? in
            guard place + 1 < digits.endIndex, digits[place...(place + 1)].allSatisfy(isHexadecimal) else {
                return nil
            }
            return UInt8(String(decoding: digits[place...(place + 1)], as: UTF8.self), radix: 16)
        }
        guard digits.count == length * 2, key.count == length else {
            throw MasterKeyFault(
                description:
                    "The master key \(path) is neither 32 bytes nor 64 hexadecimal digits; restore it from a copy."
            )
        }
        return key
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }

    /// Written beside, flushed, then linked into place, which fails where a file is already; the folder is flushed too, so that a power cut
    /// leaves either no key or the whole one.
    private static func store(_ bytes: [UInt8], at path: String) throws(MasterKeyFault) {
        let folder = (path as NSString).deletingLastPathComponent
        let beside = "\(path).\(getpid()).\(UUID().uuidString.prefix(8)).new"
        let file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fault("cannot be made", path) }
        defer { unlink(beside) }
        let isWritten = write(file, bytes, bytes.count) == bytes.count && fsync(file) == 0
        let isClosed = close(file) == 0
        guard isWritten, isClosed else { throw fault("cannot be written", path) }
        guard link(beside, path) == 0 || errno == EEXIST else { throw fault("cannot be put in place", path) }
        let directory = open(folder.isEmpty ? "." : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw fault("cannot be made durable", path) }
        defer { close(directory) }
        guard fsync(directory) == 0 else { throw fault("cannot be made durable", path) }
    }

    private static func fault(_ what: String, _ path: String) -> MasterKeyFault {
        MasterKeyFault(description: "The master key \(path) \(what): \(String(cString: strerror(errno))).")
    }
}
