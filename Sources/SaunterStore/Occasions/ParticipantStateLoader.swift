import Logging
import SaunterCore

/// Loads the states of participants for overviews. Look-ups that arrive while a round trip runs are combined in the
/// next one.
package struct ParticipantStateLoader: Sendable {
    private let lookups: BatchingQueue<ParticipantStateKey, ParticipantState?>

    /// Creates a loader with its own queue, for all studies.
    package init(store: Store, logger: Logger) {
        lookups = BatchingQueue(
            // A state can contain hundreds of occasions.
            "participations", limits: BatchLimits(batchItems: 64),
            rules: .init(lane: { _ in "" }, bytes: { _ in 64 }), logger: logger,
            pause: BatchRetryPolicy.backOff
        ) { keys in
            // All keys arrived within one round trip, so the latest instant is valid for all of them.
            guard let first = keys.map(\.now).min(), let last = keys.map(\.now).max() else { return [] }
            var found: [Bool: [EnrolmentID: ParticipantState]] = [:]
            for (isTodayOnly, keys) in Dictionary(grouping: keys, by: \.isTodayOnly) {
                found[isTodayOnly] = try await store.findParticipantStates(
                    ParticipantStateQuery(
                        ids: Array(Set(keys.map(\.enrolment))), now: last,
                        completions: isTodayOnly ? .today(at: first) : .all, includesReminders: !isTodayOnly))
            }
            return keys.map { found[$0.isTodayOnly]?[$0.enrolment] }
        }
    }

    /// The state as committed at some instant after the call. Nil if there is no such enrolment.
    /// - Throws: `IngestOverload`, or the database error.
    package func find(_ enrolment: EnrolmentID, now: Instant) async throws -> ParticipantState? {
        try await lookups.submit(ParticipantStateKey(enrolment: enrolment, now: now, isTodayOnly: false))
    }

    /// Like `find`, but without reminders and snoozes, and with today's sheets only. Most overviews need no more.
    package func findToday(_ enrolment: EnrolmentID, now: Instant) async throws -> ParticipantState? {
        try await lookups.submit(ParticipantStateKey(enrolment: enrolment, now: now, isTodayOnly: true))
    }
}

/// The enrolment to look up, the instant, and how much of its state is needed.
private struct ParticipantStateKey: Sendable {
    var enrolment: EnrolmentID
    var now: Instant
    var isTodayOnly: Bool
}
