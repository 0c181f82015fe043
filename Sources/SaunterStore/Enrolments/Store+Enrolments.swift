import Foundation
import Postgres
import SaunterCore

/// The study does not admit accounts of this kind.
package struct AccountKindNotAdmitted: Error, Hashable {
    /// The kind of the account.
    package var kind: AccountKind
}

/// The enrolment or the account no longer exists: it was erased after the request was authenticated.
package struct ConcurrentErasure: Error {}

extension Store {
    /// Enrols a participant. A participant who is already enrolled gets the existing enrolment, also if two devices
    /// enrol at the same time. Arm, membership, plan and audit entry are written in one transaction. A publication that
    /// begins in the meantime waits for it, and then moves the enrolment like any other.
    /// - Throws: `ConcurrentErasure` if the account does not exist, `AccountKindNotAdmitted`, `StudyVersionMismatch` if
    ///   another version is live, `EnrolmentCodeRejection`, `AllocationExhausted`.
    package func enrol(_ draft: EnrolmentDraft, now: Instant) async throws -> (
        enrolment: Enrolment, isNew: Bool
    ) {
        try await clerk.writeRetrying(idempotent: true) { transaction in
            let found = try await transaction.pipeline([
                (Statements.studies["keep_live_version"], ["study": .text(draft.study.code)]),
                (Statements.studies["find_study"], ["study": .text(draft.study.code)]),
                (Statements.accounts["lock_account"], ["account_id": .id(draft.account)]),
                (Statements.accounts["list_memberships"], ["account_id": .id(draft.account)]),
            ])
            let live = try found[1].oneOrNone()?.get("live_version", as: String.self)
            guard let account = try found[2].oneOrNone() else { throw ConcurrentErasure() }
            let isEmailVerified = try account.instantOptional("email_verified_at") != nil
            for row in found[3] where try row.get("study", as: String.self) == draft.study.code {
                let id: EnrolmentID = try row.id("enrolment_id")
                return (try await Self.lockEnrolment(id, in: transaction), false)
            }
            let kind: AccountKind = try account.value("kind")
            guard draft.study.accounts.kinds.contains(kind) else { throw AccountKindNotAdmitted(kind: kind) }
            guard live == draft.study.version else { throw StudyVersionMismatch() }
            try await insert(
                draft, kind, isEmailVerified: isEmailVerified, now: now, in: transaction)
            return (try await Self.lockEnrolment(draft.id, in: transaction), true)
        }
    }

    private func insert(
        _ draft: EnrolmentDraft, _ kind: AccountKind, isEmailVerified: Bool, now: Instant,
        in transaction: Transaction
    ) async throws {
        let study = draft.study
        var codeCalls: [(Statement, Arguments)] = []
        if let code = draft.code {
            codeCalls = try await useCalls(of: code, draft, now: now, in: transaction)
        }
        let assignment = try await Self.assignArm(draft, in: transaction)
        let arm = assignment.arm
        let planner = Planner(
            PlanInput(
                study: study, enrolmentID: draft.id, arm: arm, enrolledAt: now,
                zones: [ZoneChange(from: now, zone: draft.zone)], seed: draft.seed))
        let planned = reconcile(stored: [], planned: planner.occasions(horizonFrom: now), now: now)
        let plannedThrough = planner.plannedThrough(planner.horizon(from: now).upperBound)
        let reminder = ReminderPlanner(
            study: study, occasions: planned.insert, zone: draft.zone, enrolledAt: now,
            plannedThrough: plannedThrough
        ).nextCheck(at: now)
        var detail: JSONObject = ["consent_version": .string(study.consentVersion)]
        if draft.code != nil { detail["with_code"] = .bool(true) }
        _ = try await transaction.pipeline([
            Self.insertCall(
                of: draft, assignment, kind, isEmailVerified: isEmailVerified, nextReminderAt: reminder,
                plannedThrough: plannedThrough, now: now),
            Self.consentCall(
                of: draft.id, to: study, language: draft.language, now: now),
            Self.versionCall(of: draft.id, study.version, now: now),
            (
                Statements.enrolments["insert_enrolment_zone"],
                [
                    "enrolment_id": .id(draft.id), "effective_from": .instant(now),
                    "zone": .text(draft.zone.id), "source": .text("enrolment"),
                ]
            ),
            (
                Statements.accounts["insert_membership"],
                ["account_id": .id(draft.account), "study": .text(study.code), "enrolment_id": .id(draft.id)]
            ),
            Self.insertCall(planned.insert, for: draft.id, studyVersion: study.version, now: now),
            // Without the id of the code: the study team may know which person received it, and the audit stays after
            // an erasure.
            AuditEntry(
                actor: .participant, action: "enrolled", study: study.code, enrolment: draft.id,
                requestID: draft.requestID, detail: detail
            ).call(at: now, secrets),
        ])
        if !study.rules.isEmpty {
            _ = try await transaction.pipeline([Self.decideSoonCall([draft.id], now: now)])
        }
        if !codeCalls.isEmpty { _ = try await transaction.pipeline(codeCalls) }
        if !study.entitlements.isEmpty {
            // What the account bought before.
            _ = try await transaction.pipeline([Self.recordCall(of: draft.account, now: now)])
        }
        if !draft.dataKinds.isEmpty {
            let changes = DataKindChanges(
                permissions: Dictionary(
                    draft.dataKinds.map { ($0, true) }, uniquingKeysWith: { first, _ in first }),
                study: study.code, requestID: draft.requestID)
            try await apply(changes, to: draft.id, now: now, in: transaction)
        }
    }

