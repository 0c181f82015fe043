import Foundation
import Synchronization

/// The offsets of one zone, read from Foundation once: a look-up takes nanoseconds and no lock, where Foundation takes one for the whole process.
final class ZoneOffsets: Sendable {
    let id: String
    private let timeZone: TimeZone
    /// Seconds since 1970 at which an offset begins, in order; the first is the begin of the table.
    private let starts: [Int64]
    /// Seconds east of UTC, one for each start.
    private let offsets: [Int]

    /// From 1970 to 2100. Outside it Foundation is asked each time: nobody is enrolled then.
    static let span: Range<Int64> = 0..<4_102_444_800

    init(_ id: String, _ timeZone: TimeZone) {
        self.id = id
        self.timeZone = timeZone
        var starts = [Self.span.lowerBound]
        var offsets = [Self.offset(of: timeZone, Self.span.lowerBound)]
        var last = Self.span.lowerBound
        // On Linux this finds every change of the clock, whatever its reason; a test looks at all zones.
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

    /// Seconds east of UTC at this second since 1970.
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

    // MARK: All that have been asked for

    /// Those of a zone of the database; nil for any other name. There is one of each zone in a process, a few kilobytes large, and there are as
    /// many as the database has zones.
    static func of(_ id: String) -> ZoneOffsets? {
        if let known = known.withLock({ $0[id] }) { return known }
        guard Zone.identifiers.contains(id), let timeZone = TimeZone(identifier: id) else { return nil }
        let made = ZoneOffsets(id, timeZone)
        return known.withLock { known in
            if let other = known[id] { return other }
            known[id] = made
            return made
        }
    }

    private static let known = Mutex<[String: ZoneOffsets]>([:])
}
