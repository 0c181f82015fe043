import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes for enrolment codes, with which participants join a study without open enrolment.
struct EnrolmentCodeRoutes: Sendable {
    let context: ServerContext

    var create: Route {
        Route(
            .post, "/v1/studies/{study}/enrolment-codes", who: .coordinator, tag: "Enrolment codes",
            summary: "Create enrolment codes",
            description: """
                The response contains the codes; they are not shown again, because the server stores only digests. \
                Participants send a code when they join the study. A code admits as many participants as `uses` states, \
                until it expires or is revoked. A study can have \(Store.maximumEnrolmentCodes) usable codes.
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "EnrolmentCodeRequest",
                    .object([
                        .required(
                            "label", .string(minLength: 1, maxLength: EnrolmentCodeBatch.maximumLabelLength),
                            "The purpose of the codes. It must not identify a participant."),
                        .optional(
                            "count",
                            .integer(
                                min: EnrolmentCodeBatch.counts.lowerBound,
                                max: EnrolmentCodeBatch.counts.upperBound),
                            "The number of codes. The default is 1."),
                        .optional(
                            "uses",
                            .integer(
                                min: EnrolmentCodeBatch.uses.lowerBound,
                                max: EnrolmentCodeBatch.uses.upperBound),
                            "How many participants can join with each code. The default is 1."),
                        .optional(
                            "expires_in",
                            .integer(
                                min: EnrolmentCodeBatch.lifetimes.lowerBound,
                                max: EnrolmentCodeBatch.lifetimes.upperBound),
                            "The lifetime in seconds. The default is 90 days."),
                    ])), example: ["label": "Leaflet of the clinic", "count": 20, "uses": 1]),
            outcomes: [
                .json(
                    .created, "The new codes.",
                    .object([.required("items", .array(of: Self.createdSchema), "The codes.")]))
            ]
        ) { call in
            let study = try await study(call)
            let codes = try await context.store.insertEnrolmentCodes(
                EnrolmentCodeBatch(
                    study: study, label: call.body["label"]?.string ?? "",
                    count: call.body["count"]?.int ?? 1, maximumUses: call.body["uses"]?.int ?? 1,
                    expiresAt: call.now.adding(
                        seconds: call.body["expires_in"]?.int ?? EnrolmentCodeBatch.defaultLifetimeSeconds)),
                by: .account(call.caller.account), requestID: call.requestID, now: call.now)
            let items = codes.map { made -> JSON in
                var object = Self.json(made.code, at: call.now).object ?? [:]
                object["code"] = .string(made.secret.text)
                return .object(object)
            }
            return .json(.created, ["items": .array(items)])
        }
    }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/enrolment-codes", who: .coordinator, tag: "Enrolment codes",
            summary: "List the enrolment codes of the study",
            description: "The codes themselves are not listed, because the server stores only their digests.",
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [.json(.ok, "The codes, the newest first.", .page(of: Self.schema))]
        ) { call in
            let study = try await study(call)
            let position = try call.listPosition()
            let found = try await context.store.listEnrolmentCodes(
                of: study, before: position.map { ($0.moment, EnrolmentCodeID($0.id)) },
                limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next =
                found.count > page.count
                ? page.last.map { ListPosition(moment: $0.createdAt, id: $0.id.uuid).cursor } : nil
            return .page(
                page.map { Self.json($0, at: call.now) }, next: next,
                path: "/v1/studies/\(study)/enrolment-codes", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    var delete: Route {
        Route(
            .delete, "/v1/studies/{study}/enrolment-codes/{code_id}", who: .coordinator,
            tag: "Enrolment codes",
            summary: "Revoke an enrolment code",
            description: """
                No participant can join with the code any more. Participants who have joined with it stay enrolled. \
                Revoking it again has no effect.
                """,
            parameters: [.study, .uuid("code_id", "The id of the code.")],
            outcomes: [.empty(.noContent, "The code is revoked.")]
        ) { call in
            let isKnown = try await context.store.revokeEnrolmentCode(
                try call.id("code_id"), study: study(call), by: .account(call.caller.account),
                requestID: call.requestID, now: call.now)
            guard isKnown else { throw Problem(.notFound) }
            return .noContent
        }
    }

    /// The study in the path. An admin of all studies may name one that does not exist.
    private func study(_ call: Call<Identity>) async throws -> String {
        let study = try call.text("study")
        guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
        return study
    }

    private static func json(_ code: EnrolmentCode, at now: Instant) -> JSON {
        [
            "code_id": .id(code.id), "label": .string(code.label), "uses": .int(code.maximumUses),
            "used": .int(code.uses), "created_at": .instant(code.createdAt),
            "expires_at": .instant(code.expiresAt), "revoked_at": .instant(code.revokedAt),
            "state": .string(code.state(at: now).rawValue),
        ]
    }

    private static let members: [Schema.Member] = [
        .required("code_id", .id, "The id of the code. It is not secret."),
        .required("label", .string(), "The purpose of the code, as its creator stated it."),
        .required("uses", .integer(min: 1), "How many participants can join with the code."),
        .required(
            "used", .integer(min: 0),
            "How many participants have joined with it. Participants who were erased since still count."),
        .required("created_at", .instant, "When the code was created."),
        .required("expires_at", .instant, "When the code expires. From then on it admits no participant."),
        .required("revoked_at", .nullable(.instant), "When the code was revoked; null if it was not."),
        .required(
            "state", .string(values: EnrolmentCode.State.allCases.map(\.rawValue)),
            "Whether participants can join with the code now, or why not."),
    ]

    static let schema = Schema.named("EnrolmentCode", .object(members))
    static let createdSchema = Schema.named(
        "NewEnrolmentCode",
        .object(
            members + [
                .required(
                    "code", .string(), "The code, in groups of four. It is shown only in this response.")
            ]))
}
