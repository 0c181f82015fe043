import Foundation

/// The bytes of a recording. They can be read several times, because a HealthKit export contains records before the
/// workouts that they belong to.
package enum RecordingSource: Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A path. The file is read in pieces of 256 KiB, so memory use does not depend on its size.
    case file(String)

    func open() throws(RecordingFault) -> ByteStream {
        switch self {
        case .bytes(let bytes): return ByteStream(bytes)
        case .file(let path):
            guard let handle = FileHandle(forReadingAtPath: path) else {
                throw RecordingFault("the file cannot be read")
            }
            return ByteStream(handle)
        }
    }

    /// All bytes, for formats with small files.
    /// - Throws: `RecordingFault` if the file has more than `limit` bytes.
    func all(atMost limit: Int) throws(RecordingFault) -> [UInt8] {
        let stream = try open()
        var bytes: [UInt8] = []
        while true {
            let piece = try stream.next()
            if piece.isEmpty { return bytes }
            guard bytes.count + piece.count <= limit else {
                throw RecordingFault("the file is larger than \(limit >> 20) MiB")
            }
            bytes += piece
        }
    }
}

/// The pieces of a source, in order.
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

    /// The next piece; empty at the end.
    func next() throws(RecordingFault) -> [UInt8] {
        guard let handle else {
            defer { bytes = nil }
            return bytes ?? []
        }
        do {
            return try handle.read(upToCount: Self.pieceLength).map { Array($0) } ?? []
        } catch {
            throw RecordingFault("the file cannot be read")
        }
    }
}
