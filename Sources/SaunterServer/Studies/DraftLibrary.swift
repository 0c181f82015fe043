import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The library of a draft after it has taken over a newer edition. A file that only the edition changed is that of the
/// edition. A file that the editors changed stays as they wrote it.
struct DraftLibrary: Sendable, Equatable {
    /// The edition with which the library of the draft began; nil if there was none.
    var base: Int?
    /// The live edition.
    var live = 0
    /// All files of the library.
    private(set) var files: [String: String] = [:]
    /// The files that come from the edition, or are removed like in the edition, in order.
    private(set) var takenOver: [String] = []
    /// The files that the edition and the editors changed in different ways, in order. They stay as in the draft.
    private(set) var kept: [String] = []

    /// - Parameters:
    ///   - base: path -> text in the edition with which the draft began.
    ///   - draft: in the draft.
    ///   - live: in the live edition.
    init(base: [String: String], draft: [String: String], live: [String: String]) {
        for path in Set(base.keys).union(draft.keys).union(live.keys).sorted() {
            let (before, mine, theirs) = (base[path], draft[path], live[path])
            let isTaken = mine != theirs && mine == before
            if isTaken { takenOver.append(path) }
            if mine != theirs, mine != before, theirs != before { kept.append(path) }
            files[path] = isTaken ? theirs : mine
        }
    }

    var json: JSON {
        [
            "base": .optional(base, JSON.int), "live": .int(live), "taken_over": .strings(takenOver),
            "kept": .strings(kept),
        ]
    }

    static let schema = Schema.named(
        "DraftLibrary",
        .object([
            .required(
                "base", .nullable(.integer(min: 1)),
                "The edition with which the library of the draft began; null if there was none."),
            .required("live", .integer(min: 1), "The live edition."),
            .required(
                "taken_over", .array(of: .string()),
                "The files that the draft takes from the live edition, or removes like the edition."),
            .required(
                "kept", .array(of: .string()),
                "The files that the edition and the editors changed in different ways. They stay as in the draft."
            ),
        ]))
}

extension StudyDraft {
    /// The folder of the library.
    private var libraryFolder: String { "studies/\(study)/" + PackPath.library }
    /// The files of the library.
    fileprivate var library: [String: String] { files.filter { $0.key.hasPrefix(libraryFolder) } }

    /// All files, with another library.
    fileprivate func replacing(_ library: DraftLibrary) -> PackFiles {
        let others = files.filter { !$0.key.hasPrefix(libraryFolder) }
        return PackFiles(files: others.merging(library.files, uniquingKeysWith: { $1 }))
    }
}

extension ServerContext {
    /// What the draft takes over from an edition that was published after its library began; nil if there is no such
    /// edition, if the draft has no library, or if its library is that of the edition.
    func findNewerLibrary(than draft: StudyDraft) async throws -> DraftLibrary? {
        let library = draft.library
        guard let live = try await store.findLiveEdition(of: draft.study), live > draft.edition ?? 0,
            !library.isEmpty
        else { return nil }
        let files = try await libraryFiles(of: draft.study, edition: live)
        guard files != library else { return nil }
        var found = DraftLibrary(
            base: try await libraryFiles(of: draft.study, edition: draft.edition), draft: library, live: files
        )
        (found.base, found.live) = (draft.edition, live)
        return found
    }
}

/// The route that takes a newer edition of the library over into a draft.
struct DraftLibraryRoutes: Sendable {
    let context: ServerContext

    var take: Route {
        Route(
            .post, "/v1/studies/{study}/draft/library", who: .editor, tag: "Drafts",
            summary: "Take the live edition of the library over into the draft",
            description: """
                For a draft whose library is older than the live edition, which the preview states as `library`. A file \
                that only the edition changed becomes that of the edition. A file that only the draft changed stays. A \
                file that both changed in different ways stays as in the draft, and is listed in `kept`. Then the draft \
                can be published. Without a newer edition, nothing changes, and the lists are empty. Needs If-Match.
                """,
            parameters: [.study],
            outcomes: [
                .json(
                    .ok, "The draft contains the live edition.",
                    .named(
                        "DraftLibraryUpdate",
                        .object([
                            .required("revision", .integer(min: 1), "The revision of the draft."),
                            .required(
                                "library", .nullable(DraftLibrary.schema),
                                "What was taken over; null if there was no newer edition."),
                        ])), headers: [Outcome.entityTag])
            ],
            problems: [.notFound, .draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            var draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            let library = try await context.findNewerLibrary(than: draft)
            if let library {
                draft = try await context.save(
                    draft.replacing(library), as: draft, edition: library.live, call)
            }
            let json: JSON = [
                "revision": .int(draft.revision), "library": .optional(library, \.json),
            ]
            return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
        }
    }

    var restore: Route {
        Route(
            .put, "/v1/studies/{study}/draft/library", who: .editor, tag: "Drafts",
            summary: "Replace the library of the draft by that of an edition",
            description: """
                Restores what a later edition withdrew or changed. The publication of the draft then makes it a \
                new edition. All changes of the draft's library are replaced. Needs If-Match.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "DraftLibraryRestoration",
                    .object([.required("edition", .integer(min: 1), "A published edition of the library.")])),
                example: ["edition": 1]),
            outcomes: [.json(.ok, "The changed draft.", DraftResponse.schema, headers: [Outcome.entityTag])],
            problems: [.notFound, .draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            let files = try await context.libraryFiles(of: draft.study, edition: call.body["edition"]?.int)
            guard !files.isEmpty else { throw Problem(.notFound, "The study has no such edition.") }
            var library = DraftLibrary(base: [:], draft: files, live: [:])
            library.live = try await context.store.findLiveEdition(of: draft.study) ?? 0
            let saved = try await context.save(
                draft.replacing(library), as: draft, edition: library.live, call)
            let language = context.language(
                call.headers[.acceptLanguage], of: saved.languages, fallback: saved.languages.first ?? "en")
            return try await DraftResponse(saved, context, language: language).reply()
        }
    }
}
