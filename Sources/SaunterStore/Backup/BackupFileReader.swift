import Foundation

/// Reads the file of a backup part by part. It uses only data that the cipher has authenticated.
final class BackupFileReader {
    private let path: String
    private let file: FileHandle
    private var cipher: BackupCipher
    private var isFirst = true
    private var isOver = false

    init(path: String, master: [UInt8]) throws(BackupFault) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let head = try Self.read(BackupFormat.magic.count + BackupCipher.saltLength, of: file, path)
        guard head.starts(with: BackupFormat.magic),
            head.count == BackupFormat.magic.count + BackupCipher.saltLength
        else { throw .notABackup(path: path) }
        cipher = BackupCipher(master: master, salt: Array(head.suffix(BackupCipher.saltLength)))
    }

    /// The next part. Nil after the last one. No byte may follow the last part.
    func next() throws(BackupFault) -> BackupRecord? {
        if isOver { return nil }
        let head = try Self.read(4, of: file, path)
        guard head.count == 4 else { throw .truncated(path: path) }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard length <= BackupFormat.maximumBytes else {
            throw isFirst ? .wrongKey(path: path) : .damaged(path: path)
        }
        let sealed = try Self.read(length, of: file, path)
        guard sealed.count == length else { throw .truncated(path: path) }
        guard let (part, isLast) = cipher.open(sealed) else {
            throw isFirst ? .wrongKey(path: path) : .damaged(path: path)
        }
        guard let record = BackupFormat.decompressed(part).flatMap(BackupRecord.init),
            isLast == (record == .end)
        else { throw .damaged(path: path) }
        isFirst = false
        guard isLast else { return record }
        guard try Self.read(1, of: file, path).isEmpty else { throw .damaged(path: path) }
        isOver = true
        return record
    }

    /// Reads up to `count` bytes. Returns fewer at the end of the file.
    private static func read(_ count: Int, of file: FileHandle, _ path: String) throws(BackupFault) -> [UInt8]
    {
        guard count > 0 else { return [] }
        do {
            return Array(try file.read(upToCount: count) ?? Data())
        } catch {
            throw .file(path: path, reason: error.localizedDescription)
        }
    }
}
