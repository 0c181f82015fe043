import Crypto
import Foundation
import Postgres
import SaunterCore

/// An answer on which a person of the study team must act.
package struct Alert: Sendable {
    /// The enrolment.
    package var enrolment: EnrolmentID
    /// The pseudonym of the participant.
    package var participantID: String
    /// The id of the alert.
    package var id: ID<Alert>
    /// The code of the rule that raised it.
    package var rule: String
    /// The reason, a code of the study.
    package var about: String
    /// When the rule decided.
    package var raisedAt: Instant
    /// How many times the study team was informed.
    package var notices: Int
    /// When a coordinator acknowledged it; nil while it is open.
    package var acknowledgedAt: Instant?
    /// What the coordinator did; nil while it is open.
    package var note: String?
}

/// An open alert of which the study team must be informed.
package struct DueAlert: Sendable {
    /// The enrolment.
    package var enrolment: EnrolmentID
    /// The id of the alert.
    package var id: ID<Alert>
    /// The code of the study.
    package var study: String
    /// The version that the participant follows.
    package var studyVersion: String
    /// How many times the study team was informed before.
    package var notices: Int
}

extension Store {
    /// Open alerts of which the study team must be informed now, at most 100.
    package func listDueAlerts(now: Instant) async throws -> [DueAlert] {
        try await research.query(Statements.staffMessages["list_due_alerts"], ["now": .instant(now)]).map {
            DueAlert(
                enrolment: try $0.id("enrolment_id"), id: try $0.id("alert_id"), study: try $0.get("study"),
                studyVersion: try $0.get("study_version"), notices: try $0.get("notices"))
        }
    }

    /// Queues one mail per person, then records that the study team was informed. The ids of the mails follow from the
    /// alert, so a worker that repeats this after a crash queues no second mail.
    /// - Parameters:
    ///   - message: the content of the mails.
    ///   - next: when the team is informed again if no coordinator has acknowledged the alert.
    package func inform(
        _ staff: [Account], of alert: DueAlert, _ message: JSONObject, next: Instant, now: Instant
    ) async throws {
        let calls = try staff.compactMap { member in
            try member.email.map {
                try mailCall(
                    .alert, to: $0, of: member.id, message, now: now,
                    mailID: Self.mailID(of: alert, to: member.id))
            }
        }
        if !calls.isEmpty { _ = try await identity.writeRetrying { try await $0.pipeline(calls) } }
        _ = try await research.query(
            Statements.staffMessages["finish_alert_notice"],
            [
                "enrolment_id": .id(alert.enrolment), "alert_id": .id(alert.id),
                "notices": .int(alert.notices), "next_notice_at": .instant(next),
            ])
    }

    private static func mailID(of alert: DueAlert, to account: AccountID) -> UUID {
        let digest = SHA256.hash(data: Data("alert \(alert.id) \(alert.notices) \(account)".utf8))
        return Array(digest.prefix(16)).withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The accounts with a role in a study.
    /// - Parameter study: a code, or `Grant.allStudies`.
    package func listAccounts(with role: Role, in study: String) async throws -> [Account] {
        try await identity.query(
            Statements.accounts["list_accounts_with_role"],
            ["role": .text(role.rawValue), "study": .text(study)]
        ).map(account)
    }

    /// A page of the alerts of a study, the newest first.
    package func listAlerts(
        of study: String, onlyOpen: Bool, after position: (moment: Instant, id: UUID)?, limit: Int
    ) async throws -> [Alert] {
        try await research.query(
            Statements.staffMessages["list_alerts"],
            [
                "study": .text(study), "open": .bool(onlyOpen),
                "before": .instant(position?.moment ?? .maximum), "before_id": .uuid(position?.id ?? .last),
                "limit_rows": .int(limit),
            ]
        ).map(Self.alert)
    }

    /// Records that a coordinator has acted on an alert, and writes the audit entry. The first acknowledgement stays.
    /// - Returns: the alert as stored; nil if the study has none with this id.
    package func acknowledge(
        _ id: ID<Alert>, in study: String, note: String, by actor: AuditEntry.Actor, requestID: String?,
        now: Instant
    ) async throws -> Alert? {
        try await research.writeRetrying(idempotent: true) { transaction in
            guard
                var alert = try await transaction.query(
                    Statements.staffMessages["find_alert"], ["study": .text(study), "alert_id": .id(id)]
                ).oneOrNone().map(Self.alert)
            else { return nil }
            guard alert.acknowledgedAt == nil else { return alert }
            alert.acknowledgedAt = now
            alert.note = note
            let audit = AuditEntry(
                actor: actor, action: "alert_acknowledged", study: study, enrolment: alert.enrolment,
                record: id.uuid, requestID: requestID, detail: ["rule": .string(alert.rule)])
            _ = try await transaction.pipeline([
                (
                    Statements.staffMessages["acknowledge_alert"],
                    [
                        "enrolment_id": .id(alert.enrolment), "alert_id": .id(id), "note": .text(note),
                        "now": .instant(now),
                    ]
                ), audit.call(at: now, secrets),
            ])
            return alert
        }
    }

    private static func alert(_ row: Row) throws -> Alert {
        Alert(
            enrolment: try row.id("enrolment_id"), participantID: try row.get("participant_id"),
            id: try row.id("alert_id"), rule: try row.get("rule"), about: try row.get("about"),
            raisedAt: try row.instant("raised_at"), notices: try row.get("notices"),
            acknowledgedAt: try row.instantOptional("acknowledged_at"), note: try row.getOptional("note"))
    }
}
