import Postgres
import SaunterCore

/// Which numbered records of a device have arrived.
package struct StoredDevice: Sendable {
    /// The UUID that the device generated when the app was installed.
    package var id: DeviceID
    /// When the device first numbered a record, by the server's clock.
    package var firstSeenAt: Instant
    /// When the last numbered record arrived, by the server's clock.
    package var lastSeenAt: Instant
    /// The highest number that has arrived; 0 if there is none.
    package var newest: Int64
    /// How many numbers below the newest have not arrived.
    package var missingCount: Int64
    /// The numbers below the newest that have not arrived, as ascending ranges; only the first 100 ranges.
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
