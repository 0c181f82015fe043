import Console
import Foundation

/// Reads a table in chunks from a file or from standard input.
struct TableInput {
    private let handle: FileHandle

    /// - Parameter path: `-` is standard input.
    init(_ path: String) throws {
        guard path != "-" else {
            handle = .standardInput
            return
        }
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw CommandFault("\(path) cannot be read")
        }
        self.handle = handle
    }

    /// The next chunk; empty at the end.
    func next() throws -> [UInt8] {
        Array(try handle.read(upToCount: 1 << 16) ?? Data())
    }
}
