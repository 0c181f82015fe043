import Foundation
import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// Routes that compare two states of a study's files.
struct DifferenceRoutes: Sendable {
    let context: ServerContext

    private static let comparison = """
        The content of YAML files is compared, so a changed comment is only a changed line. In a blinded study the \
        caller needs the permission to see arms, because the files contain their codes.
        """

    var ofVersion: Route {
        Route(
            .get, "/v1/studies/{study}/versions/{version}/difference", who: .member, tag: "Drafts",
            summary: "Compare a version with another one",
            description: "\(Self.comparison) The first version is compared with an empty study.",
            parameters: [.study, .text("version", "A published version of the study.", example: "1.0.0")],
            query: [
                QueryParameter(
                    "from", .string(minLength: 1, maxLength: 64),
                    "The other version. The default is the version that was published before.")
            ],
            outcomes: [.json(.ok, "What the version changed.", DifferenceResponse.schema)],
            problems: [.notFound, .armsBlinded]
        ) { call in
            let (study, version) = (try call.text("study"), try call.text("version"))
            try await context.armView(of: study, for: call.caller).requireCodes()
            let versions = try await context.store.listStudyVersions(study)
            guard let index = versions.firstIndex(of: version) else { throw Problem(.notFound) }
            let from = call.query("from") ?? (index > 0 ? versions[index - 1] : nil)
            guard from.map({ versions.contains($0) }) ?? true else { throw Problem(.notFound) }
            let before = try await files(of: study, from)
            let after = try await files(of: study, version)
            let difference = try await context.work.run {
                PackDifference(from: before, to: after, study: study)
            }
            return .json(.ok, DifferenceResponse(from: from, to: version, difference: difference).json)
        }
    }

    var ofDraft: Route {
        Route(
            .get, "/v1/studies/{study}/draft/difference", who: .member, tag: "Drafts",
            summary: "Compare the draft with the live version",
            description: """
                \(Self.comparison) The library is compared with the live edition. The draft of a new study is compared \
                with an empty study.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "What the draft changes.", DifferenceResponse.schema)],
            problems: [.notFound, .armsBlinded]
        ) { call in
            let study = try call.text("study")
            let draft = try await context.fetchDraft(call)
            let live = try await context.store.findStudy(study)?.liveVersion
            var before = try await files(of: study, live).files
            if let edition = try await context.store.findLiveEdition(of: study) {
                before.merge(
                    try await context.store.findEdition(edition, of: study)?.files ?? [:],
                    uniquingKeysWith: { first, _ in first })
            }
            let earlier = before
            let difference = try await context.work.run {
                PackDifference(
                    from: PackFiles(files: earlier),
                    to: draft.pack.published(study: study).namingLibraryMedia(study: study), study: study)
            }
            return .json(
                .ok, DifferenceResponse(from: live, to: draft.version, difference: difference).json)
        }
    }

    /// The files of a version; none without a version.
    private func files(of study: String, _ version: String?) async throws -> PackFiles {
        guard let version else { return PackFiles(files: [:]) }
        guard let stored = try await context.store.findStudyFiles(study, version: version) else {
            throw Problem(.notFound)
        }
        return PackFiles(files: stored.files)
    }
}

extension PackFiles {
    /// The `version` of the study; nil if `study.yaml` cannot be read.
    func version(of study: String) -> String? {
        guard let folder = PackPath.study(study), let text = self[folder + PackPath.study] else { return nil }
        // A fault of the syntax is a fault of the draft, and not of this request.
        return (try? YAMLDocument.json(text, name: PackPath.study))?["version"]?.string
    }

    /// The files with a reference instead of the bytes of each media file of the library, as in a published edition.
    fileprivate func namingLibraryMedia(study: String) -> PackFiles {
        let library = "studies/\(study)/" + PackPath.library
        var files = files
        for path in files.keys where path.hasPrefix(library) {
            guard let bytes = media(path), let media = ContentMedia(bytes) else { continue }
            files[path] = EditionDraft.reference(to: media.digest)
        }
        return PackFiles(files: files)
    }
}
