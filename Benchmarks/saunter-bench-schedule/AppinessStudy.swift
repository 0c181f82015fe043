import Foundation
import SaunterCore
import SaunterPacks
import SaunterStore

/// The study appiness of this repository, with two more rules: one with `entry`, and one with `reached`.
struct AppinessStudy {
    private static let code = "appiness"
    private let pack: StudyPack
    private let files: PackFiles

    /// - Throws: the faults of the pack.
    init() throws {
        let repository = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let folder = repository.standardizedFileURL.appending(path: "Questionnaires/studies/\(Self.code)")
        var files = try PackFiles.load(directory: folder.path).files
        let study = "studies/\(Self.code)/"
        files[study + "rules.yaml", default: ""] += """
              - code: thanks
                at: {entry: mood}
                do: {message: {target: mood}}
              - code: third_mood
                at: {reached: "moods_month >= 3"}
                do: {award: {code: third_mood}}

            """
        for language in ["en", "de"] {
            // The file ends with the section `rules`.
            files[study + "content/text.\(language).yaml", default: ""] += """
                  thanks: {subject: Thank you, body: "Moods this month: {{moods_month}}"}
                awards:
                  third_mood: {title: Three moods, text: Recorded in one month}

                """
        }
        self.files = PackFiles(files: files)
        pack = try StudyPack.read(self.files, study: Self.code)
    }

    /// Publishes the version and the library.
    func publish(to store: Store, now: Instant) async throws {
        let library = "studies/\(Self.code)/" + PackPath.library
        let publication = Publication(
            study: Self.code, version: pack.study.version, digest: pack.digest,
            files: files.files.filter { !$0.key.hasPrefix(library) },
            instruments: pack.study.questionnaires.map { questionnaire in
                Publication.Instrument(
                    code: questionnaire.code, version: questionnaire.version,
                    digest: pack.instrumentDigests[questionnaire.code] ?? "", structure: questionnaire.json())
            })
        _ = try await store.publish(publication, now: now)
        let items = pack.library.collections.map { ($0.code, $0.items.map(\.id)) }
        _ = try await store.publish(
            EditionDraft(
                study: Self.code, digest: pack.libraryDigest ?? "",
                files: files.files.filter { $0.key.hasPrefix(library) }, media: [],
                items: Dictionary(items, uniquingKeysWith: { first, _ in first })),
            now: now)
    }
}
