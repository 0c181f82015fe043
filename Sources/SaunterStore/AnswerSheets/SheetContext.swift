import Logging
import Postgres
import SaunterCore

/// What the validation of a sheet needs from the database.
package struct SheetContext: Sendable {
    /// The enrolment under which the sheet is submitted.
    package var enrolment: Enrolment
    /// The live version of the study. It determines the active scoring keys.
    package var liveVersion: String
    /// The occasion that the sheet names, if it belongs to this participant.
    package var occasion: Occasion?
}

/// The enrolment of a sheet and the occasion that it names.
struct SheetContextKey: Sendable, Hashable {
    var enrolment: EnrolmentID
    var occasion: OccasionID?
}

/// Loads the contexts of sheets. Look-ups that arrive while a statement runs are combined in the next statement.
package struct SheetContextLoader: Sendable {
    private let lookups: BatchingQueue<SheetContextKey, SheetContext?>

    /// Creates a loader with its own queue, for all studies.
    package init(store: Store, logger: Logger) {
        lookups = BatchingQueue(
            // One batch at a time: a larger batch costs less per look-up.
            "lookups", limits: BatchLimits(concurrentBatches: 1),
            rules: .init(lane: { _ in "" }, bytes: { _ in 64 }), logger: logger,
            pause: BatchRetryPolicy.backOff
        ) { try await store.fetchSheetContexts($0) }
    }

    /// The context as committed at some instant after the call. Nil if there is no such enrolment.
    /// - Throws: `IngestOverload`, or the database error.
    package func find(_ enrolment: EnrolmentID, occasion: OccasionID?) async throws -> SheetContext? {
        try await lookups.submit(SheetContextKey(enrolment: enrolment, occasion: occasion))
    }
}

extension Store {
    /// One context per key, in order, in one round trip.
    func fetchSheetContexts(_ keys: [SheetContextKey]) async throws -> [SheetContext?] {
        let scheduled = Set(keys.filter { $0.occasion != nil })
        var calls: [(Statement, Arguments)] = [
            (
                Statements.enrolments["find_enrolments"],
                ["enrolment_ids": .ids(Array(Set(keys.map(\.enrolment))))]
            )
        ]
        if !scheduled.isEmpty {
            calls.append(
                (
                    Statements.occasions["find_occasions"],
                    [
                        "enrolment_ids": .ids(scheduled.map(\.enrolment)),
                        "occasion_ids": .ids(scheduled.compactMap(\.occasion)),
                    ]
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
