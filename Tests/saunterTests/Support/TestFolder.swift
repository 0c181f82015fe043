import Foundation
import SaunterTesting

/// A temporary folder of one test. It is removed after the last use of this value. `withExtendedLifetime` keeps it
/// until a program has read its files.
final class TestFolder: Sendable {
    let path: String

    init() throws {
        path = try TemporaryDirectory.make()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let filePath = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: filePath))
        return filePath
    }
}
