import Foundation

/// The templates, words, style sheets and scripts of the web app. They are embedded in the program; a developer can let
/// the server read them from a folder instead, and then sees a change after a restart, without a build.
struct WebFiles: Sendable {
    /// A folder such as `Sources/SaunterWeb`, with `assets`, `templates` and `words`; nil for the embedded files.
    let folder: URL?

    /// - Throws: an error of the file system.
    func templates() throws -> [(name: String, bytes: [UInt8])] {
        try files("templates")?.map { (String($0.name.prefix { $0 != "." }), $0.bytes) } ?? Templates.embedded
    }

    /// - Throws: an error of the file system.
    func assets() throws -> [(name: String, bytes: [UInt8])] { try files("assets") ?? Assets.embedded }

    /// - Returns: the tags of the languages and the texts as YAML.
    /// - Throws: an error of the file system.
    func words() throws -> [(language: String, yaml: [UInt8])] {
        try files("words")?.map { (String($0.name.prefix { $0 != "." }), $0.bytes) } ?? Words.embedded
    }

    private func files(_ name: String) throws -> [(name: String, bytes: [UInt8])]? {
        guard let folder else { return nil }
        let files = try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: name), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        return try files.sorted { $0.path() < $1.path() }.map {
            ($0.lastPathComponent, [UInt8](try Data(contentsOf: $0)))
        }
    }
}
