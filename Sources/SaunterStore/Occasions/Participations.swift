import Logging
import SaunterCore

/// Looks up what overviews are made of: the look-ups that arrive while one is under way are one round trip together.
package struct Participations: Sendable {
    private let lookups: GatheringQueue<ParticipationKey, Participation?>

    package init(store: Store, logger: Logger) {
        lookups = GatheringQueue(
            // Each may have hundreds of occasions.
            "participations", bounds: GatheringBounds(batch: 64),
            rules: .init(lane: { _ in "" }, bytes: { _ in 64 }), logger: logger,
            pause: GatheringPatience.backOff
        ) { keys in
            // They arrived within one round trip of each other: what the last may see does the others no harm.
            guard let now = keys.map(\.now).max() else { return [] }
            let found = try await store.findParticipations(Array(Set(keys.map(\.enrolment))), now: now)
            return keys.map { found[$0.enrolment] }
        }
    }

    /// As it is committed at some moment after the call; nil when there is no such enrolment.
    /// - Throws: `IngestOverload`, or the database's error.
    package func find(_ enrolment: EnrolmentID, now: Instant) async throws -> Participation? {
        try await lookups.submit(ParticipationKey(enrolment: enrolment, now: now))
    }
}

/// Whose state, and when it is asked for.
private struct ParticipationKey: Sendable {
    var enrolment: EnrolmentID
    var now: Instant
}
