import Foundation

/// An IANA time zone, identified by its name in the time zone database.
package struct Zone: Hashable, Sendable, CustomStringConvertible {
    private let offsets: ZoneOffsets

    /// Returns nil unless the id is in `identifiers`. Foundation alone also accepts offsets such as `GMT+2`, which are
    /// not in the database: a participant would silently lose daylight saving time.
    package init?(_ id: String) {
        guard let offsets = ZoneOffsets.of(id) else { return nil }
        self.offsets = offsets
    }

    private init(_ offsets: ZoneOffsets) { self.offsets = offsets }

    /// Coordinated Universal Time.
    package static let utc = Zone(ZoneOffsets("UTC", .gmt))

    /// The name in the time zone database, such as `Europe/Berlin`.
    package var id: String { offsets.id }

    /// The accepted ids: every id that Foundation lists, and the links and fixed offsets of the database. Chrome, for
    /// example, reports `Asia/Saigon`, and researchers write `CET` or `Singapore`.
    package static let identifiers: Set<String> = Set(TimeZone.knownTimeZoneIdentifiers).union(links)
        .filter { TimeZone(identifier: $0) != nil }

    private static let links: [String] = """
        Africa/Asmara Africa/Asmera Africa/Timbuktu America/Argentina/Buenos_Aires America/Argentina/Catamarca
        America/Argentina/ComodRivadavia America/Argentina/Cordoba America/Argentina/Jujuy
        America/Argentina/Mendoza America/Atikokan America/Atka America/Buenos_Aires America/Catamarca
        America/Coral_Harbour America/Cordoba America/Ensenada America/Fort_Wayne America/Indiana/Indianapolis
        America/Indianapolis America/Jujuy America/Kentucky/Louisville America/Knox_IN America/Louisville
        America/Mendoza America/Nuuk America/Porto_Acre America/Rosario America/Virgin Asia/Ashkhabad
        Asia/Calcutta Asia/Chungking Asia/Dacca Asia/Ho_Chi_Minh Asia/Istanbul Asia/Kathmandu Asia/Katmandu
        Asia/Kolkata Asia/Macao Asia/Rangoon Asia/Saigon Asia/Tel_Aviv Asia/Thimbu Asia/Ujung_Pandang
        Asia/Ulan_Bator Asia/Yangon Atlantic/Faeroe Atlantic/Faroe Atlantic/Jan_Mayen Australia/ACT
        Australia/Canberra Australia/LHI Australia/NSW Australia/North Australia/Queensland Australia/South
        Australia/Tasmania Australia/Victoria Australia/West Australia/Yancowinna Brazil/Acre Brazil/DeNoronha
        Brazil/East Brazil/West CET CST6CDT Canada/Atlantic Canada/Central Canada/Eastern Canada/Mountain
        Canada/Newfoundland Canada/Pacific Canada/Saskatchewan Canada/Yukon Chile/Continental
        Chile/EasterIsland Cuba EET EST EST5EDT Egypt Eire Etc/GMT Etc/GMT+0 Etc/GMT+1 Etc/GMT+10 Etc/GMT+11
        Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4 Etc/GMT+5 Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-0
        Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12 Etc/GMT-13 Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4
        Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8 Etc/GMT-9 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal
        Etc/Zulu Europe/Belfast Europe/Kiev Europe/Kyiv Europe/Nicosia Europe/Tiraspol GB GB-Eire GMT+0 GMT-0
        GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT
        Mexico/BajaNorte Mexico/BajaSur Mexico/General NZ NZ-CHAT Navajo PRC PST8PDT Pacific/Chuuk
        Pacific/Enderbury Pacific/Kanton Pacific/Pohnpei Pacific/Ponape Pacific/Samoa Pacific/Truk Pacific/Yap
        Poland Portugal ROC ROK Singapore Turkey UCT US/Alaska US/Aleutian US/Arizona US/Central
        US/East-Indiana US/Eastern US/Hawaii US/Indiana-Starke US/Michigan US/Mountain US/Pacific US/Samoa UTC
        Universal W-SU WET Zulu
        """.split(whereSeparator: \.isWhitespace).map(String.init)

    /// The offset at this instant, in seconds east of UTC.
    package func offset(at instant: Instant) -> Int { offsets.offset(at: instant.seconds) }

    /// The identifier of the IANA database, such as `Europe/Berlin`.
    package var description: String { id }

    /// Compares the identifiers.
    package static func == (left: Zone, right: Zone) -> Bool {
        left.offsets === right.offsets || left.id == right.id
    }

    /// Hashes the identifier.
    package func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
