import Foundation
import Testing

@testable import SaunterCore

@Suite("Local resolver")
struct LocalResolverTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var zone: String
        var date: String
        var time: String
        var first: String?
        var last: String?
        var adjusted = false
        var testDescription: String { "\(zone) \(date) \(time)" }
    }

    @Test(arguments: [
        Case(
            zone: "Europe/Berlin", date: "2026-03-29", time: "02:30", first: "2026-03-29T01:00:00Z",
            last: "2026-03-29T01:00:00Z", adjusted: true),
        Case(
            zone: "Europe/Berlin", date: "2026-03-29", time: "03:00", first: "2026-03-29T01:00:00Z",
            last: "2026-03-29T01:00:00Z"),
        Case(
            zone: "Europe/Berlin", date: "2026-10-25", time: "02:30", first: "2026-10-25T00:30:00Z",
            last: "2026-10-25T01:30:00Z", adjusted: true),
        Case(
            zone: "Europe/Berlin", date: "2026-10-25", time: "03:00", first: "2026-10-25T02:00:00Z",
            last: "2026-10-25T02:00:00Z"),
        Case(zone: "Pacific/Apia", date: "2011-12-30", time: "00:00"),
        Case(zone: "Pacific/Apia", date: "2011-12-30", time: "23:59"),
        Case(
            zone: "Pacific/Apia", date: "2011-12-31", time: "00:00", first: "2011-12-30T10:00:00Z",
            last: "2011-12-30T10:00:00Z"),
        Case(
            zone: "America/Sao_Paulo", date: "2018-11-04", time: "00:00", first: "2018-11-04T03:00:00Z",
            last: "2018-11-04T03:00:00Z", adjusted: true),
        Case(
            zone: "Australia/Lord_Howe", date: "2026-10-04", time: "02:15", first: "2026-10-03T15:30:00Z",
            last: "2026-10-03T15:30:00Z", adjusted: true),
        Case(
            zone: "Australia/Lord_Howe", date: "2026-04-05", time: "01:45", first: "2026-04-04T14:45:00Z",
            last: "2026-04-04T15:15:00Z", adjusted: true),
    ])
    func `zone transitions are resolved by the rules`(_ given: Case) throws {
        let resolved = LocalResolver.resolve(
            date: try day(given.date), secondsOfDay: try time(given.time).seconds, zone: try zone(given.zone))

        guard let first = given.first, let last = given.last else {
            #expect(resolved == .nonexistentDay)
            return
        }
        #expect(resolved == .instants(first: try at(first), last: try at(last), isAdjusted: given.adjusted))
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", "1970-01-01", "00:00"), ("1969-12-31T23:00:00Z", "1969-12-31", "23:00"),
        ("1969-12-31T00:00:00Z", "1969-12-31", "00:00"), ("1900-02-28T12:30:00Z", "1900-02-28", "12:30"),
    ])
    func `a moment before 1970 has the local date and time of that era`(
        moment: String, date: String, shown: String
    ) throws {
        let local = Zone.utc.local(of: try at(moment))

        #expect(local.date == (try day(date)))
        #expect(local.time == (try time(shown)))
    }

    @Test func `seconds beyond a day and negative seconds are on the neighbouring dates`() throws {
        let berlin = try zone("Europe/Berlin")
        let date = try day("2026-03-28")

        let next = LocalResolver.resolve(date: date, secondsOfDay: 28 * hour, zone: berlin)
        let previous = LocalResolver.resolve(date: date, secondsOfDay: -hour, zone: berlin)

        let four = try at("2026-03-29T02:00:00Z")
        let eleven = try at("2026-03-27T22:00:00Z")
        #expect(next == .instants(first: four, last: four, isAdjusted: false))
        #expect(previous == .instants(first: eleven, last: eleven, isAdjusted: false))
    }

    @Test func `an independent model returns the same instants near zone transitions`() throws {
        let lines = zoneinfoModel.split(separator: "\n")
        #expect(lines.count > 60)
        for line in lines {
            let fields = line.split(separator: " ")
            let zone = try zone(String(fields[0]))
            let date = try day(String(fields[1]))
            let seconds = try #require(Int(fields[2]))
            let resolved = LocalResolver.resolve(date: date, secondsOfDay: seconds, zone: zone)
            if fields[3] == "nonexistent" {
                #expect(resolved == .nonexistentDay, "\(line)")
                continue
            }
            guard case .instants(let first, let last, _) = resolved else {
                Issue.record("no instants for \(line)")
                continue
            }
            #expect(first.seconds == Int64(fields[3]), "\(line)")
            #expect(last.seconds == Int64(fields[4]), "\(line)")
        }
    }

    @Test func `resolving the local time of a moment returns the moment, in every zone`() throws {
        var cases = SeededCases(1)
        for id in Zone.identifiers.sorted() {
            let zone = try zone(id)
            for _ in 0..<40 {
                let moment = Instant(milliseconds: Int64.random(in: 0...2_500_000_000, using: &cases) * 1000)
                let local = zone.local(of: moment)
                let resolved = LocalResolver.resolve(
                    date: local.date, secondsOfDay: local.time.seconds, zone: zone)
                guard case .instants(let first, let last, _) = resolved else {
                    Issue.record("\(id) \(moment) is on a day that does not exist")
                    continue
                }
                #expect(moment == first || moment == last, "\(id) \(moment)")
                #expect(zone.local(of: first).time == local.time && zone.local(of: last).time == local.time)
            }
        }
    }

    @Test
    func `each day begins at the end of the previous day, and lasts 23 to 25 hours unless a date is skipped`()
        throws
    {
        let first = try day("2011-01-01")
        for id in ["Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Gaza", "Pacific/Apia"] {
            let zone = try zone(id)
            for offset in 0..<730 {
                let date = first.adding(days: offset)
                let start = zone.startOfDay(date)
                let length = zone.startOfDay(date.adding(days: 1)).milliseconds(since: start) / 1000
                if id == "Pacific/Apia", date.description == "2011-12-30" {
                    #expect(length == 0)
                    continue
                }
                #expect((23 * 3600...25 * 3600).contains(length), "\(id) \(date)")
                #expect(zone.local(of: start).date == date)
                #expect(zone.local(of: start.adding(milliseconds: -1)).date < date)
            }
        }
    }

    @Test func `a day in São Paulo may begin at one o'clock`() throws {
        #expect(try zone("America/Sao_Paulo").startOfDay(day("2018-11-04")) == at("2018-11-04T03:00:00Z"))
    }

    @Test(arguments: [Int.min, Int.max, -1_000_000_000_000, 1_000_000_000_000])
    func `hostile numbers stay within the calendar`(_ seconds: Int) throws {
        for date in [LocalDate.minimum, .maximum] {
            _ = LocalResolver.resolve(date: date, secondsOfDay: seconds, zone: try zone("Europe/Berlin"))
        }
    }

    @Test
    func `a time in a gap at the end of a date is the first instant of the next date, and the date exists`()
        throws
    {
        // Since 2024 the clock in Nuuk jumps from Saturday 23:00 to Sunday 00:00.
        let resolved = LocalResolver.resolve(
            date: try day("2026-03-28"), secondsOfDay: 23 * 3600 + 1800, zone: try zone("America/Nuuk"))

        let midnight = try at("2026-03-29T01:00:00Z")
        #expect(resolved == .instants(first: midnight, last: midnight, isAdjusted: true))
    }

    @Test(arguments: [
        "Asia/Saigon", "America/Buenos_Aires", "Europe/Kiev", "US/Eastern", "UTC", "Singapore", "CET",
        "EST5EDT", "Japan",
    ])
    func `links of the time zone database are zones`(_ id: String) {
        #expect(Zone(id) != nil)
    }

    @Test func `a zone with a fixed offset has the sign of the database`() throws {
        #expect(try zone("Etc/GMT-2").offset(at: at("2026-07-01T00:00:00Z")) == 7200)
        #expect(try zone("EST").offset(at: at("2026-07-01T00:00:00Z")) == -18_000)
    }

    /// Every id of the system's database that Foundation knows, except one that is no zone.
    @Test func `every id of the time zone database is a zone`() throws {
        let text = try String(contentsOfFile: "/usr/share/zoneinfo/tzdata.zi", encoding: .utf8)
        let ids = text.split(separator: "\n").compactMap { line -> String? in
            let fields = line.split(separator: " ").map(String.init)
            return switch fields.first {
            case "Z": fields[1]
            case "L": fields[2]
            default: nil
            }
        }.filter { $0 != "Factory" && TimeZone(identifier: $0) != nil }

        #expect(ids.count > 400)
        #expect(ids.filter { Zone($0) == nil } == [])
    }

    @Test(arguments: ["GMT+2", "Mars/Olympus", "", "europe/berlin"])
    func `offsets and made-up names are no zones`(_ id: String) {
        #expect(Zone(id) == nil)
    }
}
