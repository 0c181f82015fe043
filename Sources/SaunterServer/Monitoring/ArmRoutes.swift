import HTTPTypes
import SaunterCore
import SaunterStore

/// Routes to read and override a participant's arm.
struct ArmRoutes: Sendable {
    let context: ServerContext

    /// The path parameter for a participant.
    static let participant = PathParameter.text(
        "participant", "The participant's pseudonym.", example: "P7K2M9QX")

    private static let schema = Schema.named(
        "ParticipantArm",
        .object([
            .required(
                "participant_id", .string(),
                "The pseudonym of the participant, which also identifies them in datasets of the profiles coded and full."
            ),
            .required(
                "arm", .string(),
                "The current arm; here and below a letter if arms are hidden from the caller."),
            .required("allocated_arm", .string(), "The arm that the allocation assigned."),
            .required(
                "changes",
                .array(
                    of: .object([
                        .required("from_arm", .string(), "The arm before the change."),
                        .required("to_arm", .string(), "The arm after the change."),
                        .required(
                            "reason", .nullable(.string()),
                            "The reason that the researcher gave; null if arms are hidden from the caller."),
                        .required("changed_by", .uuid, "The id of the account."),
                        .required("changed_at", .instant, "When the arm changed."),
                    ])), "All changes, oldest first."),
        ]))

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/arm", who: .researcher, tag: "Monitoring",
            summary: "Get a participant's arm and its changes",
            description: """
                If a coordinator has unblinded this participant, coordinators see the codes of the arms here.
                """,
            parameters: [.study, Self.participant],
            outcomes: [.json(.ok, "The participant's arm and its changes.", Self.schema)],
            problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            return .json(.ok, try await json(of: enrolment, view(of: enrolment, call.caller)))
        }
    }

    var put: Route {
        Route(
            .put, "/v1/studies/{study}/participants/{participant}/arm", who: .researcher, tag: "Monitoring",
            summary: "Change a participant's arm",
            description: """
                The server keeps the allocated arm on record. It records each change with the account that made it, \
                the time and the reason, and also writes an audit entry. It replans future occasions; open occasions \
                do not change. The participant's slot in the allocation list is not assigned again, and minimisation \
                counts the participant in the new arm from now on. A request with the current arm changes nothing. In a \
                blinded study the caller needs the permission to see arms. In a browser session the password must have \
                been entered within 10 minutes (`POST /v1/session/confirmation`).
                """,
            parameters: [.study, Self.participant],
            body: .json(
                .named(
                    "ArmChange",
                    .object([
                        .required("arm", .string(minLength: 1, maxLength: 64), "One of the study's arms."),
                        .required(
                            "reason", .string(minLength: 1, maxLength: 1000),
                            "The reason for the record. It must not identify the participant."),
                    ])), example: ["arm": "control", "reason": "The device was handed out by mistake."]),
            outcomes: [.json(.ok, "The participant's arm and its changes.", Self.schema)],
            problems: [.notFound, .armsBlinded, .enrolmentWithdrawn, .busy]
        ) { call in
            try call.caller.requireConfirmedPassword(at: call.now)
            guard let reason = call.body["reason"]?.string, reason.contains(where: { !$0.isWhitespace })
            else {
                throw Fault(pointer: "/reason", code: "required", detail: "The reason must not be blank.")
            }
            try await context.armView(of: call.text("study"), for: call.caller).requireCodes()
            let changed = try await context.withCurrentVersion { try await change(call, because: reason) }
            guard changed.state == .active else { throw Problem(.enrolmentWithdrawn) }
            return .json(.ok, try await json(of: changed, .codes))
        }
    }

    private func change(_ call: Call<Identity>, because reason: String) async throws -> Enrolment {
        let enrolment = try await context.fetchParticipant(call)
        let study = try await context.study(of: enrolment).study
        let arm = call.body["arm"]?.string ?? ""
        guard study.arms.contains(where: { $0.code == arm }) else {
            let arms = study.arms.map(\.code).joined(separator: ", ")
            throw Fault(pointer: "/arm", code: "not_a_value", detail: "The arm must be one of: \(arms).")
        }
        return try await context.store.changeArm(
            of: enrolment.id, to: arm, because: reason, by: call.caller.account, study: study,
            requestID: call.requestID, now: call.now)
    }

    /// Codes if a coordinator has unblinded the participant and the caller is a coordinator; otherwise as everywhere.
    private func view(of enrolment: Enrolment, _ caller: Identity) async throws -> ArmView {
        let view = try await context.armView(of: enrolment.study, for: caller)
        guard view.isBlinded, caller.grant(.coordinator, study: enrolment.study) != nil,
            try await context.store.isUnblinded(enrolment.id)
        else { return view }
        return .codes
    }

    private func json(of enrolment: Enrolment, _ view: ArmView) async throws -> JSON {
        let changes = try await context.store.listArmChanges(of: enrolment.id)
        return [
            "participant_id": .string(enrolment.participantID), "arm": view.json(enrolment.arm),
            "allocated_arm": view.json(changes.first?.from ?? enrolment.arm),
            "changes": .array(
                changes.map {
                    [
                        "from_arm": view.json($0.from), "to_arm": view.json($0.to),
                        "reason": view.reason($0.reason),
                        "changed_by": .id($0.by), "changed_at": .instant($0.at),
                    ]
                }),
        ]
    }
}
