import Foundation

/// Where the bytes of a recording come from. It can be read from its beginning as often as asked, because some files name
/// what they hold only at their end.
package enum RecordingSource: Sendable {
    case bytes([UInt8])
    /// A path. It is read piece by piece, so a file of gigabytes takes no more memory than a small one.
    case file(String)

    func open() throws(RecordingFault) -> ByteStream {
        switch self {
        case .bytes(let bytes): return ByteStream(bytes)
        case .file(let path):
            guard let handle = FileHandle(forReadingAtPath: path) else {
                throw RecordingFault("it cannot be read")
            }
            return ByteStream(handle)
        }
    }

    /// Everything at once, for kinds of files that are small.
    /// - Throws: `RecordingFault` beyond `limit` bytes.
    func all(atMost limit: Int) throws(RecordingFault) -> [UInt8] {
        let stream = try open()
        var bytes: [UInt8] = []
        while true {
            let piece = try stream.next()
            if piece.isEmpty { return bytes }
            guard bytes.count + piece.count <= limit else {
                throw RecordingFault("it is larger than \(limit >> 20) MiB")
            }
            bytes += piece
        }
    }
}

/// The pieces of a source, one after the other.
final class ByteStream {
    private static let pieceLength = 256 * 1024

    private var bytes: [UInt8]?
    private let handle: FileHandle?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        handle = nil
    }

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Empty at the end.
    func next() throws(RecordingFault) -> [UInt8] {
        guard let handle else {
            defer { bytes = nil }
            return bytes ?? []
        }
        do {
            return try handle.read(upToCount: Self.pieceLength).map { Array($0) } ?? []
        } catch {
            throw RecordingFault("it cannot be read")
        }
    }
}
