import Foundation
import Postgres
import SaunterCore

/// There is no such enrolment, or account, any more: it was erased after the request had been let in.
package struct ErasedMeanwhile: Error {}

extension Store {
    /// Enrols once: whoever is enrolled already gets the same enrolment again, also when two devices ask at once.
    /// Arm, membership, plan and audit are written in one transaction, or nothing is.
    /// - Throws: `ErasedMeanwhile` without such an account, `AllocationExhausted`.
    package func enrol(_ draft: EnrolmentDraft, now: Instant) async throws -> (
        enrolment: Enrolment, isNew: Bool
    ) {
        try await clerk.writeRetrying(repeatable: true) { transaction in
            let account = try await transaction.query(
                Statements.accounts["lock_account"], [.id(draft.account)])
            guard !account.isEmpty else { throw ErasedMeanwhile() }
            let memberships = try await transaction.query(
                Statements.accounts["list_memberships"], [.id(draft.account)])
            for row in memberships where try row.get("study", as: String.self) == draft.study.code {
                let id: EnrolmentID = try row.id("enrolment_id")
                return (try await Self.lockEnrolment(id, in: transaction), false)
            }
            try await insert(draft, now: now, in: transaction)
            return (try await Self.lockEnrolment(draft.id, in: transaction), true)
        }
    }

    private func insert(_ draft: EnrolmentDraft, now: Instant, in transaction: Transaction) async throws {
        let study = draft.study
        let allotment = try await Self.allot(draft, in: transaction)
        let arm = allotment.arm
        let planner = Planner(
            PlanInput(
                study: study, enrolmentID: draft.id, arm: arm, enrolledAt: now,
                zones: [ZoneChange(from: now, zone: draft.zone)], seed: draft.seed))
        let planned = reconcile(stored: [], planned: planner.occasions(horizonFrom: now), now: now)
        let plannedThrough = planner.plannedThrough(planner.horizon(from: now).upperBound)
        let reminder = Prompting(
            study: study, occasions: planned.insert, zone: draft.zone, enrolledAt: now,
            plannedThrough: plannedThrough
        ).next(at: now)
        let enrolledOn = draft.zone.local(of: now).date
        _ = try await transaction.pipeline([
            (
                Statements.enrolments["insert_enrolment"],
                [
                    .id(draft.id), .text(study.code), .text(study.version), .text(draft.participantID),
                    .text(arm),
                    .text(draft.levels.stratum), .int(allotment.position), .text(allotment.method.rawValue),
                    .text(study.consentVersion),
                    .instant(now), .localDate(enrolledOn), .text(draft.zone.id), .text(draft.language),
                    .instant(reminder), .localDate(plannedThrough), .json(draft.levels.json),
                    .json(.object(allotment.basis)), .text(Study.allocationMark(of: draft.seed)),
                    .texts((study.reminder?.channels ?? [.mail]).map(\.rawValue)),
                ]
            ),
            Self.consentCall(
                of: draft.id, to: study, language: draft.language, now: now),
            Self.versionCall(of: draft.id, study.version, now: now),
            (
                Statements.enrolments["insert_enrolment_zone"],
                [.id(draft.id), .instant(now), .text(draft.zone.id), .text("enrolment")]
            ),
            (
                Statements.accounts["insert_membership"],
                [.id(draft.account), .text(study.code), .id(draft.id)]
            ),
            Self.insertCall(planned.insert, for: draft.id, studyVersion: study.version, now: now),
            AuditEntry(
                actor: .account(draft.account), action: "enrolled", study: study.code, enrolment: draft.id,
                requestID: draft.requestID, detail: ["consent_version": .string(study.consentVersion)]
            ).call(at: now),
        ])
    }

    package func findEnrolment(_ id: EnrolmentID) async throws -> Enrolment? {
        try await research.query(Statements.enrolments["find_enrolment"], [.id(id)]).oneOrNone().map(
            Self.enrolment)
    }

