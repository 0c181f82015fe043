import Foundation
import Testing

@testable import SaunterPacks

/// The packs of this repository.
enum RealPacks {
    /// The folder `Questionnaires`.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Questionnaires")

    /// The codes of all bundled instruments.
    static let codes: [String] =
        (try? FileManager.default.contentsOfDirectory(atPath: root.appending(path: "instruments").path))?
        .filter { !$0.hasPrefix(".") }.sorted() ?? []

    static func instrument(_ code: String) throws -> PackFiles {
        try PackFiles.load(directory: root.appending(path: "instruments/\(code)/\(version(code))").path)
    }

    /// The only version of an instrument.
    static func version(_ code: String) throws -> String {
        let folder = root.appending(path: "instruments/\(code)").path
        return try #require(FileManager.default.contentsOfDirectory(atPath: folder).max())
    }

    static func study(_ code: String = "mindful-walking") throws -> PackFiles {
        try PackFiles.load(directory: root.appending(path: "studies/\(code)").path)
    }
}

extension PackFiles {
    /// A copy in which the first such passage of a file is replaced. The test fails if the file does not contain the
    /// passage.
    func replacing(_ passage: String, with other: String, in path: String) throws -> PackFiles {
        var files = files
        var text = try #require(files[path])
        let range = try #require(text.range(of: passage))
        text.replaceSubrange(range, with: other)
        files[path] = text
        return PackFiles(files: files)
    }

    func setting(_ path: String, _ text: String?) -> PackFiles {
        var files = files
        files[path] = text
        return PackFiles(files: files)
    }
}
