import Foundation
import SaunterTesting

/// A folder of one test. It goes with the last use of this value: `withExtendedLifetime` keeps it until a
/// program has read what is in it.
final class Scratch: Sendable {
    let path: String

    init() throws {
        path = try TemporaryDirectory.make()
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file and gives its path.
    func file(_ name: String, _ text: String) throws -> String {
        let place = "\(path)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: place))
        return place
    }
}
