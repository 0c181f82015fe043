import Foundation
import SaunterCore
import SaunterPacks
import SaunterStore
import Testing

@testable import SaunterServer

/// The pack `journeys` under another code. Each test has its own study, so that it can publish later editions and
/// versions.
struct JourneysPack: Sendable {
    let code = "journeys-" + UUID().uuidString.prefix(8).lowercased()
    private(set) var files: [String: String]

    init() throws {
        let root = URL(filePath: #filePath).pathComponents.dropLast(4).joined(separator: "/").dropFirst()
        let folder = "\(root)/Tests/Acceptance/packs/journeys/studies/journeys"
        files = [:]
        for (path, text) in try PackFiles.load(directory: folder).files {
            files[path.replacing("studies/journeys/", with: "studies/\(code)/")] =
                text.replacing("code: journeys\n", with: "code: \(code)\n")
        }
    }

    /// Replaces a part of a file, which must be there.
    /// - Parameter file: below the folder of the study, such as `library/programmes.yaml`; or a path of an instrument.
    mutating func replace(_ old: String, _ new: String, in file: String) throws {
        let path = file.hasPrefix("instruments/") ? file : "studies/\(code)/\(file)"
        let text = try #require(files[path])
        try #require(text.contains(old), "\(path)")
        files[path] = text.replacing(old, with: new)
    }

    /// Removes a file below the folder of the study.
    mutating func remove(_ file: String) { files["studies/\(code)/\(file)"] = nil }

    /// Makes the next version of an instrument from its files of version 1.0.0, and lets the study use it.
    mutating func raise(_ instrument: String, to version: String) throws {
        let folder = "instruments/\(instrument)/1.0.0/"
        for (path, text) in files where path.hasPrefix(folder) {
            files[path] = nil
            files["instruments/\(instrument)/\(version)/\(path.dropFirst(folder.count))"] =
                text.replacing("version: 1.0.0", with: "version: \(version)")
        }
        try replace(
            "code: \(instrument), version: 1.0.0", "code: \(instrument), version: \(version)",
            in: "study.yaml")
    }

    /// Publishes the library, and the study if its version is new. Everybody follows the version.
    /// - Returns: the number of the live edition.
    @discardableResult
    func publish(to server: ServerFixture) async throws -> Int {
        let publication = try StudyPublication(PackFiles(files: files), study: code)
        _ = try await server.store.publish(publication.publication, now: ServerFixture.now)
        let edition = try #require(publication.edition)
        let published = try await server.store.publish(edition, now: ServerFixture.now)
        _ = try await server.store.moveEnrolments(to: publication.study, now: ServerFixture.now)
        return published.edition
    }

    /// Publishes the pack, and runs the body with a new participant of the study.
    static func withParticipant(
        _ body: @Sendable (JourneysPack, APICaller) async throws -> Void
    ) async throws {
        let pack = try JourneysPack()
        try await pack.publish(to: ServerFixture.running())
        try await ServerFixture.withParticipant(in: pack.code) { try await body(pack, $0) }
    }
}
