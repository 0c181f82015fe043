import HTTPTypes
import SaunterCore
import SaunterStore

/// Arms that a researcher gives in place of the allocation's.
struct ArmRoutes: Sendable {
    let context: ServerContext

    private static let participant = PathParameter.text(
        "participant", "The pseudonym.", example: "P7K2M9QX")

    private static let schema = Schema.named(
        "ParticipantArm",
        .object([
            .required("participant_id", .string()), .required("arm", .string(), "As it is now."),
            .required("allocated_arm", .string(), "As the allocation gave it."),
            .required(
                "changes",
                .array(
                    of: .object([
                        .required("from_arm", .string()), .required("to_arm", .string()),
                        .required("reason", .string()), .required("changed_by", .uuid, "An account."),
                        .required("changed_at", .instant),
                    ])), "The first one first."),
        ]))

    var get: Route {
        Route(
            .get, "/v1/studies/{study}/participants/{participant}/arm", who: .researcher, tag: "Monitoring",
            summary: "A participant's arm, and every change of it",
            parameters: [.study, Self.participant],
            outcomes: [.json(.ok, "As it is now.", Self.schema)], problems: [.notFound]
        ) { call in
            .json(.ok, try await json(of: enrolment(call)))
        }
    }

    var put: Route {
        Route(
            .put, "/v1/studies/{study}/participants/{participant}/arm", who: .researcher, tag: "Monitoring",
            summary: "Give a participant another arm than the allocation did",
            description: """
                What the allocation gave stays on record; the change is noted with whoever made it, when and why, in the audit too. What lies ahead is planned \
                anew, what is open stays. Places in the list of arms are not given again, and minimisation counts the participant in the new arm from \
                now on. The arm that the participant has already changes nothing.
                """,
            parameters: [.study, Self.participant],
            body: .json(
                .named(
                    "ArmChange",
                    .object([
                        .required("arm", .string(minLength: 1, maxLength: 64), "One of the study's arms."),
                        .required(
                            "reason", .string(minLength: 1, maxLength: 1000),
                            "For the record; without anything that tells who the participant is."),
                    ])), example: ["arm": "control", "reason": "The device was handed out by mistake."]),
            outcomes: [.json(.ok, "As it is now.", Self.schema)],
            problems: [.notFound, .enrolmentWithdrawn, .busy]
        ) { call in
            guard let reason = call.body["reason"]?.string, reason.contains(where: { !$0.isWhitespace })
            else {
                throw Self.problem("/reason", "required", "A change has a reason.")
            }
            var attempts = 1
            while true {
                do {
                    let changed = try await change(call, because: reason)
                    guard changed.state == .active else { throw Problem(.enrolmentWithdrawn) }
                    return .json(.ok, try await json(of: changed))
                } catch is FollowsAnotherVersion where attempts < 3 {
                    attempts += 1
                } catch is FollowsAnotherVersion {
                    throw Problem(.busy, "The participant changes the version of the study.", retryAfter: 1)
                }
            }
        }
    }

    private func change(_ call: Call<Identity>, because reason: String) async throws -> Enrolment {
        let enrolment = try await enrolment(call)
        let study = try await context.study(of: enrolment).study
        let arm = call.body["arm"]?.string ?? ""
        guard study.arms.contains(where: { $0.code == arm }) else {
            let arms = study.arms.map(\.code).joined(separator: ", ")
            throw Self.problem("/arm", "not_a_value", "It is one of \(arms).")
        }
        return try await context.store.changeArm(
            of: enrolment.id, to: arm, because: reason, by: call.caller.account, study: study,
            requestID: call.requestID, now: call.now)
    }

    private static func problem(_ pointer: String, _ code: String, _ detail: String) -> Problem {
        Problem(.bodyInvalid, Faults([Fault(pointer: pointer, code: code, detail: detail)]))
    }

    private func enrolment(_ call: Call<Identity>) async throws -> Enrolment {
        guard
            let enrolment = try await context.store.findEnrolment(
                of: call.text("participant"), in: call.text("study"))
        else { throw Problem(.notFound) }
        return enrolment
    }

    private func json(of enrolment: Enrolment) async throws -> JSON {
        let changes = try await context.store.listArmChanges(of: enrolment.id)
        return [
            "participant_id": .string(enrolment.participantID), "arm": .string(enrolment.arm),
            "allocated_arm": .string(changes.first?.from ?? enrolment.arm),
            "changes": .array(
                changes.map {
                    [
                        "from_arm": .string($0.from), "to_arm": .string($0.to), "reason": .string($0.reason),
                        "changed_by": .id($0.by), "changed_at": .instant($0.at),
                    ]
                }),
        ]
    }
}
