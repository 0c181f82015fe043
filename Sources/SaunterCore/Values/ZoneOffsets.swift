import Foundation
import Synchronization

/// The offsets of one time zone, read from Foundation once. A lookup takes nanoseconds and no lock. A lookup in
/// Foundation takes a lock that the complete process shares.
final class ZoneOffsets: Sendable {
    let id: String
    private let timeZone: TimeZone
    /// Seconds since 1970 at which an offset begins, in ascending order. The first one is the start of `span`.
    private let starts: [Int64]
    /// The offsets in seconds east of UTC, one for each element of `starts`.
    private let offsets: [Int]

    /// The years 1970 to 2099, in seconds since 1970. For other times the lookup asks Foundation; no study needs them.
    static let span: Range<Int64> = 0..<4_102_444_800

    init(_ id: String, _ timeZone: TimeZone) {
        self.id = id
        self.timeZone = timeZone
        var starts = [Self.span.lowerBound]
        var offsets = [Self.offset(of: timeZone, Self.span.lowerBound)]
        var last = Self.span.lowerBound
        // On Linux this function returns every change of the offset, not only daylight saving. A test checks all zones.
        while let change = timeZone.nextDaylightSavingTimeTransition(
            after: Date(timeIntervalSince1970: Double(last)))
        {
            let second = Int64(change.timeIntervalSince1970.rounded(.up))
            guard second > last, second < Self.span.upperBound else { break }
            starts.append(second)
            offsets.append(Self.offset(of: timeZone, second))
            last = second
        }
        self.starts = starts
        self.offsets = offsets
    }

    /// The offset at this second since 1970, in seconds east of UTC.
    func offset(at second: Int64) -> Int {
        guard Self.span.contains(second) else { return Self.offset(of: timeZone, second) }
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if starts[middle] <= second { low = middle } else { high = middle }
        }
        return offsets[low]
    }

    private static func offset(of timeZone: TimeZone, _ second: Int64) -> Int {
        timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
    }

    /// The offsets of a zone of the database; nil for any other name. Each process keeps one table per zone, of a few
    /// kilobytes. Their number is limited by the number of zones in the database.
    static func of(_ id: String) -> ZoneOffsets? {
        if let cached = cache.withLock({ $0[id] }) { return cached }
        guard Zone.identifiers.contains(id), let timeZone = TimeZone(identifier: id) else { return nil }
        let created = ZoneOffsets(id, timeZone)
        return cache.withLock { cache in
            if let other = cache[id] { return other }
            cache[id] = created
            return created
        }
    }

    private static let cache = Mutex<[String: ZoneOffsets]>([:])
}
