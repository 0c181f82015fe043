import Console
import Foundation

/// Writes the document that a command produces.
enum DocumentOutput {
    /// Writes the bytes of a text to a new file, or to standard output.
    /// - Parameter path: nil is standard output.
    /// - Throws: `CommandFault` if the file exists.
    static func write(_ bytes: [UInt8], to path: String?) throws {
        guard let path else {
            return Terminal.write(String(decoding: bytes, as: UTF8.self), to: .standardOutput)
        }
        guard !FileManager.default.fileExists(atPath: path) else {
            throw CommandFault("\(path) already exists; use a new file")
        }
        try Data(bytes).write(to: URL(filePath: path), options: .withoutOverwriting)
    }
}
