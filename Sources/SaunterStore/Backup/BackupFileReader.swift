import Foundation

/// Reads a backup's file, part by part, and believes nothing of it that its seals do not prove.
final class BackupFileReader {
    private let path: String
    private let file: FileHandle
    private var seal: BackupSeal
    private var isFirst = true
    private var isOver = false

    init(path: String, master: [UInt8]) throws(BackupFault) {
        self.path = path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, reason: String(cString: strerror(errno))) }
        file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        let head = try Self.read(BackupParts.magic.count + BackupSeal.saltLength, of: file, path)
        guard head.starts(with: BackupParts.magic),
            head.count == BackupParts.magic.count + BackupSeal.saltLength
        else { throw .notABackup(path: path) }
        seal = BackupSeal(master: master, salt: Array(head.suffix(BackupSeal.saltLength)))
    }

    /// The next part; nil after the last one, behind which nothing may stand.
    func next() throws(BackupFault) -> BackupRecord? {
        if isOver { return nil }
        let head = try Self.read(4, of: file, path)
        guard head.count == 4 else { throw .cutShort(path: path) }
        let length = head.reduce(0) { $0 << 8 | Int($1) }
        guard length <= BackupParts.mostBytes else {
            throw isFirst ? .wrongKey(path: path) : .damaged(path: path)
        }
        let sealed = try Self.read(length, of: file, path)
        guard sealed.count == length else { throw .cutShort(path: path) }
        guard let (part, isLast) = seal.open(sealed) else {
            throw isFirst ? .wrongKey(path: path) : .damaged(path: path)
        }
        guard let record = BackupParts.decompressed(part).flatMap(BackupRecord.init),
            isLast == (record == .end)
        else { throw .damaged(path: path) }
        isFirst = false
        guard isLast else { return record }
        guard try Self.read(1, of: file, path).isEmpty else { throw .damaged(path: path) }
        isOver = true
        return record
    }

    /// Fewer bytes than wanted at the end of the file.
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
