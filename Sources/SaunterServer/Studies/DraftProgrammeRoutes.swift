import HTTPTypes
import SaunterCore
import SaunterPacks
import SaunterStore

/// The routes for the journeys (programmes) of a draft.
struct DraftProgrammeRoutes: Sendable {
    let context: ServerContext

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/draft/programmes", who: .member, tag: "Drafts",
            summary: "List the journeys of the draft",
            description: """
                In the order in which participants see them, with the words of all languages. `states` compares each \
                journey with the published library. Send `programmes` in a PUT request to change them.
                """,
            parameters: [.study],
            outcomes: [.json(.ok, "The journeys.", Self.schema, headers: [Outcome.entityTag])],
            problems: [.armsBlinded, .draftInvalid]
        ) { call in
            try await reply(context.fetchDraft(call))
        }
    }

    var put: Route {
        Route(
            .put, "/v1/studies/{study}/draft/programmes", who: .editor, tag: "Drafts",
            summary: "Replace the journeys of the draft",
            description: """
                The list is the complete library of journeys: a journey that it does not contain is removed from the \
                draft. To take a published journey out of the lists of participants, set `withdrawn` instead, so that \
                its entries stay readable. The server writes `library/programmes.yaml` and the files of words. All \
                faults are reported together. Missing words do not prevent saving; they prevent publishing. A picture \
                that no journey uses any more is removed. Needs If-Match.
                """,
            parameters: [.study],
            body: .json(Self.body, limit: 8 << 20, example: Self.example, handlerReportsFaults: true),
            outcomes: [
                .json(.ok, "The journeys after the change.", Self.schema, headers: [Outcome.entityTag])
            ],
            problems: [.draftInvalid, .preconditionRequired, .preconditionFailed, .armsBlinded]
        ) { call in
            let draft = try await context.changeDraft(call) { draft in
                let before = try Self.files(draft)
                let new = try Self.programmes(call, before, draft)
                return try Problem.reading { () throws(PackFaults) in try before.writing(new) }
            }
            return try await reply(draft)
        }
    }

    // MARK: - The body

    private static func files(_ draft: StudyDraft) throws(Problem) -> ProgrammeFiles {
        try Problem.reading { () throws(PackFaults) in
            try ProgrammeFiles(draft.pack, study: draft.study, languages: draft.languages)
        }
    }

    /// The programmes of the body.
    /// - Throws: `body-invalid` with all faults.
    private static func programmes(
        _ call: Call<Identity>, _ before: ProgrammeFiles, _ draft: StudyDraft
    ) throws(Problem) -> [ProgrammeEntry] {
        var faults = BodyFaults(schema: call.schemaFaults)
        let practices = try Problem.reading { () throws(PackFaults) in
            try PracticeFiles(draft.pack, study: draft.study)
        }
        // What the draft already contains can be kept, so that one wrong journey does not prevent all other changes.
        let known = Known(
            languages: Set(draft.languages).union(before.programmes.flatMap { $0.words.keys }),
            modules: Set(practices.codes).union(before.programmes.flatMap(\.modules)),
            practices: Set(practices.questionnaires),
            pictures: Set(before.programmes.compactMap(\.picture)), files: draft.files, folder: before.folder)
        var codes: Set<String> = []
        var programmes: [ProgrammeEntry] = []
        for (index, json) in (call.body["programmes"]?.array ?? []).enumerated() {
            let pointer = "/programmes/\(index)"
            let entry = known.entry(json, pointer, &faults)
            if !codes.insert(entry.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another journey has this code.")
            }
            programmes.append(entry)
        }
        try faults.check()
        return programmes
    }

    /// What journeys can refer to.
    private struct Known {
        let languages: Set<String>
        let modules: Set<String>
        /// The codes of all questionnaires.
        let practices: Set<String>
        let pictures: Set<String>
        let files: [String: String]
        let folder: String

        func entry(_ json: JSON, _ pointer: String, _ faults: inout BodyFaults) -> ProgrammeEntry {
            let code = json["code"]?.string ?? ""
            if !PackPath.isInstrumentCode(code) {
                faults.add(
                    "\(pointer)/code", "not_a_value",
                    "A code has 1 to 24 characters a-z, 0-9 and _, and begins with a letter.")
            } else if practices.contains(code) {
                faults.add("\(pointer)/code", "duplicate", "A questionnaire of the study has this code.")
            }
            var entry = ProgrammeEntry(code: code)
            let title = faults.texts(json["title"], at: "\(pointer)/title", known: languages)
            let subtitle = faults.texts(json["subtitle"], at: "\(pointer)/subtitle", known: languages)
            let introduction = faults.texts(
                json["introduction"], at: "\(pointer)/introduction", known: languages)
            if title.isEmpty {
                faults.add(
                    "\(pointer)/title", "required", "A journey needs a title in at least one language.")
            }
            for language in Set(title.keys).union(subtitle.keys).union(introduction.keys) {
                entry.words[language] = ProgrammeEntry.Words(
                    title: title[language], subtitle: subtitle[language], introduction: introduction[language]
                )
            }
            entry.authors = (json["authors"]?.array ?? []).compactMap(\.string)
                .filter { !$0.allSatisfy(\.isWhitespace) }
            entry.isWithdrawn = json["withdrawn"]?.bool ?? false
            for (index, module) in (json["modules"]?.array ?? []).compactMap(\.string).enumerated() {
                let place = "\(pointer)/modules/\(index)"
                if entry.modules.contains(module) {
                    faults.add(place, "duplicate", "The journey already contains this practice.")
                } else if !modules.contains(module) {
                    faults.add(place, "unknown", "The study has no practice with this code.")
                }
                entry.modules.append(module)
            }
            if let picture = json["picture"]?.string {
                let isFile = picture.hasPrefix(PackPath.media) && files[folder + picture] != nil
                if !isFile && !pictures.contains(picture) {
                    faults.add(
                        "\(pointer)/picture", "unknown",
                        "The draft has no file library/\(PackPath.media)… of this name.")
                }
                entry.picture = picture
            }
            return entry
        }
    }

    // MARK: - The response

    private func reply(_ draft: StudyDraft) async throws -> Reply {
        let base = try await context.base(of: draft)
        let json = try await context.work.run { try Self.json(draft, base) }
        return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
    }

    private static func json(_ draft: StudyDraft, _ base: PackFiles?) throws(Problem) -> JSON {
        let programmes = try files(draft)
        let practices = try Problem.reading { () throws(PackFaults) in
            try PracticeFiles(draft.pack, study: draft.study)
        }
        let published = base.flatMap {
            try? ProgrammeFiles($0, study: draft.study, languages: draft.languages)
        }
        let before = Dictionary(
            (published?.programmes ?? []).map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
        func state(_ entry: ProgrammeEntry) -> String {
            guard let old = before[entry.code] else { return "added" }
            let picture = entry.picture.map { programmes.folder + $0 }
            let isSame = old == entry && picture.map { base?[$0] == draft.files[$0] } ?? true
            return isSame ? "same" : "changed"
        }
        let codes = programmes.programmes.map(\.code)
        let kept = (published?.programmes ?? []).map(\.code).filter(codes.contains)
        return [
            "study": .string(draft.study), "revision": .int(draft.revision),
            "languages": .strings(draft.languages),
            "programmes": .array(programmes.programmes.map(json)),
            "states": .object(
                JSONObject(
                    programmes.programmes.map { .init(name: $0.code, value: .string(state($0))) })),
            "removed": .strings(before.keys.filter { !codes.contains($0) }.sorted()),
            "order_changed": .bool(kept != codes.filter { before[$0] != nil }),
            "practices": .array(
                practices.codes.map {
                    ["code": .string($0), "title": .texts(practices.titles(of: $0))]
                }),
        ]
    }

    private static func json(_ entry: ProgrammeEntry) -> JSON {
        [
            "code": .string(entry.code), "title": .texts(entry.words.compactMapValues(\.title)),
            "subtitle": .texts(entry.words.compactMapValues(\.subtitle)),
            "introduction": .texts(entry.words.compactMapValues(\.introduction)),
            "picture": .optional(entry.picture, JSON.string), "authors": .strings(entry.authors),
            "modules": .strings(entry.modules), "withdrawn": .bool(entry.isWithdrawn),
        ]
    }

    private static let programme = Schema.named(
        "DraftProgramme",
        .object([
            .required(
                "code", .string(maxLength: 24),
                "The code: 1 to 24 characters a-z, 0-9 and _. It is never reused for another journey."),
            .required("title", .texts(maxLength: 200), "The title by language."),
            .optional("subtitle", .texts(maxLength: 500), "The line below the title, by language."),
            .optional("introduction", .texts(maxLength: 50_000), "Markdown by language."),
            .optional(
                "picture", .nullable(.string(maxLength: 200)),
                "The path in the folder of the library, such as media/control.png. Write the file first."),
            .optional("authors", .array(of: .string(maxLength: 200), max: 50), "The names of the authors."),
            .required(
                "modules", .array(of: .string(maxLength: 24), max: Programme.maximumModules),
                "The codes of practices, in order."),
            .optional(
                "withdrawn", .boolean, "Whether the journey has left the lists. Default: false."),
        ]))

    private static let list = Schema.array(of: programme, max: Programme.maximumCount)

    private static let body = Schema.named(
        "DraftProgrammeList", .object([.required("programmes", list, "All journeys, in order.")]))

    private static let example: JSON = [
        "programmes": [
            [
                "code": "control", "title": ["en": "What is in our control"], "modules": [],
                "authors": ["Epictetus"],
            ]
        ]
    ]

    private static let schema = Schema.named(
        "DraftProgrammes",
        .object([
            .required("study", .string(format: .code), "The code of the study."),
            .required("revision", .integer(min: 1), "The revision of the draft; the ETag begins with it."),
            .required("languages", .array(of: .string()), "The languages of the study, the first one first."),
            .required("programmes", list, "All journeys, in order."),
            .required(
                "states", .map(of: .string(values: ["added", "changed", "same"])),
                "Code -> whether the journey differs from the published library."),
            .required(
                "removed", .array(of: .string()),
                "The codes of published journeys that the draft does not have."),
            .required("order_changed", .boolean, "Whether published journeys have another order."),
            .required(
                "practices",
                .array(
                    of: .object([
                        .required("code", .string(), "The code of the questionnaire."),
                        .required("title", .map(of: .string()), "Its title by language."),
                    ])), "The practices of the study, which journeys can contain."),
        ]))
}
