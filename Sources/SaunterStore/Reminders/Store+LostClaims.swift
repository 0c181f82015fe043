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

    /// What became of a claim whose commit was not answered: only who made it knows its message, so if it is there and nobody sends it now, nobody
    /// ever does.
    /// - Returns: nil when nothing was claimed.
    package func findClaim(_ message: MessageID, of enrolment: EnrolmentID) async throws -> ReminderMessage? {
        try await patiently { try await lookForClaim(message, of: enrolment) }
    }

    /// The enrolment's lock waits for a commit that is still under way; the claim is written, not read, since only a write waits for a synchronous
    /// standby.
    private func lookForClaim(
        _ message: MessageID, of enrolment: EnrolmentID
    ) async throws -> ReminderMessage? {
        try await research.writeRetrying(repeatable: true) { transaction in
            _ = try await transaction.query(Statements.enrolments["lock_enrolments"], [.ids([enrolment])])
            let rows = try await transaction.query(
                Statements.reminders["confirm_claim"], [.id(enrolment), .id(message)])
            guard !rows.isEmpty else { return nil }
            let expiries = try rows.compactMap { try $0.instantOptional("expires_at") }
            guard let expiry = expiries.min() else { return nil }
            return ReminderMessage(
                id: message, enrolment: enrolment, keys: try rows.compactMap { try Self.key($0) },
                expiresAt: expiry)
        }
    }
}
