import Foundation
import Postgres
import SaunterCore

extension Store {
    /// Longer than it takes a standby to take over.
    private static let patience = Duration.seconds(60)

    /// Does it again while the database is away. For what comes to the same however often it is done, and would be given up for good otherwise.
    package func patiently<Value>(
        _ work: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        let startedAt = ContinuousClock.now
        while true {
            do {
                return try await work()
            } catch let error as DatabaseError
                where (error.isOutage || error.isTransient)
                && startedAt.duration(to: .now) < Self.patience
            {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// What became of a claim whose commit was not answered: only who made it knows its name, so if it is there and nobody sends it now, nobody
    /// ever does.
    /// - Parameter claim: the message itself, where it was claimed for the first time.
    /// - Returns: nil when nothing was claimed, or by somebody else.
    package func findClaim(
        _ claim: UUID, of message: MessageID, _ enrolment: EnrolmentID
    ) async throws -> ReminderMessage? {
        try await patiently { try await lookForClaim(claim, of: message, enrolment) }
    }

    /// The locks wait for a commit that is still under way: of a first claim the enrolment's, of a later one the message's. The claim is written, not
    /// read, since only a write waits for a synchronous standby.
    private func lookForClaim(
        _ claim: UUID, of message: MessageID, _ enrolment: EnrolmentID
    ) async throws -> ReminderMessage? {
        try await research.writeRetrying(repeatable: true) { transaction in
            _ = try await transaction.query(Statements.enrolments["lock_enrolments"], [.ids([enrolment])])
            _ = try await transaction.query(
                Statements.reminders["lock_message"], [.id(enrolment), .id(message)])
            let rows = try await transaction.query(
                Statements.reminders["confirm_claim"], [.id(enrolment), .id(message), .uuid(claim)])
            guard !rows.isEmpty else { return nil }
            let expiries = try rows.compactMap { try $0.instantOptional("expires_at") }
            guard let expiry = expiries.max() else { return nil }
            return ReminderMessage(
                id: message, enrolment: enrolment, keys: try rows.compactMap { try Self.key($0) },
                expiresAt: expiry)
        }
    }
}
