import HTTPTypes
import SaunterCore
import SaunterStore

/// What a device has to know anew.
struct DeviceChangeRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/enrolments/{id}/sync", who: .participant, tag: "Answer sheets",
            summary: "What changed for the device",
            description: """
                Begin without since and keep next_since; the next call with it gives what was committed meanwhile, and misses nothing. Each thing comes \
                once, as it stands now: a device upserts by kind and id, and drops what is deleted. Definitions come where they may have changed: then load \
                the questionnaires whose version is not at hand. A since of before the database was brought back to an earlier moment, as from a backup, is refused \
                as request-invalid with out_of_range at /since, whatever has happened since, and so is that of another enrolment: then begin anew without since, drop \
                what is not told again, and hand in whatever the device still holds; what is stored is replayed.
                """,
            parameters: [.enrolment],
            query: [
                QueryParameter(
                    "since", .string(minLength: 1, maxLength: 512), "The next_since of the call before."),
                .limit,
            ],
            outcomes: [.json(.ok, "In the order of the changes.", Self.schema, headers: [Outcome.entityTag])]
        ) { call in
            let enrolment = try await context.enrolment(call)
            let study = try await context.study(of: enrolment)
            let since = try Self.since(call, of: enrolment.id)
            try await AmendmentDesk(
                context: context, actor: .account(call.caller.account), requestID: call.requestID,
                now: call.now, logger: call.logger
            ).applyDue(of: enrolment)
            var former: [PublishedQuestionnaire] = []
            if enrolment.state == .active {
                let (participation, published) = try await context.today(call)
                former = try await context.formerQuestionnaires(
                    of: participation, published.study, at: call.now)
            }
            let (history, found) = try await changes(
                of: enrolment, after: since?.place, limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let definitions = "\(study.study.version) \(enrolment.language)"
            let reached = page.last?.sequence ?? since?.place.sequence ?? 0
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
        of enrolment: Enrolment, after place: ChangePlace?, limit: Int
    ) async throws -> (history: String, changes: [OwnChange]) {
        do {
            return try await context.store.listOwnChanges(
                of: enrolment.id, enrolment.study, after: place, limit: limit)
        } catch is ForeignPlace {
            throw Self.refusal("out_of_range", "The database was brought back to an earlier moment")
        }
    }

    /// What the device knows. Numbers are a study's: those of another enrolment would pass over changes of this one, so a cursor names its own.
    private static func since(
        _ call: Call<Identity>, of enrolment: EnrolmentID
    ) throws -> (place: ChangePlace, definitions: String)? {
        guard let text = call.query("since") else { return nil }
        guard let cursor = Cursor(text), [3, 4].contains(cursor.parts.count),
            let sequence = Int64(cursor.parts[0]), sequence >= 0
        else { throw refusal("wrong_format", "It must be a next_since") }
        guard cursor.parts.count == 4, cursor.parts[3] == enrolment.description else {
            throw refusal("out_of_range", "It does not say that it is of this enrolment")
        }
        return (ChangePlace(sequence: sequence, history: cursor.parts[2]), cursor.parts[1])
    }

    private static func refusal(_ code: String, _ reason: String) -> Problem {
        Problem(
            .requestInvalid,
            Faults([Fault(pointer: "/since", code: code, detail: "\(reason): begin anew without since.")]))
    }

    /// - Parameter former: what the study has left out and is still open.
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
                        .required("kind", .string(values: Change.Kind.allCases.map(\.rawValue))),
                        .required("id", .id), .required("deleted", .boolean, "A tombstone."),
                        .required(
                            "body", .nullable(.map(of: .any)), "As it stands now; null for what is deleted."),
                    ]))),
            .required(
                "definitions",
                .nullable(
                    .object([
                        .required("study_version", .string()),
                        .required(
                            "questionnaires",
                            .array(
                                of: .object([
                                    .required("questionnaire", .string()), .required("version", .string()),
                                ]))),
                    ])), "Null where they are those of the call before."),
            .required("next_since", .string(), "What `since` takes the next time."),
            .required("more", .boolean, "There is more already: call again at once."),
        ]))
}
