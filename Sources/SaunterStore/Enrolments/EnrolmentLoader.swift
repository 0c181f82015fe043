import Logging
import Postgres
import SaunterCore

/// Loads enrolments for requests. Look-ups that arrive while a round trip runs are combined in the next one.
package struct EnrolmentLoader: Sendable {
    private let lookups: BatchingQueue<EnrolmentID, Enrolment?>

    /// Creates a loader with its own queue, for all studies.
    package init(store: Store, logger: Logger) {
        lookups = BatchingQueue(
            "enrolments", rules: .init(lane: { _ in "" }, bytes: { _ in 64 }), logger: logger,
            pause: BatchRetryPolicy.backOff
        ) { ids in
            let rows = try await store.research.query(
                Statements.enrolments["find_enrolments"], ["enrolment_ids": .ids(Array(Set(ids)))])
            let found = try Dictionary(
                rows.map { (try $0.id("enrolment_id", as: EnrolmentID.self), try Store.enrolment($0)) },
                uniquingKeysWith: { first, _ in first })
            return ids.map { found[$0] }
        }
    }

    /// The enrolment as committed at some instant after the call. Nil if it does not exist.
    /// - Throws: `IngestOverload`, or the database error.
    package func find(_ enrolment: EnrolmentID) async throws -> Enrolment? {
        try await lookups.submit(enrolment)
    }
}
