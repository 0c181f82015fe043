import Postgres
import SaunterCore

/// The study's allocation has no arm for the next position: it has no arms, or a million participants are enrolled.
package struct AllocationExhausted: Error {}

/// A change of arm by a researcher.
package struct ArmChange: Sendable, Hashable {
    /// Counts from 1, per enrolment.
    package var ordinal: Int
    /// The code of the previous arm.
    package var from: String
    /// The code of the new arm.
    package var to: String
    /// The text that the researcher gave.
    package var reason: String
    /// The account of the researcher.
    package var by: AccountID
    /// When the change was stored, by the server's clock.
    package var at: Instant
}

/// The given version of the study is out of date: the enrolment was moved, or another version became live concurrently.
package struct StudyVersionMismatch: Error {}

extension Store {
    /// Takes the next position of the participant's allocation list and assigns an arm. The list stays locked until the
    /// transaction ends: the next participant is allocated after this one is counted, and a rolled back transaction
    /// returns its position.
    /// - Throws: `AllocationExhausted`.
    static func assignArm(_ draft: EnrolmentDraft, in transaction: Transaction) async throws -> ArmAssignment
    {
        let study = draft.study
        let position: Int = try await transaction.query(
            Statements.enrolments["take_allocation_position"],
            ["study": .text(study.code), "stratum": .text(study.allocationList(of: draft.levels))]
        ).one().get("position")
        var tally = AllocationTally()
        if study.allocation.method == .minimisation {
            let rows = try await transaction.query(
                Statements.allocations["list_allocation_tally"],
                [
                    "study": .text(study.code), "factors": .texts(draft.levels.entries.map(\.factor)),
                    "levels": .texts(draft.levels.entries.map(\.level)),
                ])
            for row in rows {
                let entry = FactorLevels.Entry(factor: try row.get("factor"), level: try row.get("level"))
                tally[entry, try row.get("arm")] = try row.get("participants")
            }
        }
        guard
            let assignment = study.assignArm(draft.levels, position: position, tally: tally, seed: draft.seed)
        else { throw AllocationExhausted() }
        return assignment
    }

    /// Participants of a study by arm and levels. Runs under a role that cannot read identities.
    package func countAllocations(_ study: String) async throws -> [AllocationCount] {
        try await export.query(Statements.allocations["count_allocations"], ["study": .text(study)]).map {
            row in
            let factors = try JSONReader.read(row.get("factors", as: String.self)).object ?? [:]
            return AllocationCount(
                arm: try row.get("arm"), stratum: try row.get("stratum"),
                levels: FactorLevels(
                    factors.compactMap { member in
                        member.value.string.map { FactorLevels.Entry(factor: member.name, level: $0) }
                    }),
                participants: try row.get("participants"))
        }
    }

    /// The newest enrolment of a study with this pseudonym.
    package func findEnrolment(of participant: String, in study: String) async throws -> Enrolment? {
        let rows = try await research.query(
            Statements.allocations["find_participant"],
            ["study": .text(study), "participant_id": .text(participant)])
        guard let row = try rows.oneOrNone() else { return nil }
        return try await findEnrolment(try row.id("enrolment_id"))
    }

    /// Changes a participant's arm, records the change, and replans future occasions, in one transaction. Open
    /// occasions stay unchanged. If the participant already has the arm, nothing changes.
    /// - Parameter study: the version that the enrolment follows.
    /// - Returns: the enrolment as stored afterwards.
    /// - Throws: `ConcurrentErasure`, `StudyVersionMismatch`.
    package func changeArm(
        of id: EnrolmentID, to arm: String, because reason: String, by account: AccountID, study: Study,
        requestID: String?, now: Instant
    ) async throws -> Enrolment {
        try await research.writeRetrying(idempotent: true) { transaction in
            var enrolment = try await Self.lockEnrolment(id, in: transaction)
            guard enrolment.arm != arm, enrolment.state == .active else { return enrolment }
            guard enrolment.studyVersion == study.version else { throw StudyVersionMismatch() }
            _ = try await transaction.pipeline([
                (
                    Statements.allocations["change_arm"],
                    [
                        "enrolment_id": .id(id), "to_arm": .text(arm), "reason": .text(reason),
                        "changed_by": .id(account), "now": .instant(now),
                    ]
                ),
                AuditEntry(
                    actor: .account(account), action: "arm_changed", study: enrolment.study, enrolment: id,
                    requestID: requestID
                ).call(at: now, secrets),
            ])
            enrolment.arm = arm
            return try await replan(enrolment, study: study, now: now, in: transaction)
        }
    }

    /// All changes of one participant's arm, the first one first.
    package func listArmChanges(of id: EnrolmentID) async throws -> [ArmChange] {
        try await research.query(Statements.allocations["list_arm_changes"], ["enrolment_id": .id(id)]).map {
            row in
            ArmChange(
                ordinal: try row.get("ordinal"), from: try row.get("from_arm"), to: try row.get("to_arm"),
                reason: try row.get("reason"), by: try row.id("changed_by"), at: try row.instant("changed_at")
            )
        }
    }

    /// The number of participants of a study whose arm differs from the allocated arm, by both arms.
    package func countArmMoves(_ study: String) async throws -> [AllocationBalance.Move] {
        try await export.query(Statements.allocations["count_arm_moves"], ["study": .text(study)]).map {
            row in
            AllocationBalance.Move(
                from: try row.get("from_arm"), to: try row.get("to_arm"),
                participants: try row.get("participants"))
        }
    }
}
