import Foundation
import Testing

@testable import SaunterPacks

/// The pack in `Questionnaires/README.md`: each fenced block follows a comment with the name of its file.
enum WorkedExample {
    static func files() throws -> PackFiles {
        let text = try String(contentsOf: RealPacks.root.appending(path: "README.md"), encoding: .utf8)
        var files: [String: String] = [:]
        for part in text.components(separatedBy: "<!-- example: ").dropFirst() {
            let path = try #require(part.components(separatedBy: " -->").first)
            let fenced = try #require(part.components(separatedBy: "```").dropFirst().first)
            files[path] = fenced.components(separatedBy: "\n").dropFirst().joined(separator: "\n")
        }
        return PackFiles(files: files)
    }
}
