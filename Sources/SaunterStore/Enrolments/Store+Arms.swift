import Foundation
import Postgres
import SaunterCore

/// An arm that somebody gave in place of the one before.
package struct ArmChange: Sendable, Hashable {
    /// From 1, by enrolment.
    package var ordinal: Int
    package var from: String
    package var to: String
    package var reason: String
    package var by: AccountID
    package var at: Instant
}

/// The enrolment has come to follow another version of the study than the one at hand.
package struct FollowsAnotherVersion: Error {}

extension Store {
    /// The newest enrolment of a study under this pseudonym.
    package func findEnrolment(of participant: String, in study: String) async throws -> Enrolment? {
        let rows = try await research.query(
            Statements.allocations["find_participant"], [.text(study), .text(participant)])
        guard let row = try rows.oneOrNone() else { return nil }
        return try await findEnrolment(try row.id("enrolment_id"))
    }

    /// Gives a participant another arm, notes that beside what the allocation gave, and plans anew what lies ahead, in
    /// one transaction: what is open stays as it is. The arm that somebody has already changes nothing.
    /// - Returns: the enrolment then.
    /// - Parameter study: the version that the enrolment follows.
    /// - Throws: `ErasedMeanwhile`, `FollowsAnotherVersion`.
    package func changeArm(
        of id: EnrolmentID, to arm: String, because reason: String, by account: AccountID, study: Study,
        requestID: String?, now: Instant
    ) async throws -> Enrolment {
        try await research.writeRetrying(repeatable: true) { transaction in
            var enrolment = try await Self.lockEnrolment(id, in: transaction)
            guard enrolment.arm != arm, enrolment.state == .active else { return enrolment }
            guard enrolment.studyVersion == study.version else { throw FollowsAnotherVersion() }
            let former = enrolment.arm
            _ = try await transaction.pipeline([
                (
                    Statements.allocations["change_arm"],
                    [.id(id), .text(arm), .text(reason), .id(account), .instant(now)]
                ),
                AuditEntry(
                    actor: .account(account), action: "arm_changed", study: enrolment.study, enrolment: id,
                    requestID: requestID, detail: ["from": .string(former), "to": .string(arm)]
                ).call(at: now),
            ])
            enrolment.arm = arm
            return try await replan(enrolment, study: study, now: now, in: transaction)
        }
    }

    /// All changes of one participant's arm, the first one first.
    package func listArmChanges(of id: EnrolmentID) async throws -> [ArmChange] {
        try await research.query(Statements.allocations["list_arm_changes"], [.id(id)]).map { row in
            ArmChange(
                ordinal: try row.get("ordinal"), from: try row.get("from_arm"), to: try row.get("to_arm"),
                reason: try row.get("reason"), by: try row.id("changed_by"), at: try row.instant("changed_at")
            )
        }
    }

    /// How many participants of a study have another arm than the allocation gave them.
    package func countArmMoves(_ study: String) async throws -> [AllocationBalance.Move] {
        try await export.query(Statements.allocations["count_arm_moves"], [.text(study)]).map { row in
            AllocationBalance.Move(
                from: try row.get("from_arm"), to: try row.get("to_arm"),
                participants: try row.get("participants"))
        }
    }
}
