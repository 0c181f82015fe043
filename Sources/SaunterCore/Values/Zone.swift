import Foundation

/// An IANA time zone by its id in the zone database.
package struct Zone: Hashable, Sendable, CustomStringConvertible {
    private let offsets: ZoneOffsets

    /// Nil unless the id is one of the zone database. Foundation alone also takes fixed offsets such as `GMT+2`, under which
    /// a participant's daylight saving would silently be lost.
    package init?(_ id: String) {
        guard let offsets = ZoneOffsets.of(id) else { return nil }
        self.offsets = offsets
    }

    private init(_ offsets: ZoneOffsets) { self.offsets = offsets }

    package static let utc = Zone(ZoneOffsets("UTC", .gmt))

    package var id: String { offsets.id }

    /// The ids that are accepted: all of the zone database that Foundation lists, `UTC`, and the older names of places, which
    /// browsers still report (Chrome says `Asia/Saigon` and `America/Buenos_Aires`).
    package static let identifiers: Set<String> = Set(TimeZone.knownTimeZoneIdentifiers).union(links)
        .filter { TimeZone(identifier: $0) != nil }

    private static let links: [String] = """
        UTC Etc/UTC Europe/Kyiv America/Nuuk Asia/Kolkata Asia/Kathmandu Asia/Yangon Asia/Ho_Chi_Minh Asia/Saigon
        Africa/Asmara Africa/Asmera Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
        America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy America/Argentina/Mendoza
        America/Atikokan America/Atka America/Buenos_Aires America/Catamarca America/Coral_Harbour America/Cordoba
        America/Ensenada America/Fort_Wayne America/Indiana/Indianapolis America/Indianapolis America/Jujuy
        America/Kentucky/Louisville America/Knox_IN America/Louisville America/Mendoza America/Porto_Acre
        America/Rosario America/Virgin Asia/Ashkhabad Asia/Calcutta Asia/Chungking Asia/Dacca Asia/Istanbul
        Asia/Katmandu Asia/Macao Asia/Rangoon Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang Asia/Ulan_Bator
        Atlantic/Faeroe Atlantic/Faroe Atlantic/Jan_Mayen Australia/ACT Australia/Canberra Australia/LHI
        Australia/NSW Australia/North Australia/Queensland Australia/South Australia/Tasmania Australia/Victoria
        Australia/West Australia/Yancowinna Europe/Belfast Europe/Kiev Europe/Nicosia Europe/Tiraspol
        Pacific/Chuuk Pacific/Enderbury Pacific/Kanton Pacific/Pohnpei Pacific/Ponape Pacific/Samoa Pacific/Truk
        Pacific/Yap US/Alaska US/Aleutian US/Arizona US/Central US/Eastern US/East-Indiana US/Hawaii
        US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// Seconds east of UTC in force at this moment.
    package func offset(at instant: Instant) -> Int { offsets.offset(at: instant.seconds) }

    package var description: String { id }

    package static func == (left: Zone, right: Zone) -> Bool {
        left.offsets === right.offsets || left.id == right.id
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
