import Testing

@testable import SaunterCore

@Suite("Reminder rule")
struct ReminderRuleTests {
    private func rule(_ at: String, quiet from: String = "21:00", _ to: String = "08:00") throws
        -> ReminderRule
    {
        ReminderRule(at: try time(at), quietFrom: try time(from), quietTo: try time(to))
    }

    @Test(arguments: [
        ("2026-05-04T15:59:59.999Z", "2026-05-04T16:00:00Z"),
        ("2026-05-04T16:00:00Z", "2026-05-05T16:00:00Z"),
        ("2026-05-04T22:30:00Z", "2026-05-05T16:00:00Z"),
    ])
    func `the next mail is strictly later, and there is one per day`(_ after: String, _ expected: String)
        throws
    {
        let next = try rule("18:00").nextDailyMail(
            after: at(after), preferredTime: nil, zone: zone("Europe/Berlin"))

        #expect(next == (try at(expected)))
    }

    @Test(arguments: [
        ("18:00", "18:00"), ("20:59", "20:59"), ("21:00", "08:00"), ("23:30", "08:00"), ("00:00", "08:00"),
        ("07:59", "08:00"), ("08:00", "08:00"),
    ])
    func `a time in quiet hours is postponed to their end`(_ chosen: String, _ expected: String) throws {
        #expect(try rule("18:00").quietHours.postponed(time(chosen)) == time(expected))
    }

    @Test func `quiet hours may be within one day, or empty`() throws {
        #expect(
            try rule("18:00", quiet: "12:00", "14:00").quietHours.postponed(time("13:00")) == time("14:00"))
        #expect(
            try rule("18:00", quiet: "12:00", "14:00").quietHours.postponed(time("11:00")) == time("11:00"))
        #expect(
            try rule("18:00", quiet: "12:00", "12:00").quietHours.postponed(time("12:00")) == time("12:00"))
    }

    @Test func `a daily mail in quiet hours is sent at their end`() throws {
        let next = try rule("06:00").nextDailyMail(
            after: at("2026-05-04T00:00:00Z"), preferredTime: nil, zone: .utc)

        #expect(next == (try at("2026-05-04T08:00:00Z")))
    }

    @Test func `quiet hours that end at a repeated time end at its first instant`() throws {
        let rule = try rule("18:00", quiet: "21:00", "02:30")
        let berlin = try zone("Europe/Berlin")

        #expect(
            try rule.quietHours.postponed(at("2026-10-25T00:00:00Z"), zone: berlin)
                == at("2026-10-25T00:30:00Z"))
    }

    @Test func `the participant's preferred time has priority`() throws {
        let next = try rule("18:00").nextDailyMail(
            after: at("2026-05-04T00:00:00Z"), preferredTime: time("09:30"), zone: .utc)

        #expect(next == (try at("2026-05-04T09:30:00Z")))
    }

    /// The mails of one zone in a span, in order.
    private func mails(_ chosen: String, zone id: String, from: String, until: String) throws -> [String] {
        let rule = try rule("18:00", quiet: "12:00", "12:00")
        let zone = try zone(id)
        var moments: [String] = []
        var after = try at(from)
        for _ in 0..<10 {
            after = rule.nextDailyMail(after: after, preferredTime: try time(chosen), zone: zone)
            guard after < (try at(until)) else { break }
            moments.append(after.description)
        }
        return moments
    }

    @Test func `a repeated hour has one mail`() throws {
        #expect(
            try mails(
                "02:30", zone: "Europe/Berlin", from: "2026-10-24T12:00:00Z", until: "2026-10-26T12:00:00Z")
                == ["2026-10-25T00:30:00.000Z", "2026-10-26T01:30:00.000Z"])
    }

    @Test func `a skipped hour has one mail, after the gap`() throws {
        #expect(
            try mails(
                "02:30", zone: "Europe/Berlin", from: "2026-03-28T12:00:00Z", until: "2026-03-30T12:00:00Z")
                == ["2026-03-29T01:00:00.000Z", "2026-03-30T00:30:00.000Z"])
    }

    @Test func `a skipped date has no mail`() throws {
        #expect(
            try mails(
                "18:00", zone: "Pacific/Apia", from: "2011-12-29T12:00:00Z", until: "2012-01-01T12:00:00Z")
                == ["2011-12-30T04:00:00.000Z", "2011-12-31T04:00:00.000Z", "2012-01-01T04:00:00.000Z"])
    }

    @Test func `at the end of the calendar there is no next mail`() throws {
        #expect(try rule("18:00").nextDailyMail(after: .maximum, preferredTime: nil, zone: .utc) == .maximum)
    }
}
