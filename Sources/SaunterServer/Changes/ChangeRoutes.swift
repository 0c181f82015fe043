import HTTPTypes
import SaunterCore
import SaunterStore

/// A study's feed of changes, for those who keep a copy of its data up to date.
struct ChangeRoutes: Sendable {
    let context: ServerContext

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/changes", who: .researcher, tag: "Datasets",
            summary: "What changed since a number",
            description: """
                Begin with after=0 and keep change_seq; the next call with after=change_seq gives what was committed since, and misses nothing, however late it was \
                committed. Each thing comes once, as it stands now, in the place of its newest change, so a reader upserts by kind and id. A tombstone (deleted) \
                takes the thing away; that of an enrolment takes everything with its enrolment_ref. Bodies have the columns of the dataset's files.
                """,
            parameters: [.study],
            query: [
                QueryParameter(
                    "after", .integer(min: 0), "The change_seq of the call before; 0 for everything."),
                .limit, .cursor,
            ],
            outcomes: [
                .json(
                    .ok, "In the order of change_seq.",
                    .page(
                        of: Self.changeSchema,
                        [
                            .required(
                                "change_seq", .integer(min: 0), "What `after` takes the next time.")
                        ]))
            ]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let after = try Self.place(call)
            let last = try await context.store.numberChanges(of: study)
            guard after <= last else {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(
                            pointer: "/after", code: "out_of_range",
                            detail: "The last change is \(last): begin anew with 0.")
                    ]))
            }
            let changes = try await context.store.listChanges(
                of: study, after: after, limit: call.pageLimit + 1)
            let page = changes.prefix(call.pageLimit)
            var items: [JSON] = []
            for change in page { items.append(try await json(change, study: study)) }
            let isMore = changes.count > page.count
            // With nothing left, everything numbered before the reading is behind the reader.
            let reached =
                isMore ? page.last?.sequence ?? after : max(last, page.last?.sequence ?? after, after)
            return .page(
                items, next: isMore ? Cursor([String(reached)]) : nil, path: "/v1/studies/\(study)/changes",
                query: call.pageQuery, publicURL: context.configuration.publicURL,
                more: ["change_seq": .int(Int(reached))])
        }
    }

    /// Where the caller stands: `cursor` goes before `after`.
    private static func place(_ call: Call<Identity>) throws -> Int64 {
        if let cursor = try call.cursor(parts: 1) {
            guard let place = Int64(cursor.parts[0]), place >= 0 else {
                throw Problem(
                    .requestInvalid,
                    Faults([
                        Fault(
                            pointer: "/cursor", code: "wrong_format", detail: "It must be the next of a page."
                        )
                    ]))
            }
            return place
        }
        return Int64(call.queryInt("after") ?? 0)
    }

    private func json(_ change: Change, study: String) async throws -> JSON {
        var body = change.body?.object
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
            .required("change_seq", .integer(min: 1)),
            .required("kind", .string(values: Change.Kind.allCases.map(\.rawValue))),
            .required("id", .nullable(.id), "Null for somebody who was erased."),
            .required("enrolment_ref", .string(), "The same for everything of one enrolment."),
            .required("participant_id", .nullable(.string()), "The pseudonym; null for what is gone."),
            .required("deleted", .boolean, "A tombstone."),
            .required(
                "body", .nullable(.map(of: .any)),
                "Columns as in the dataset's file of this kind; for a sheet also answers, missing, scores, and presented where it has it."
            ),
        ]))
}