    /// The call that inserts the row of an enrolment.
    private static func insertCall(
        of draft: EnrolmentDraft, _ assignment: ArmAssignment, _ kind: AccountKind, isEmailVerified: Bool,
        nextReminderAt: Instant?, plannedThrough: LocalDate, now: Instant
    ) -> (Statement, Arguments) {
        let study = draft.study
        return (
            Statements.enrolments["insert_enrolment"],
            [
                "enrolment_id": .id(draft.id), "study": .text(study.code),
                "study_version": .text(study.version), "participant_id": .text(draft.participantID),
                "arm": .text(assignment.arm),
                "stratum": .text(draft.levels.stratum), "position": .int(assignment.position),
                "method": .text(assignment.method.rawValue),
                "consent_version": .text(study.consentVersion),
                "now": .instant(now), "enrolled_on": .localDate(draft.zone.local(of: now).date),
                "zone": .text(draft.zone.id), "language": .text(draft.language),
                "next_reminder_at": .instant(nextReminderAt), "planned_through": .localDate(plannedThrough),
                "allocation_factors": .json(draft.levels.json),
                "allocation_basis": .json(.object(assignment.basis)),
                "allocation_seed": .text(Study.seedFingerprint(of: draft.seed)),
                "reminder_channels": .texts((study.reminder?.channels ?? [.mail]).map(\.rawValue)),
                "email_verified": .bool(isEmailVerified), "account_kind": .text(kind.rawValue),
            ]
        )
    }

    /// One enrolment, or nil.
    package func findEnrolment(_ id: EnrolmentID) async throws -> Enrolment? {
        try await research.query(Statements.enrolments["find_enrolment"], ["enrolment_id": .id(id)])
            .oneOrNone().map(
                Self.enrolment)
    }

    /// Locks the row until the transaction ends.
    /// - Throws: `ConcurrentErasure`.
    static func lockEnrolment(_ id: EnrolmentID, in transaction: Transaction) async throws -> Enrolment {
        let rows = try await transaction.query(
            Statements.enrolments["lock_enrolment"], ["enrolment_id": .id(id)])
        guard let row = try rows.oneOrNone() else { throw ConcurrentErasure() }
        return try enrolment(row)
    }

