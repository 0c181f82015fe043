import Foundation

/// The countries of time zones and languages, as ISO 3166 codes in upper case.
enum Countries {
    /// Zone -> country, from the time zone database of the system. Without this file no zone has a country.
    private static let ofZones: [String: String] = {
        let file = URL(fileURLWithPath: "/usr/share/zoneinfo/zone.tab")
        guard let bytes = FileManager.default.contents(atPath: file.path()) else { return [:] }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { $0.first != "#" }
        let columns = lines.map { $0.split(separator: "\t") }.filter { $0.count > 2 }
        return Dictionary(
            columns.map { (String($0[2]), String($0[0])) }, uniquingKeysWith: { first, _ in first })
    }()

    /// The country of a time zone; nil for a zone of no country, such as `UTC`.
    static func country(ofZone zone: String) -> String? { ofZones[zone] }

    /// The countries in an `Accept-Language` header, such as `DE` of `de-DE`.
    static func countries(in header: String?) -> Set<String> {
        Set(
            (header ?? "").split(separator: ",").compactMap { entry in
                let tag = entry.prefix { $0 != ";" }.filter { $0 != " " }
                return tag.split(separator: "-").dropFirst().first { $0.count == 2 }?.uppercased()
            })
    }
}
