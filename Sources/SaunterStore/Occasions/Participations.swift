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
            guard let first = keys.map(\.now).min(), let last = keys.map(\.now).max() else { return [] }
            var found: [Bool: [EnrolmentID: Participation]] = [:]
            for (isOfToday, keys) in Dictionary(grouping: keys, by: \.isOfToday) {
                found[isOfToday] = try await store.findParticipations(
                    ParticipationReading(
                        ids: Array(Set(keys.map(\.enrolment))), now: last,
                        completions: isOfToday ? .today(at: first) : .all, hasReminders: !isOfToday))
            }
            return keys.map { found[$0.isOfToday]?[$0.enrolment] }
        }
    }

    /// As it is committed at some moment after the call; nil when there is no such enrolment.
    /// - Throws: `IngestOverload`, or the database's error.
    package func find(_ enrolment: EnrolmentID, now: Instant) async throws -> Participation? {
        try await lookups.submit(ParticipationKey(enrolment: enrolment, now: now, isOfToday: false))
    }

    /// The same without what was told and put off, and of the sheets only those of today: all that an overview needs of most people, who have
    /// hundreds after a year.
    package func findToday(_ enrolment: EnrolmentID, now: Instant) async throws -> Participation? {
        try await lookups.submit(ParticipationKey(enrolment: enrolment, now: now, isOfToday: true))
    }
}

/// Whose state, when it is asked for, and how much of it.
private struct ParticipationKey: Sendable {
    var enrolment: EnrolmentID
    var now: Instant
    var isOfToday: Bool
}
