import HTTPTypes
import SaunterCore
import SaunterStore

/// The reasons that a coordinator chooses from. The audit keeps them, also after an erasure, so they are words and no
/// free text.
package enum ParticipantActionReason {
    /// Why contact data are read.
    package static let contact = ["alert", "unreachable", "appointment", "question", "other"]
    /// Why a participation ends.
    package static let end = ["asked", "not_eligible", "safety", "duplicate", "other"]
}

/// Routes with which a coordinator reaches one participant, or ends the participation.
struct ParticipantActionRoutes: Sendable {
    let context: ServerContext

    // MARK: Contact data

    var contact: Route {
        context.participantAction(
            "contact",
            summary: "Read the name and the mail address of one participant",
            description: """
                Only in studies that need it (`contact: true` in the `accounts` of `study.yaml`, in the version that the \
                participant follows); the consent page of the web app says so to participants. The server writes an \
                audit entry with the reason for each request. In a browser session the password must have been \
                entered within 10 minutes (`POST /v1/session/confirmation`).
                """,
            body: .json(
                .named(
                    "ContactRequest",
                    .object([
                        .required(
                            "reason", .string(values: ParticipantActionReason.contact),
                            "Why the contact is needed.")
                    ])), example: ["reason": "alert"]),
            outcomes: [.json(.ok, "The contact data.", Self.contactSchema)], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            guard try await context.study(of: enrolment).study.accounts.showsContact else {
                throw Problem(.notPermitted, "The study does not show contact data to its team.")
            }
            guard let person = try await context.store.findRecipient(of: enrolment.id) else {
                throw Problem(.notFound)
            }
            try await context.store.record(
                audit("contact_read", enrolment, call, ["reason": call.body["reason"] ?? .null]), at: call.now
            )
            return .json(
                .ok,
                [
                    "participant_id": .string(enrolment.participantID), "name": .string(person.name),
                    "email": .optional(person.email, JSON.string),
                    "email_verified": .bool(person.isEmailVerified),
                    "language": .string(enrolment.language), "time_zone": .string(enrolment.zone.id),
                ])
        }
    }

    private static let contactSchema = Schema.named(
        "ParticipantContact",
        .object([
            .required("participant_id", .string(), "The pseudonym of the participant."),
            .required("name", .string(), "The name in the account; empty for an anonymous account."),
            .required(
                "email", .nullable(.string()), "The mail address; null for an account without an address."),
            .required("email_verified", .boolean, "Whether the participant confirmed the address."),
            .required("language", .string(), "The language in which the participant takes part."),
            .required("time_zone", .string(), "The time zone of the participant."),
        ]))

    // MARK: The password

    var resetPassword: Route {
        context.participantAction(
            "password-reset",
            summary: "Send a participant a mail to set a new password",
            description: """
                The mail goes to the address of the participant's account, as after `POST /v1/password-resets`; the \
                caller does not learn the address. The server writes an audit entry. In a browser session the password \
                must have been entered within 10 minutes (`POST /v1/session/confirmation`). 404 if the participant has \
                no address.
                """,
            outcomes: [.empty(.accepted, "A mail with a code is sent.")], problems: [.notFound]
        ) { call in
            let enrolment = try await context.fetchParticipant(call)
            guard let person = try await context.store.findRecipient(of: enrolment.id),
                let email = person.email
            else { throw Problem(.notFound, "The participant has no mail address.") }
            try await context.accounts.resetThrottle.admit(.email(email), now: call.now)
            try await context.accounts.sendReset(to: person.account, now: call.now)
            try await context.store.record(audit("password_reset_sent", enrolment, call), at: call.now)
            return .empty(.accepted)
        }
    }

    // MARK: The end

    var withdraw: Route {
        context.participantAction(
            "withdrawal",
            summary: "End the participation of one participant",
            description: """
                With the modes of `POST /v1/enrolments/{id}/withdrawal`: `stop` ends all reminders and keeps the data, \
                `exclude` also excludes the data from every dataset and from monitoring, `erase` deletes the data for \
                good. The account remains. Stored datasets that contain the participant are deleted with `exclude` \
                and `erase`. The server writes an audit entry. In a browser session the password must have been \
                entered within 10 minutes (`POST /v1/session/confirmation`).
                """,
            body: .json(
                .named(
                    "ParticipationEnd",
                    .object([
                        .required(
                            "mode", .string(values: ["stop", "exclude", "erase"]),
                            "Keep the data, exclude them from datasets, or erase them for good."),
                        .required(
                            "reason", .string(values: ParticipantActionReason.end),
                            "Why the participation ends."),
                        .required(
                            "participant_id", .string(minLength: 1, maxLength: 64),
                            "The pseudonym again, so that no other participant is withdrawn by mistake."),
                    ])),
                example: ["mode": "stop", "reason": "asked", "participant_id": "P7K2M9QX"]),
            outcomes: [.empty(.noContent, "The participation has ended.")],
            problems: [.notFound, .enrolmentWithdrawn]
        ) { call in
            // An excluded participant is in no list, but can still be erased.
            guard
                let stored = try await context.store.findEnrolment(
                    of: call.text("participant"), in: call.text("study"))
            else { throw Problem(.notFound) }
            guard call.body["participant_id"]?.string == stored.participantID else {
                throw Fault(
                    pointer: "/participant_id", code: "not_a_value",
                    detail: "It must be the pseudonym of the participant.")
            }
            let mode = call.body["mode"]?.string ?? ""
            guard Self.ends(stored.state, with: mode) else { throw Problem(.enrolmentWithdrawn) }
            var entry = audit(
                "withdrawn", stored, call,
                ["mode": .string(mode), "reason": call.body["reason"] ?? .null])
            if mode == "erase" {
                entry.enrolment = nil
                try await context.store.erase(stored, audit: entry, now: call.now)
                context.memberships.remove(stored.id)
                return .noContent
            }
            _ = try await context.store.withdraw(
                stored.id, to: mode == "exclude" ? .excluded : .stopped,
                study: try await context.study(of: stored).study, audit: entry, now: call.now)
            return .noContent
        }
    }

    /// Whether the mode changes something.
    private static func ends(_ state: EnrolmentState, with mode: String) -> Bool {
        switch mode {
        case "stop": state == .active
        case "exclude": state != .excluded
        default: true
        }
    }

    private func audit(
        _ action: String, _ enrolment: Enrolment, _ call: Call<Identity>, _ detail: JSONObject = [:]
    ) -> AuditEntry {
        AuditEntry(
            actor: .account(call.caller.account), action: action, study: enrolment.study,
            enrolment: enrolment.id, requestID: call.requestID, detail: detail)
    }
}
