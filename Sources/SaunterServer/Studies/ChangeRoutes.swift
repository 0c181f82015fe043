import HTTPTypes
import SaunterCore
import SaunterStore

/// The route for a study's change feed, with which a client keeps a copy of the study's data up to date.
struct ChangeRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/changes", who: .researcher, tag: "Datasets",
            summary: "List the changes of a study since a change number",
            description: """
                Make the first call with `after=0`, and store `change_seq`. The next call with `after` set to that \
                number returns every change that was committed since, without gaps. Each record appears once, in its \
                current state, at the position of its newest change. The client inserts or updates records by `kind` \
                and `id`. If `deleted` is true, the client deletes the record. If that record is an enrolment, the \
                client deletes every record with the same `enrolment_ref`. Bodies have the columns of the dataset's \
                files. In a blinded study, arms are letters for callers who may not see arms, and `allocation_position` \
                is null.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "after", .integer(min: 0), "The `change_seq` of the previous call; 0 for all changes."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "Changes in the order of `change_seq`.",
                    .page(
                        of: Self.changeSchema,
                        [
                            .required(
                                "change_seq", .integer(min: 0), "The value of `after` for the next call.")
                        ]))
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let after = try Self.position(call)
            let last = try await context.store.numberChanges(of: study)
            guard after <= last else {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(
                            pointer: "/after", code: "out_of_range",
                            detail: "The last change is \(last). Call again with `after=0`.")
                    ]))
            }
            let changes = try await context.store.listChanges(
                of: study, after: after, limit: call.pageLimit + 1)
            let page = changes.prefix(call.pageLimit)
            let arms = try await context.armView(of: study, for: call.caller)
            var items: [JSON] = []
            for change in page { items.append(try await json(change, study: study, arms)) }
            let hasMore = changes.count > page.count
            // On the last page, the client has read every change that was numbered before this query.
            let reached =
                hasMore ? page.last?.sequence ?? after : max(last, page.last?.sequence ?? after, after)
            return .page(
                items, next: hasMore ? Cursor([String(reached)]) : nil, path: "/v1/studies/\(study)/changes",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: ["change_seq": .int(Int(reached))])
        }
    }

    /// The change number after which the page begins. `cursor` takes precedence over `after`.
    private static func position(_ call: Call<Identity>) throws -> Int64 {
        if let cursor = try call.cursor(parts: 1) {
            guard let position = Int64(cursor.parts[0]), position >= 0 else {
                throw Problem.invalidCursor
            }
            return position
        }
        return Int64(call.queryInt("after") ?? 0)
    }

    private func json(_ change: Change, study: String, _ arms: ArmView) async throws -> JSON {
        var body = change.body?.object
        if arms.isBlinded, change.kind == .enrolment, let arm = body?["arm"]?.string {
            body?["arm"] = arms.json(arm)
            body?["allocation_position"] = .null
        }
        if let sheet = change.sheet {
            guard let published = try await context.catalogue.find(study, version: sheet.studyVersion),
                let known = published.questionnaires[sheet.questionnaire]
            else { throw Problem(.internalError) }
            let answers = try known.codec.decode(sheet.answers)
            body?["answers"] = .object(answers.json)
            body?["missing"] = .object(answers.reasons)
            if let presented = sheet.presented { body?["presented"] = presented }
            body?["scores"] = .array(sheet.scores.map(Self.json))
        }
        return [
            "change_seq": .int(Int(change.sequence)), "kind": .string(change.kind.rawValue),
            "id": .optional(change.subject, JSON.string), "enrolment_ref": .string(change.enrolmentRef),
            "participant_id": .optional(change.participantID, JSON.string),
            "deleted": .bool(body == nil), "body": .optional(body) { .object($0) },
        ]
    }

    private static func json(_ score: Score) -> JSON {
        [
            "score": .string(score.scale), "value": .optional(score.value, JSON.double),
            "reason": .optional(score.reason) { .string($0.rawValue) },
            "exclusion": .optional(score.exclusion, JSON.string),
            "standard_error": .optional(score.standardError, JSON.double),
            "band": .optional(score.band, JSON.string), "n_items": .int(score.itemCount),
            "n_valid": .int(score.answeredCount), "n_imputed": .int(score.imputedCount),
        ]
    }

    static let changeSchema = Schema.named(
        "Change",
        .object([
            .required(
                "change_seq", .integer(min: 1),
                "The number of the change within the study. It only increases."),
            .required("kind", .string(values: Change.Kind.allCases.map(\.rawValue)), "What changed."),
            .required("id", .nullable(.id), "The id of the record; null for an erased participant."),
            .required("enrolment_ref", .string(), "The same value for all records of one enrolment."),
            .required(
                "participant_id", .nullable(.string()),
                "The participant's pseudonym; null if the record is deleted."),
            .required("deleted", .boolean, "True if the record is deleted or excluded from datasets."),
            .required(
                "body", .nullable(.map(of: .any)),
                """
                The columns of the dataset's file of this kind; null if `deleted` is true. A sheet also has `answers`, \
                `missing`, `scores`, and `presented` if it was recorded.
                """
            ),
        ]))
}
