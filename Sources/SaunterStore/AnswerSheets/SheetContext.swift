import Logging
import Postgres
import SaunterCore

/// What judging a sheet needs.
package struct SheetContext: Sendable {
    package var enrolment: Enrolment
    /// Of the study: whose keys are in force.
    package var liveVersion: String
    /// The one that the sheet names, if it is this participant's.
    package var occasion: Occasion?
}

/// Whose sheet it is, and for which occasion.
struct SheetContextKey: Sendable, Hashable {
    var enrolment: EnrolmentID
    var occasion: OccasionID?
}

/// Looks up what sheets are judged by: the look-ups that arrive while one is under way are one statement together.
package struct SheetContexts: Sendable {
    private let lookups: GatheringQueue<SheetContextKey, SheetContext?>

    package init(store: Store, logger: Logger) {
        lookups = GatheringQueue(
            // One at a time: the more wait for it, the less each costs.
            "lookups", bounds: GatheringBounds(batches: 1),
            rules: .init(lane: { _ in "" }, bytes: { _ in 64 }), logger: logger,
            pause: GatheringPatience.backOff
        ) { try await store.findSheetContexts($0) }
    }

    /// As it is committed at some moment after the call; nil when there is no such enrolment.
    /// - Throws: `IngestOverload`, or the database's error.
    package func find(_ enrolment: EnrolmentID, occasion: OccasionID?) async throws -> SheetContext? {
        try await lookups.submit(SheetContextKey(enrolment: enrolment, occasion: occasion))
    }
}

extension Store {
    /// One context per key, in order, in one round trip.
    func findSheetContexts(_ keys: [SheetContextKey]) async throws -> [SheetContext?] {
        let placed = Set(keys.filter { $0.occasion != nil })
        var calls: [(Statement, [Parameter])] = [
            (Statements.enrolments["find_enrolments"], [.ids(Array(Set(keys.map(\.enrolment))))])
        ]
        if !placed.isEmpty {
            calls.append(
                (
                    Statements.occasions["find_occasions"],
                    [.ids(placed.map(\.enrolment)), .ids(placed.compactMap(\.occasion))]
                ))
        }
        let results = try await research.pipeline(calls)
        var enrolments: [EnrolmentID: (enrolment: Enrolment, liveVersion: String)] = [:]
        for row in results[0] {
            let enrolment = try Self.enrolment(row)
            enrolments[enrolment.id] = (enrolment, try row.get("live_version"))
        }
        var occasions: [SheetContextKey: Occasion] = [:]
        for row in results.dropFirst().joined() {
            let occasion = try Self.occasion(row)
            occasions[SheetContextKey(enrolment: try row.id("enrolment_id"), occasion: occasion.id)] =
                occasion
        }
        return keys.map { key in
            enrolments[key.enrolment].map {
                SheetContext(
                    enrolment: $0.enrolment, liveVersion: $0.liveVersion, occasion: occasions[key])
            }
        }
    }
}