    /// Changes settings under the participant's lock, replans, and returns the enrolment as stored afterwards.
    /// - Parameter dataKinds: the kinds of data that the participant grants or revokes.
    /// - Throws: `ConcurrentErasure`.
    package func updateEnrolment(
        _ id: EnrolmentID, study: Study, dataKinds: DataKindChanges? = nil, now: Instant,
        change: @Sendable (inout EnrolmentSettings) -> Void
    ) async throws -> Enrolment {
        try await research.writeRetrying(idempotent: true) { transaction in
            let stored = try await Self.lockEnrolment(id, in: transaction)
            var settings = EnrolmentSettings(stored)
            change(&settings)
            let reminder = Self.pendingReminderCheck(settings, stored)
            var calls: [(Statement, Arguments)] = [
                (
                    Statements.enrolments["update_enrolment_settings"],
                    [
                        "enrolment_id": .id(id), "zone": .text(settings.zone.id),
                        "language": .text(settings.language),
                        "reminder_at": .int(settings.reminderAt?.seconds),
                        "reminders_on": .bool(settings.remindersOn), "next_reminder_at": .instant(reminder),
                        "reminder_channels": .texts(settings.channels.map(\.rawValue)),
                    ]
                )
            ]
            if settings.zone != stored.zone {
                calls.append(
                    (
                        Statements.enrolments["insert_enrolment_zone"],
                        [
                            "enrolment_id": .id(id), "effective_from": .instant(now),
                            "zone": .text(settings.zone.id), "source": .text("participant"),
                        ]
                    ))
            }
            switch settings.pause {
            case .unchanged: break
            case .begin:
                calls.append(
                    (
                        Statements.enrolments["open_enrolment_pause"],
                        ["enrolment_id": .id(id), "from_at": .instant(now)]
                    ))
            case .end:
                calls.append(
                    (
                        Statements.enrolments["close_enrolment_pause"],
                        ["enrolment_id": .id(id), "to_at": .instant(now)]
                    ))
            }
            _ = try await transaction.pipeline(calls)
            if let dataKinds { try await apply(dataKinds, to: id, now: now, in: transaction) }
            let changed = try await Self.lockEnrolment(id, in: transaction)
            return try await replan(changed, study: study, now: now, in: transaction)
        }
    }

    /// Ends an enrolment: reminders stop, and no assessment window counts from now on. `excluded` also removes the data
    /// from datasets. Repeating the call changes nothing, except from `stopped` to `excluded`.
    /// - Throws: `ConcurrentErasure`.
    package func withdraw(
        _ id: EnrolmentID, to state: EnrolmentState, study: Study, audit: AuditEntry, now: Instant
    ) async throws -> Enrolment {
        try await research.writeRetrying(idempotent: true) { transaction in
            let stored = try await Self.lockEnrolment(id, in: transaction)
            guard stored.state == .active || (stored.state == .stopped && state == .excluded) else {
                return stored
            }
            _ = try await transaction.pipeline([
                (
                    Statements.enrolments["end_enrolment"],
                    [
                        "enrolment_id": .id(id), "status": .text(state.rawValue), "now": .instant(now),
                        "reason": .text("withdrawn"),
                    ]
                ),
                audit.call(at: now, secrets),
            ])
            if state == .excluded {
                let (statement, parameters) = Self.discardExportsCall(of: stored.study, now: now)
                _ = try await transaction.query(statement, parameters)
            }
            let ended = try await Self.lockEnrolment(id, in: transaction)
            return try await replan(ended, study: study, now: now, in: transaction)
        }
    }

    /// The pending check of reminders. It stays due unless the reminder time, the zone or `remindersOn` was changed.
    /// Nil if replanning must compute the next check.
    private static func pendingReminderCheck(
        _ settings: EnrolmentSettings, _ stored: Enrolment
    ) -> Instant? {
        guard settings.remindersOn, stored.remindersOn, stored.state == .active,
            settings.zone == stored.zone, settings.reminderAt == stored.reminderAt
        else { return nil }
        return stored.nextReminderAt
    }

    /// Reads a row of `research.enrolment`.
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

/// The settings of an enrolment that participants can change.
package struct EnrolmentSettings: Sendable {
    /// A change of the participant's pause.
    package enum PauseChange: Sendable {
        case unchanged, begin, end
    }

    /// The new time zone, or the present one.
    package var zone: Zone
    /// The new language, or the present one.
    package var language: String
    /// The time of the daily mail; nil for the default of the study.
    package var reminderAt: LocalTime?
    /// Whether the participant wants messages.
    package var remindersOn: Bool
    /// At least one, each once.
    package var channels: [ReminderChannel]
    /// Whether a pause begins or ends, or neither.
    package var pause = PauseChange.unchanged

    init(_ enrolment: Enrolment) {
        zone = enrolment.zone
        language = enrolment.language
        reminderAt = enrolment.reminderAt
        remindersOn = enrolment.remindersOn
        channels = enrolment.channels
    }
}
