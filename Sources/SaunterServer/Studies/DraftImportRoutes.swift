import HTTPTypes
import SaunterCore
import SaunterExchange
import SaunterPacks
import SaunterStore

extension BodyRule {
    /// The limit of a file with questionnaires of other formats: 16 MiB.
    package static let questionnairesLimit = 16 * 1024 * 1024
}

/// The route that imports questionnaires of other formats into the draft of a study.
struct DraftImportRoutes: Sendable {
    let context: ServerContext

    private static let mediaTypes = [
        "application/octet-stream", "application/json", "application/fhir+json", "text/csv",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ]

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/draft/questionnaires", who: .editor, tag: "Drafts",
            summary: "Import questionnaires into the draft of a study",
            description: """
                The body is a FHIR Questionnaire or a Bundle of them, a REDCap data dictionary, or \
                an XLSForm. All questionnaires of the file become instruments of the draft, or none: the problem \
                `questionnaire-invalid` has all reasons, each with its position in the file.

                With `schedule`, the questionnaires are added to the study as well: to the list in `study.yaml`, and to \
                `schedule.yaml` or to `any_time`. All other lines of these files stay as they are, with their comments. \
                If the study has another version of a questionnaire, it uses the imported version then. A questionnaire \
                that already has a schedule keeps it.

                The same file again changes nothing. Send the ETag of the draft in If-Match.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "format", .string(values: QuestionnaireImport.Format.allCases.map(\.rawValue)),
                    "The format of the file. It is required."),
                QueryParameter(
                    "name", .string(minLength: 1, maxLength: 200, format: .line),
                    """
                    The name of a questionnaire whose file contains none; usually the name of the file. The default is \
                    questionnaire.
                    """),
                QueryParameter(
                    "schedule", .string(values: AddedQuestionnaire.Frequency.allCases.map(\.rawValue)),
                    """
                    When the questionnaires are asked: `once` after the enrolment, `daily` or `weekly` from the enrolment \
                    to the end of the study, or at `any_time`. Without it, they are not added to the study.
                    """),
                QueryParameter(
                    "open", .string(maxLength: 8),
                    """
                    The time of day at which a questionnaire opens, such as 18:00. Required for `daily` and `weekly`. \
                    With it, `once` is the day after the enrolment; without it, the first seven days.
                    """),
                QueryParameter(
                    "close", .string(maxLength: 8),
                    "The time of day at which it closes; on the next day if it is not after the opening."),
                QueryParameter(
                    "existing", .string(values: PackImport.Collision.allCases.map(\.rawValue)),
                    """
                    What happens if the draft has this version of a questionnaire with other content: `refuse` rejects \
                    the file, and `next_version` gives the questionnaire the next version. The default is `refuse`.
                    """),
                QueryParameter(
                    "free_text", .boolean,
                    """
                    FHIR: whether a choice whose options are not in the file becomes a text question. Otherwise such a \
                    questionnaire is rejected. The default is false.
                    """),
            ],
            body: .file(Self.mediaTypes, limit: BodyRule.questionnairesLimit),
            outcomes: [
                .json(.ok, "The draft contains the questionnaires.", Self.schema, headers: [Self.tag])
            ],
            problems: [
                .notFound, .armsBlinded, .preconditionRequired, .preconditionFailed, .questionnaireInvalid,
                .draftInvalid,
            ]
        ) { call in
            let draft = try await context.fetchDraft(call)
            try call.requireMatch(draft.tag)
            let imported = try await imported(call.rawBody, ImportQuery(call), into: draft)
            guard imported.files != draft.files else { return try await reply(imported, draft, call) }
            return try await reply(imported, save(imported, draft, call), call)
        }
    }

    private func imported(
        _ bytes: [UInt8], _ query: ImportQuery, into draft: StudyDraft
    ) async throws -> PackImport {
        try await context.work.run {
            do throws(ImportErrors) {
                return try PackImport(
                    bytes, format: query.format, name: query.name, allowsFreeText: query.allowsFreeText,
                    into: draft.files, study: draft.study, collision: query.collision,
                    schedule: query.schedule)
            } catch {
                throw Problem(.questionnaireInvalid, Faults(error.list.map(Self.fault)))
            }
        }
    }

    /// The reason as a fault. The location is also part of the text, because only JSON files have pointers.
    private static func fault(_ error: ImportError) -> Fault {
        Fault(
            pointer: error.location.hasPrefix("/") ? error.location : "", code: "not_imported",
            detail: error.text)
    }

    /// - Throws: `draft-invalid` if the draft would be too large.
    private func save(
        _ imported: PackImport, _ draft: StudyDraft, _ call: Call<Identity>
    ) async throws -> StudyDraft {
        let faults = PackFiles(files: imported.files).storageFaults
        guard faults.isEmpty else { throw Problem(draft: faults) }
        let audit = AuditEntry(
            actor: .account(call.caller.account), action: "questionnaire_imported", study: draft.study,
            requestID: call.requestID,
            detail: [
                "questionnaires": .array(
                    imported.entries.map {
                        .string("\($0.instrument.questionnaire.code) \($0.instrument.questionnaire.version)")
                    })
            ])
        do {
            return try await context.store.saveDraft(
                imported.files, of: draft.study, basedOn: draft.basedOn, expecting: draft.revision,
                by: call.caller.account, requestID: call.requestID, audit: [audit], now: call.now)
        } catch let fault as StudyDraftFault {
            throw Problem(fault)
        }
    }

    // MARK: The response

    private static let tag = (
        name: "ETag", description: "The revision of the draft. Send it in If-Match with the next change."
    )

    private func reply(
        _ imported: PackImport, _ draft: StudyDraft, _ call: Call<Identity>
    ) async throws -> Reply {
        let questionnaires = imported.entries.map { entry -> JSON in
            let questionnaire = entry.instrument.questionnaire
            return [
                "code": .string(questionnaire.code), "version": .string(questionnaire.version),
                "questions": .int(questionnaire.questions.count), "is_new": .bool(entry.isNew),
                "study": .string(entry.reference.rawValue), "schedule": .string(entry.schedule.rawValue),
            ]
        }
        let remarks = imported.entries.flatMap { entry in
            entry.instrument.remarks.map { remark -> JSON in
                [
                    "questionnaire": .string(entry.instrument.questionnaire.code),
                    "place": .string(remark.location), "detail": .string(remark.detail),
                ]
            }
        }
        let language = context.language(
            call.headers[.acceptLanguage], of: draft.languages, fallback: draft.languages.first ?? "en")
        let json: JSON = [
            "questionnaires": .array(questionnaires), "remarks": .array(remarks),
            "draft": try await DraftResponse(draft, context, language: language).json,
        ]
        return .json(.ok, json, entityTag: EntityTag(draft.tag, of: json))
    }

    private static let schema = Schema.named(
        "QuestionnaireImport",
        .object([
            .required(
                "questionnaires",
                .array(
                    of: .object([
                        .required("code", .string(), "The code of the questionnaire."),
                        .required(
                            "version", .string(),
                            "Its version in the draft: that of the file, 1.0.0 if the file has none, or the next one."
                        ),
                        .required("questions", .integer(min: 0), "The number of its questions."),
                        .required(
                            "is_new", .boolean,
                            "Whether the draft had no instrument of this code and version."),
                        .required(
                            "study", .string(values: AddedQuestionnaire.Change.allCases.map(\.rawValue)),
                            """
                            What became of the reference in `study.yaml`: changed if the study had another version; none \
                            without `schedule` in the query.
                            """),
                        .required(
                            "schedule", .string(values: AddedQuestionnaire.Change.allCases.map(\.rawValue)),
                            """
                            What became of the schedule, or of the entry in `any_time`: unchanged if the questionnaire \
                            already had one; none without `schedule` in the query.
                            """),
                    ])), "In the order of the file."),
            .required(
                "remarks",
                .array(
                    of: .object([
                        .required("questionnaire", .string(), "The code of the questionnaire."),
                        .required(
                            "place", .string(),
                            "Where the part is in the file: a JSON Pointer, `survey!B7`, or `line 7, Field Type`."
                        ),
                        .required("detail", .string(), "What has no effect, or is asked in another way."),
                    ])), "The parts that were not taken over unchanged."),
            .required("draft", DraftResponse.schema, "The draft after the import."),
        ]))
}

/// The query of an import.
private struct ImportQuery {
    let format: QuestionnaireImport.Format
    let name: String
    let collision: PackImport.Collision
    let allowsFreeText: Bool
    let schedule: PackImport.Schedule?

    /// - Throws: `request-invalid` with all faults.
    init(_ call: Call<Identity>) throws(Problem) {
        var faults: [Fault] = []
        func note(_ name: String, _ code: String, _ detail: String) {
            faults.append(Fault(pointer: "/\(name)", code: code, detail: detail))
        }
        func time(_ name: String) -> LocalTime? {
            guard let text = call.query(name) else { return nil }
            if let time = LocalTime(text) { return time }
            note(name, "invalid_format", "The value must be a time of day such as 18:00.")
            return nil
        }
        let format = call.query("format").flatMap { QuestionnaireImport.Format(rawValue: $0) }
        if format == nil { note("format", "required", "The format of the file is required.") }
        let frequency = call.query("schedule").flatMap { AddedQuestionnaire.Frequency(rawValue: $0) }
        let (open, close) = (time("open"), time("close"))
        let needsTimes = frequency == .daily || frequency == .weekly
        let permitsTimes = needsTimes || frequency == .once
        let names = ["open", "close"]
        let given = names.filter { call.query($0) != nil }
        for name in names where !given.contains(name) && (needsTimes || permitsTimes && !given.isEmpty) {
            note(name, "required", "The schedule needs a time of opening and one of closing.")
        }
        for name in given where !permitsTimes {
            note(name, "not_permitted", "Only the schedules once, daily and weekly have times.")
        }
        guard let format, faults.isEmpty else { throw Problem(.requestInvalid, Faults(faults)) }
        self.format = format
        name = call.query("name") ?? "questionnaire"
        collision = call.query("existing").flatMap { PackImport.Collision(rawValue: $0) } ?? .refuse
        allowsFreeText = call.queryBool("free_text") ?? false
        var window: (open: LocalTime, close: LocalTime)?
        if let open, let close { window = (open, close) }
        schedule = frequency.map { PackImport.Schedule($0, window: window) }
    }
}
