import HTTPTypes
import SaunterCore
import SaunterStore

/// The route that returns the changes of an enrolment since the device's last call.
struct DeviceChangeRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/sync", who: .participant, tag: "Answer sheets",
            summary: "List the changes of an enrolment since the device's last call",
            description: """
                Make the first call without `since`, and store `next_since`. The next call with that value returns \
                every change that was committed in between, without gaps. Each record appears once, in its current \
                state. The device inserts or updates records by `kind` and `id`, and removes records that are deleted. \
                `definitions` is present if the definitions may have changed. Then load each questionnaire whose \
                version the device does not have.

                A `since` from before a database restore is rejected (400 `request-invalid`, code `out_of_range` at \
                `/since`). So is the `since` of another enrolment. Then call again without `since`, remove the records \
                that the response does not contain, and upload everything that the device still holds. The server \
                confirms records that are already stored as replays.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "since", .string(minLength: 1, maxLength: 512), "The `next_since` of the previous call."),
                .limit,
            ],
            outcomes: [
                .json(
                    .ok, "Changes in the order of their numbers.", Self.schema, headers: [Outcome.entityTag])
            ]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let since = try Self.since(call, of: enrolment.id)
            try await EditService(
                context: context, actor: .participant, requestID: call.requestID,
                now: call.now, logger: call.logger
            ).applyDue(of: enrolment)
            var former: [PublishedQuestionnaire] = []
            if enrolment.state == .active {
                let (participant, published) = try await context.participantToday(call)
                former = try await context.formerQuestionnaires(
                    of: participant, published.study, at: call.now)
            }
            let (history, found) = try await changes(
                of: enrolment, after: since?.position, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let definitions = "\(study.study.version) \(enrolment.language)"
            let reached = page.last?.sequence ?? since?.position.sequence ?? 0
            let next = Cursor([String(reached), definitions, history, enrolment.id.description])
            let body: JSON = [
                "items": .array(page.map(Self.json)),
                "definitions": since?.definitions == definitions
                    ? .null : Self.definitions(of: study, former),
                "next_since": .string(next.text), "more": .bool(found.count > page.count),
            ]
            return .json(.ok, body, entityTag: EntityTag(of: body))
        }
    }

    private func changes(
        of enrolment: Enrolment, after position: ChangeCursor?, limit: Int
    ) async throws -> (history: String, changes: [OwnChange]) {
        do {
            return try await context.store.listOwnChanges(
                of: enrolment.id, enrolment.study, after: position, limit: limit)
        } catch is UnknownCursor {
            throw Self.cursorProblem("out_of_range", "The database was restored to an earlier state")
        }
    }

    /// The position that `since` names. Change numbers count per study, so a position of another enrolment would skip
    /// changes of this one. Therefore the cursor contains the id of its enrolment.
    private static func since(
        _ call: Call<Identity>, of enrolment: EnrolmentID
    ) throws -> (position: ChangeCursor, definitions: String)? {
        guard let text = call.query("since") else { return nil }
        guard let cursor = Cursor(text), [3, 4].contains(cursor.parts.count),
            let sequence = Int64(cursor.parts[0]), sequence >= 0
        else { throw cursorProblem("wrong_format", "The value is not a `next_since`") }
        // A `next_since` of an earlier version of the server has three parts and names no enrolment.
        guard cursor.parts.count == 4, cursor.parts[3] == enrolment.description else {
            throw cursorProblem("out_of_range", "The value does not belong to this enrolment")
        }
        return (ChangeCursor(sequence: sequence, history: cursor.parts[2]), cursor.parts[1])
    }

    private static func cursorProblem(_ code: String, _ reason: String) -> Problem {
        Problem(
            .requestInvalid,
            Faults([Fault(pointer: "/since", code: code, detail: "\(reason). Call again without `since`.")]))
    }

    /// The versions of the study and its questionnaires.
    /// - Parameter former: questionnaires that the study no longer contains but that have an open occasion.
    private static func definitions(
        of study: PublishedStudy, _ former: [PublishedQuestionnaire]
    ) -> JSON {
        let known = (Array(study.questionnaires.values) + former).map(\.questionnaire)
        return [
            "study_version": .string(study.study.version),
            "questionnaires": .array(
                known.sorted { $0.code < $1.code }.map {
                    ["questionnaire": .string($0.code), "version": .string($0.version)]
                }),
        ]
    }

    private static func json(_ change: OwnChange) -> JSON {
        [
            "kind": .string(change.kind.rawValue), "id": .string(change.id),
            "deleted": .bool(change.body == nil), "body": change.body ?? .null,
        ]
    }

    private static let schema = Schema.named(
        "DeviceChanges",
        .object([
            .required(
                "items",
                .array(
                    of: .object([
                        .required(
                            "kind", .string(values: Change.Kind.allCases.map(\.rawValue)),
                            "What the record is."),
                        .required("id", .id, "The id of the record."),
                        .required("deleted", .boolean, "True if the record is deleted."),
                        .required(
                            "body", .nullable(.map(of: .any)),
                            "The current state of the record; null if the record is deleted."),
                    ])), "The changed records."),
            .required(
                "definitions",
                .nullable(
                    .object([
                        .required(
                            "study_version", .string(),
                            "The version of the study that the enrolment follows now."),
                        .required(
                            "questionnaires",
                            .array(
                                of: .object([
                                    .required("questionnaire", .string(), "The code of the questionnaire."),
                                    .required("version", .string(), "The version of the questionnaire."),
                                ])), "The questionnaires that the participant can answer now."),
                    ])), "Null if the definitions are the same as in the previous call."),
            .required("next_since", .string(), "The value of `since` for the next call."),
            .required("more", .boolean, "True if more changes exist. Then call again immediately."),
        ]))
}