    /// - Throws: `ErasedMeanwhile`.
    static func lockEnrolment(_ id: EnrolmentID, in transaction: Transaction) async throws -> Enrolment {
        let rows = try await transaction.query(Statements.enrolments["lock_enrolment"], [.id(id)])
        guard let row = try rows.oneOrNone() else { throw ErasedMeanwhile() }
        return try enrolment(row)
    }

    /// Changes settings under the participant's lock, plans anew where they matter, and returns what is stored then.
    /// - Throws: `ErasedMeanwhile`.
    package func updateEnrolment(
        _ id: EnrolmentID, study: Study, now: Instant, change: @Sendable (inout EnrolmentSettings) -> Void
    ) async throws -> Enrolment {
        try await research.writeRetrying(repeatable: true) { transaction in
            let stored = try await Self.lockEnrolment(id, in: transaction)
            var settings = EnrolmentSettings(stored)
            change(&settings)
            let reminder = Self.waitingReminder(settings, stored)
            var calls: [(Statement, [Parameter])] = [
                (
                    Statements.enrolments["update_enrolment_settings"],
                    [
                        .id(id), .text(settings.zone.id), .text(settings.language),
                        .int(settings.reminderAt?.seconds),
                        .bool(settings.remindersOn), .instant(reminder),
                        .texts(settings.channels.map(\.rawValue)),
                    ]
                )
            ]
            if settings.zone != stored.zone {
                calls.append(
                    (
                        Statements.enrolments["insert_enrolment_zone"],
                        [.id(id), .instant(now), .text(settings.zone.id), .text("participant")]
                    ))
            }
            switch settings.pause {
            case .unchanged: break
            case .begin:
                calls.append((Statements.enrolments["open_enrolment_pause"], [.id(id), .instant(now)]))
            case .end:
                calls.append((Statements.enrolments["close_enrolment_pause"], [.id(id), .instant(now)]))
            }
            _ = try await transaction.pipeline(calls)
            let changed = try await Self.lockEnrolment(id, in: transaction)
            return try await replan(changed, study: study, now: now, in: transaction)
        }
    }

    /// What has come due and waits to be claimed stays so, unless hour, zone or switch were changed. Else planning anew finds the next.
    private static func waitingReminder(_ settings: EnrolmentSettings, _ stored: Enrolment) -> Instant? {
        guard settings.remindersOn, stored.remindersOn, stored.state == .active,
            settings.zone == stored.zone, settings.reminderAt == stored.reminderAt
        else { return nil }
        return stored.nextReminderAt
    }

    static func enrolment(_ row: Row) throws -> Enrolment {
        Enrolment(
            id: try row.id("enrolment_id"), study: try row.get("study"),
            studyVersion: try row.get("study_version"),
            participantID: try row.get("participant_id"), arm: try row.get("arm"),
            consentVersion: try row.get("consent_version"), consentedAt: try row.instant("consented_at"),
            enrolledAt: try row.instant("enrolled_at"), enrolledOn: try row.localDate("enrolled_on"),
            zone: try row.zone("zone"), language: try row.get("language"), state: try row.value("status"),
            endedAt: try row.instantOptional("ended_at"),
            reminderAt: try row.getOptional("reminder_at", as: Int.self).flatMap { LocalTime(seconds: $0) },
            remindersOn: try row.get("reminders_on"),
            channels: try row.get("reminder_channels", as: [String].self).compactMap {
                ReminderChannel(rawValue: $0)
            },
            nextReminderAt: try row.instantOptional("next_reminder_at"),
            plannedThrough: try row.localDate("planned_through"))
    }
}

/// What participants may change of their enrolment.
package struct EnrolmentSettings: Sendable {
    package enum PauseChange: Sendable {
        case unchanged, begin, end
    }

    package var zone: Zone
    package var language: String
    package var reminderAt: LocalTime?
    package var remindersOn: Bool
    /// At least one, each once.
    package var channels: [ReminderChannel]
    package var pause = PauseChange.unchanged

    init(_ enrolment: Enrolment) {
        zone = enrolment.zone
        language = enrolment.language
        reminderAt = enrolment.reminderAt
        remindersOn = enrolment.remindersOn
        channels = enrolment.channels
    }
}
