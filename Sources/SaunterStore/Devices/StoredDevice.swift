import Postgres
import SaunterCore

/// How much of what a device numbered has arrived.
package struct StoredDevice: Sendable {
    package var id: DeviceID
    package var firstSeenAt: Instant
    package var lastSeenAt: Instant
    /// The highest number that arrived; 0 for none.
    package var newest: Int64
    /// Numbers below the newest that did not arrive: how many, and where; of more than a hundred holes the first hundred.
    package var missingCount: Int64
    package var missing: [ClosedRange<Int64>]

    init(_ row: Row) throws {
        id = try row.id("device_id")
        firstSeenAt = try row.instant("first_seen_at")
        lastSeenAt = try row.instant("last_seen_at")
        newest = try row.get("newest")
        missingCount = try row.get("missing_count")
        let (from, to): ([Int64], [Int64]) = (try row.get("missing_from"), try row.get("missing_to"))
        guard from.count == to.count, zip(from, to).allSatisfy({ $0 <= $1 }) else {
            throw StoredValueFault(column: "missing_to")
        }
        missing = zip(from, to).map { $0...$1 }
    }
}
