import Foundation

/// An IANA time zone by its id in the zone database.
package struct Zone: Hashable, Sendable, CustomStringConvertible {
    package let id: String
    private let timeZone: TimeZone

    /// Nil unless the id is one of the zone database. Foundation alone also takes fixed offsets such as `GMT+2`, under which
    /// a participant's daylight saving would silently be lost.
    package init?(_ id: String) {
        guard Self.identifiers.contains(id), let timeZone = TimeZone(identifier: id) else { return nil }
        self.id = id
        self.timeZone = timeZone
    }

    private init(id: String, timeZone: TimeZone) {
        self.id = id
        self.timeZone = timeZone
    }

    package static let utc = Zone(id: "UTC", timeZone: .gmt)

    /// The ids that are accepted: all of the zone database that Foundation lists, and `UTC`.
    package static let identifiers: Set<String> = Set(TimeZone.knownTimeZoneIdentifiers)
        .union(["UTC", "Etc/UTC", "Europe/Kyiv", "America/Nuuk", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Yangon"])
        .filter { TimeZone(identifier: $0) != nil }

    /// Seconds east of UTC in force at this moment.
    package func offset(at instant: Instant) -> Int {
        timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(instant.seconds)))
    }

    package var description: String { id }

    package static func == (left: Zone, right: Zone) -> Bool { left.id == right.id }
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
