import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The routes that give the changed parts of a draft new version numbers.
struct DraftVersionRoutes: Sendable {
    let context: ServerContext

    private static let path = "/v1/studies/{study}/draft/versions"

    var get: Route {
        Route(
            .get, Self.path, who: .editor, tag: "Drafts", summary: "List the versions that have to be raised",
            description: """
                A published version never changes. Lists the questionnaires of the draft whose files differ from the \
                published version of the same number, and the study if anything outside of `library/` differs, with the \
                versions that POST would give them.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "The versions; none if all numbers are free.", Self.schema)],
            problems: [.armsBlinded, .draftInvalid]
        ) { call in
            .json(.ok, try await raised(context.fetchDraft(call)).json)
        }
    }

    var create: Route {
        Route(
            .post, Self.path, who: .editor, tag: "Drafts", summary: "Raise the versions of what changed",
            description: """
                Each questionnaire whose files differ from the published version of the same number becomes the next \
                patch version: its folder moves, and study.yaml names the new version. The study becomes the next patch \
                version if anything outside of `library/` differs. Comments and all other lines stay. If nothing has to \
                be raised, the draft keeps its revision. Needs If-Match.
                """,
            parameters: [.study],
            outcomes: [
                .json(.ok, "The versions that were raised.", Self.result, headers: [Outcome.entityTag])
            ],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            let raised = try await raised(draft)
            let saved = try await context.saveIfChanged(raised.files, as: draft, call)
            let language = context.language(
                call.headers[.acceptLanguage], of: saved.languages, fallback: saved.languages.first ?? "en")
            var json = raised.json.object ?? [:]
            json["draft"] = try await DraftResponse(saved, context, language: language).json
            return .json(.ok, .object(json), entityTag: EntityTag(saved.tag, of: .object(json)))
        }
    }

    // MARK: - What is raised

    private struct Raised {
        var files: PackFiles
        var questionnaires: [VersionRaise.Step] = []
        var study: VersionRaise.Step?

        var json: JSON {
            [
                "questionnaires": .array(
                    questionnaires.map {
                        ["code": .string($0.code), "from": .string($0.from), "to": .string($0.to)]
                    }),
                "study": .optional(study) { ["from": .string($0.from), "to": .string($0.to)] },
            ]
        }
    }

    private func raised(_ draft: StudyDraft) async throws -> Raised {
        var raised = Raised(files: draft.pack)
        for reference in try await raise(raised.files, draft, \.references) {
            let published = try await context.store.findQuestionnaireDigest(
                reference.code, version: reference.version)
            guard let published, published != reference.digest,
                let next = try await nextVersion(of: reference, draft)
            else { continue }
            let step = VersionRaise.Step(code: reference.code, from: reference.version, to: next)
            raised.files = try await raise(raised.files, draft) { before throws(PackFaults) in
                try before.raisingQuestionnaire(step)
            }
            raised.questionnaires.append(step)
        }
        let after = try await raise(raised.files, draft) { (version: $0.version, digest: $0.digest) }
        guard let version = after.version,
            let published = try await context.store.findStudyDigest(draft.study, version: version),
            published != after.digest, let next = try await nextVersion(after: version, draft)
        else { return raised }
        raised.files = try await raise(raised.files, draft) { after throws(PackFaults) in
            try after.raisingStudy(to: next)
        }
        raised.study = VersionRaise.Step(code: draft.study, from: version, to: next)
        return raised
    }

    /// Reads the versions of the files, and makes something of them.
    private func raise<Value: Sendable>(
        _ files: PackFiles, _ draft: StudyDraft,
        _ make: @escaping @Sendable (VersionRaise) throws(PackFaults) -> Value
    ) async throws -> Value {
        try await context.work.run {
            try Problem.reading { () throws(PackFaults) in
                try make(VersionRaise(files, study: draft.study))
            }
        }
    }

    /// The first patch version of a questionnaire that is neither published, by any study, nor in the draft.
    private func nextVersion(of reference: VersionRaise.Reference, _ draft: StudyDraft) async throws
        -> String?
    {
        var version = VersionRaise.next(after: reference.version)
        while let candidate = version {
            let folder = "instruments/\(reference.code)/\(candidate)/"
            let isFree = !draft.files.keys.contains { $0.hasPrefix(folder) }
            if isFree,
                try await context.store.findQuestionnaireDigest(reference.code, version: candidate) == nil
            {
                return candidate
            }
            version = VersionRaise.next(after: candidate)
        }
        return nil
    }

    private func nextVersion(after version: String, _ draft: StudyDraft) async throws -> String? {
        var next = VersionRaise.next(after: version)
        while let candidate = next {
            if try await context.store.findStudyDigest(draft.study, version: candidate) == nil {
                return candidate
            }
            next = VersionRaise.next(after: candidate)
        }
        return nil
    }

    // MARK: - Schema

    private static let members: [Schema.Member] = [
        .required(
            "questionnaires",
            .array(
                of: .object([
                    .required("code", .string(), "The code of the questionnaire."),
                    .required("from", .string(), "The version that is published with other content."),
                    .required("to", .string(), "The next version that is free."),
                ])), "In the order of study.yaml."),
        .required(
            "study",
            .nullable(
                .object([
                    .required("from", .string(), "The version that is published with other content."),
                    .required("to", .string(), "The next version that is free."),
                ])), "Null if the version of the study is free, or if only the library changed."),
    ]

    private static let schema = Schema.named("DraftVersions", .object(members))

    private static let result = Schema.named(
        "RaisedVersions",
        .object(members + [.required("draft", DraftResponse.schema, "The draft after the change.")]))
}
