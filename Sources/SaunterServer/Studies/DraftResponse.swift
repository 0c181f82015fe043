import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The response body for the state of a draft.
struct DraftResponse: Sendable {
    let draft: StudyDraft
    /// The version from which the draft began, with the live library; nil for a new study.
    let base: PackFiles?
    let report: PackReport
    /// The name of the account that changed the draft last; nil if it has no role in the study now.
    let changedBy: String?
    let title: String

    /// The draft with the result of its check.
    init(_ draft: StudyDraft, _ context: ServerContext, language: String?) async throws {
        self.draft = draft
        title = draft.title(in: language)
        report = try await context.check(draft)
        base =
            if let version = draft.basedOn {
                try await context.findPack(of: draft.study, version: version)
            } else { nil }
        changedBy = try await context.store.listStaff(of: draft.study).first { $0.id == draft.changedBy }?
            .name
    }

    func reply(_ status: HTTPResponse.Status = .ok) -> Reply {
        let json = json
        return .json(status, json, entityTag: EntityTag(draft.tag, of: json))
    }

    var json: JSON {
        let pack = draft.pack
        let faults = Dictionary(grouping: report.faults, by: \.file)
        let files = draft.files.keys.sorted().map { path -> JSON in
            [
                "path": .string(path), "bytes": .int(pack.byteCount(path)),
                "media_type": .string(DraftFile.mediaType(path)), "changed": .string(change(of: path)),
                "faults": .int(faults[path]?.count ?? 0),
            ]
        }
        let removed = (base?.files.keys.filter { draft.files[$0] == nil } ?? []).sorted()
        return [
            "study": .string(draft.study), "based_on": .optional(draft.basedOn, JSON.string),
            "revision": .int(draft.revision), "changed_at": .instant(draft.changedAt),
            "changed_by": .optional(changedBy, JSON.string),
            "version": .optional(draft.version, JSON.string), "title": .string(title),
            "files": .array(files), "removed": .strings(removed),
            "faults": .array(report.faults.map(\.json)), "hints": .array(report.hints.map(\.json)),
            "publishable": .bool(report.faults.isEmpty),
            "burden": .strings(report.lines), "minutes": .array(report.burden.map(Self.minutes)),
            "library": .array(report.libraries.flatMap(Self.sizes)),
        ]
    }

    private static func minutes(_ burden: StudyBurden) -> JSON {
        [
            "arm": .string(burden.arm), "phase": .optional(burden.phase, JSON.string),
            "per_day": .double(burden.minutesPerDay),
            "busiest_day": .optional(burden.busiestDayMinutes, JSON.double),
            "includes_walks": .bool(burden.includesWalks),
        ]
    }

    private static func sizes(_ library: LibrarySize) -> [JSON] {
        library.parts.map {
            ["kind": .string(library.kind.rawValue), "code": .string($0.code), "items": .int($0.count)]
        }
    }

    private func change(of path: String) -> String {
        guard let before = base?[path] else { return "added" }
        return before == draft.files[path] ? "same" : "changed"
    }

    static let schema = Schema.named(
        "StudyDraft",
        .object([
            .required("study", .string(format: .code), "The code of the study."),
            .required(
                "based_on", .nullable(.string()),
                "The published version from which the draft began; null for a new study."),
            .required("revision", .integer(min: 1), "Each change adds 1. In If-Match it is the ETag."),
            .required("changed_at", .instant, "When the draft was last changed."),
            .required(
                "changed_by", .nullable(.string()),
                "The display name of the account that changed it last; null if it has no role in the study now."
            ),
            .required(
                "version", .nullable(.string()),
                "The version that study.yaml states; null if it cannot be read."),
            .required("title", .string(), "The title of the study, or its code if no title can be read."),
            .required(
                "files",
                .array(
                    of: .object([
                        .required("path", .string(), "The path of the file in the pack."),
                        .required("bytes", .integer(min: 0), "The size of the file."),
                        .required("media_type", .string(), "The media type by the name of the file."),
                        .required(
                            "changed", .string(values: ["added", "changed", "same"]),
                            "Whether the file differs from the version from which the draft began."),
                        .required("faults", .integer(min: 0), "The number of faults in the file."),
                    ])), "All files, by path."),
            .required(
                "removed", .array(of: .string()),
                "The files of the version from which the draft began that the draft does not contain."),
            .required("faults", .array(of: PackFault.schema), "What prevents publishing."),
            .required(
                "hints", .array(of: PackFault.schema), "Permitted definitions that are probably mistakes."),
            .required("publishable", .boolean, "Whether the check finds no fault."),
            .required(
                "burden", .array(of: .string()),
                "The minutes of questionnaires per day and arm, and the size of the library, as lines in English; empty with faults."
            ),
            .required(
                "minutes",
                .array(
                    of: .object([
                        .required("arm", .string(), "The code of the arm."),
                        .required(
                            "phase", .nullable(.string()), "The code of the phase; null for the whole study."
                        ),
                        .required("per_day", .number(), "The minutes of questionnaires per day."),
                        .required(
                            "busiest_day", .nullable(.number()),
                            "The minutes on the busiest day, by the schedules that count from the enrolment; null if there are none, and for a phase."
                        ),
                        .required("includes_walks", .boolean, "Whether one walk a day is assumed."),
                    ])),
                "What the questionnaires take a participant: each arm, then its phases. Empty with faults."),
            .required(
                "library",
                .array(
                    of: .object([
                        .required(
                            "kind", .string(values: LibrarySize.Kind.allCases.map(\.rawValue)),
                            "Whether items of a collection or practices of a programme are counted."),
                        .required("code", .string(), "The code of the collection or programme."),
                        .required("items", .integer(min: 0), "The number of items or practices."),
                    ])), "The size of the library; empty with faults."),
        ]))
}
