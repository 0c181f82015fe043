import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The routes for a practice of a draft: a questionnaire of stories and inputs that journeys contain.
struct DraftPracticeRoutes: Sendable {
    let context: ServerContext

    private static let path = "/v1/studies/{study}/draft/practices/{practice}"
    private static let code = PathParameter.text(
        "practice", "The code of the practice: 1 to 24 characters a-z, 0-9 and _.", example: "control_morning"
    )

    var get: Route {
        Route(
            .get, Self.path, who: .member, tag: "Drafts", summary: "Read a practice of the draft",
            description: """
                The exercises in order, with the words of all languages. An exercise of another type than a story or an \
                input has the kind `other`. Send `practice` in a PUT request to change it.
                """,
            parameters: [.study, Self.code],
            outcomes: [.json(.ok, "The practice.", Self.schema, headers: [Outcome.entityTag])],
            problems: [.armsBlinded, .draftInvalid]
        ) { call in
            try await reply(context.fetchDraft(call), call.text("practice"))
        }
    }

    var put: Route {
        Route(
            .put, Self.path, who: .editor, tag: "Drafts", summary: "Write a practice of the draft",
            description: """
                Adds the practice, or replaces its words and exercises. The server writes the files of the \
                questionnaire, and the entry of `any_time` in study.yaml with `practice: true`; all other lines of that \
                file stay. An exercise that stays keeps what this form cannot express, such as a maximum length. An \
                exercise of the kind `other` keeps its definition, and only its words change. A picture, sound or film \
                is a file in the folder of the questionnaire, written before with \
                `PUT /v1/studies/{study}/draft/file`. Needs If-Match.
                """,
            parameters: [.study, Self.code],
            body: .json(Self.body, limit: 4 << 20, example: Self.example, handlerReportsFaults: true),
            outcomes: [
                .json(.ok, "The practice after the change.", Self.schema, headers: [Outcome.entityTag])
            ],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let code = try call.text("practice")
            let draft = try await context.changeDraft(call) { draft in
                let before = try Self.files(draft)
                let practice = try Self.practice(code, call, before, draft)
                return try Problem.reading { () throws(PackFaults) in try before.writing(practice) }
            }
            return try await reply(draft, code)
        }
    }

    var delete: Route {
        Route(
            .delete, Self.path, who: .editor, tag: "Drafts", summary: "Remove a practice from the draft",
            description: """
                Removes its files and its entries in study.yaml. A practice that a journey contains is not removed. \
                Published versions keep it. Needs If-Match.
                """,
            parameters: [.study, Self.code],
            outcomes: [.empty(.noContent, "The draft does not have the practice any more.")],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let code = try call.text("practice")
            _ = try await context.changeDraft(call) { draft in
                let before = try Self.files(draft)
                guard before.codes.contains(code) else { throw Self.missing }
                let journeys = try Self.journeys(with: code, draft)
                guard journeys.isEmpty else {
                    throw Problem(
                        draft: journeys.map {
                            PackFault(
                                file: "studies/\(draft.study)/library/programmes.yaml", line: 1,
                                message: "the journey \($0) contains the practice \(code)")
                        })
                }
                return try Problem.reading { () throws(PackFaults) in try before.removing(code) }
            }
            return .noContent
        }
    }

    private static let missing = Problem(.notFound, "The draft has no such practice.")

    private static func files(_ draft: StudyDraft) throws(Problem) -> PracticeFiles {
        try Problem.reading { () throws(PackFaults) in try PracticeFiles(draft.pack, study: draft.study) }
    }

    private static func journeys(_ draft: StudyDraft) throws(Problem) -> [ProgrammeEntry] {
        try Problem.reading { () throws(PackFaults) in
            try ProgrammeFiles(draft.pack, study: draft.study, languages: draft.languages)
        }.programmes
    }

    /// The codes of the journeys that contain a practice.
    private static func journeys(with code: String, _ draft: StudyDraft) throws(Problem) -> [String] {
        try journeys(draft).filter { $0.modules.contains(code) }.map(\.code)
    }

    // MARK: - The body

    /// - Throws: `body-invalid` with all faults.
    private static func practice(
        _ code: String, _ call: Call<Identity>, _ files: PracticeFiles, _ draft: StudyDraft
    ) throws(Problem) -> Practice {
        var faults = BodyFaults(schema: call.schemaFaults)
        let before = try Problem.reading { () throws(PackFaults) in try files.practice(code) }
        if before == nil { try checkNew(code, files, draft, &faults) }
        let folder = files.folder(of: code) ?? "instruments/\(code)/1.0.0/"
        let reader = PracticeBody(
            body: call.body, before: before, languages: Set(files.languages).union(before?.languages ?? []),
            entitlements: Set(files.entitlements).union([before?.entitlement].compactMap(\.self)),
            media: Set(draft.pack.folder(folder).files.keys.map { String($0.dropFirst(folder.count)) }))
        let practice = reader.practice(code, &faults)
        try faults.check()
        return practice
    }

    private static func checkNew(
        _ code: String, _ files: PracticeFiles, _ draft: StudyDraft, _ faults: inout BodyFaults
    ) throws(Problem) {
        if !PackPath.isInstrumentCode(code) {
            faults.add(
                "", "not_a_value", "A code has 1 to 24 characters a-z, 0-9 and _, and begins with a letter.")
        } else if files.questionnaires.contains(code) {
            faults.add(
                "", "duplicate",
                "A questionnaire of the study has this code, and it is no practice: any_time of study.yaml decides that."
            )
        } else if try journeys(draft).contains(where: { $0.code == code }) {
            faults.add("", "duplicate", "A journey has this code.")
        }
    }

    // MARK: - The response

    private func reply(_ draft: StudyDraft, _ code: String) async throws -> Reply {
        let json = try await context.work.run { try Self.json(draft, code) }
        return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
    }

    private static func json(_ draft: StudyDraft, _ code: String) throws(Problem) -> JSON {
        let files = try files(draft)
        guard let practice = try Problem.reading({ () throws(PackFaults) in try files.practice(code) }) else {
            throw missing
        }
        return [
            "study": .string(draft.study), "revision": .int(draft.revision),
            "languages": .strings(files.languages), "entitlements": .strings(files.entitlements),
            "folder": .optional(files.folder(of: code), JSON.string),
            "journeys": .strings(try journeys(with: code, draft)),
            "practice": PracticeBody.json(practice),
        ]
    }

    private static let body = Schema.named("DraftPractice", PracticeBody.schema)

    private static let example: JSON = [
        "title": ["en": "A calm morning"], "minutes": 5,
        "exercises": [
            ["link_id": "story", "kind": "story", "text": ["en": "Sit down, and look out of the window."]],
            [
                "link_id": "thought", "kind": "input", "text": ["en": "What is in your control today?"],
                "placeholder": ["en": "Today I can …"],
            ],
        ],
    ]

    private static let schema = Schema.named(
        "DraftPracticeState",
        .object([
            .required("study", .string(format: .code), "The code of the study."),
            .required("revision", .integer(min: 1), "The revision of the draft; the ETag begins with it."),
            .required("languages", .array(of: .string()), "The languages of the study, the first one first."),
            .required(
                "entitlements", .array(of: .string()),
                "The entitlements of the study that a practice can need."),
            .required("folder", .nullable(.string()), "The folder of its files, with / at the end."),
            .required("journeys", .array(of: .string()), "The codes of the journeys that contain it."),
            .required("practice", body, "The practice."),
        ]))
}
