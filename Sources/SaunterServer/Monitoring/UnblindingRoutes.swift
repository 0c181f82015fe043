import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes that break the blind of a study: for one participant, or for the whole team.
struct UnblindingRoutes: Sendable {
    let context: ServerContext

    private static let reasonMember = Schema.Member.required(
        "reason", .string(minLength: 1, maxLength: 1000),
        "The reason for the record. It must not identify the participant.")

    var ofParticipant: Route {
        context.participantAction(
            "unblinding",
            summary: "Read the arm of one participant of a blinded study",
            description: """
                For emergencies. Only this response and the participant's arm for coordinators name the arm; lists and \
                datasets keep the letter. A caller who knows the letter of the participant then knows which arm the \
                letter means. The server records the reason and writes an audit entry with each request. In \
                a browser session the password must have been entered within 10 minutes \
                (`POST /v1/session/confirmation`).
                """,
            body: .json(
                .named("ParticipantUnblinding", .object([Self.reasonMember])),
                example: ["reason": "Admitted to hospital."]),
            outcomes: [
                .json(
                    .ok, "The arm.",
                    .named(
                        "UnblindedParticipant",
                        .object([
                            .required("participant_id", .string(), "The pseudonym of the participant."),
                            .required("arm", .string(), "The code of the participant's current arm."),
                        ])))
            ],
            problems: [.notFound, .studyNotBlinded]
        ) { call in
            let reason = try Self.reason(call)
            let enrolment = try await context.fetchParticipant(call)
            guard try await context.blindedArms(of: enrolment.study) != nil else {
                throw Problem(.studyNotBlinded)
            }
            let unblinded = try await context.store.unblind(
                enrolment.id, because: reason, by: call.caller.account, requestID: call.requestID,
                now: call.now)
            return .json(
                .ok,
                [
                    "participant_id": .string(unblinded.participantID), "arm": .string(unblinded.arm),
                ])
        }
    }

    var ofStudy: Route {
        Route(
            .post, "/v1/studies/{study}/unblinding", who: .coordinator, tag: "Monitoring",
            summary: "Show the arms of a blinded study to its team",
            description: """
                From now on, all members of the study team see the codes of arms. This cannot be undone. The server \
                records the reason and writes an audit entry. In a browser session the password must have been \
                entered within 10 minutes (`POST /v1/session/confirmation`).
                """,
            parameters: [.study],
            body: .json(
                .named(
                    "StudyUnblinding",
                    .object([
                        Self.reasonMember,
                        .required(
                            "study", .string(minLength: 1, maxLength: 64),
                            "The code of the study again, so that no other study is unblinded by mistake."),
                    ])),
                example: ["reason": "The database is closed.", "study": "mindful-walking"]),
            outcomes: [.empty(.noContent, "All members of the study team see the codes of arms.")],
            problems: [.notFound, .studyNotBlinded]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            let study = try call.text("study")
            let reason = try Self.reason(call)
            guard call.body["study"]?.string == study else {
                throw Fault(
                    pointer: "/study", code: "not_a_value", detail: "It must be the code of the study.")
            }
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            guard try await context.blindedArms(of: study) != nil,
                try await context.store.unblind(
                    study, because: reason, by: call.caller.account, requestID: call.requestID, now: call.now)
            else { throw Problem(.studyNotBlinded) }
            return .noContent
        }
    }

    var list: Route {
        Route(
            .get, "/v1/studies/{study}/unblindings", who: .researcher, tag: "Monitoring",
            summary: "List who broke the blind of the study",
            description: "The newest one first. The response does not contain arms.",
            parameters: [.study], query: [.limit, .cursor],
            outcomes: [.json(.ok, "The unblindings.", .page(of: Self.schema))], problems: [.notFound]
        ) { call in
            let study = try call.text("study")
            guard try await context.store.findStudy(study) != nil else { throw Problem(.notFound) }
            let view = try await context.armView(of: study, for: call.caller)
            let showsReasons = !view.isBlinded || call.caller.grant(.coordinator, study: study) != nil
            let found = try await context.store.listUnblindings(
                of: study, after: try Self.position(call), limit: call.pageLimit + 1)
            let page = found.prefix(call.pageLimit)
            let next = found.count > page.count ? page.last.map { Self.cursor($0.position) } : nil
            let names = Dictionary(
                try await context.store.listStaff(of: study).map { ($0.id, $0.name) },
                uniquingKeysWith: { first, _ in first })
            return .page(
                page.map { Self.json($0, name: names[$0.by], showsReason: showsReasons) }, next: next,
                path: "/v1/studies/\(study)/unblindings", query: call.pageQuery,
                publicURL: context.configuration.publicURL)
        }
    }

    private static func reason(_ call: Call<Identity>) throws(Fault) -> String {
        guard let reason = call.body["reason"]?.string, reason.contains(where: { !$0.isWhitespace }) else {
            throw Fault(pointer: "/reason", code: "required", detail: "The reason must not be blank.")
        }
        return reason
    }

    private static func position(_ call: Call<Identity>) throws(Problem) -> Unblinding.Position? {
        guard let parts = try call.cursor(parts: 3)?.parts else { return nil }
        guard let milliseconds = Int64(parts[0]), let ordinal = Int(parts[2]), (0...Int(Int32.max)) ~= ordinal
        else { throw .invalidCursor }
        return Unblinding.Position(
            at: Instant(milliseconds: milliseconds), participantID: parts[1], ordinal: ordinal)
    }

    private static func cursor(_ position: Unblinding.Position) -> Cursor {
        Cursor([String(position.at.milliseconds), position.participantID, String(position.ordinal)])
    }

    private static func json(_ unblinding: Unblinding, name: String?, showsReason: Bool) -> JSON {
        [
            "participant_id": .optional(unblinding.participantID, JSON.string),
            "reason": showsReason ? .string(unblinding.reason) : .null,
            "unblinded_by": .id(unblinding.by), "unblinded_by_name": .optional(name, JSON.string),
            "unblinded_at": .instant(unblinding.at),
        ]
    }

    private static let schema = Schema.named(
        "Unblinding",
        .object([
            .required(
                "participant_id", .nullable(.string()),
                "The pseudonym of the participant whose arm was read; null if all arms were shown to the team."
            ),
            .required(
                "reason", .nullable(.string()),
                "The reason that was given; null for researchers from whom arms are hidden."),
            .required("unblinded_by", .uuid, "The id of the account."),
            .required(
                "unblinded_by_name", .nullable(.string()),
                "The display name of the account; null if it has no role in the study now."),
            .required("unblinded_at", .instant, "When the blind was broken."),
        ]))
}
