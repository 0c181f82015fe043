import Testing

@testable import SaunterCore

@Suite("Daily mail")
struct DailyMailTests {
    private func study() throws -> Study {
        var study = Sample.study([
            Sample.schedule("daily", slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)]),
            Sample.schedule("quiet", slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)]),
        ])
        study.schedules[1].isInDailyMail = false
        study.reminder = ReminderRule(
            at: try time("18:30"), quietFrom: try time("22:00"), quietTo: try time("07:00"))
        return study
    }

    private func next(
        _ occasions: [Occasion], through: String? = nil, chosen: String? = nil, zone: Zone = .utc
    ) throws -> String? {
        try study().nextDailyMail(
            after: at("2026-05-04T12:00:00Z"), preferredTime: chosen.map { try time($0) }, zone: zone,
            occasions: occasions, plannedThrough: through.map { try day($0) } ?? .maximum)?.description
    }

    private func occasion(_ open: String, schedule: String = "daily", exclusion: OccasionExclusion? = nil)
        throws
        -> Occasion
    {
        Sample.occasion(0, schedule: schedule, open: try at(open), exclusion: exclusion)
    }

    @Test(arguments: [
        // Open at the mail time; open now; opening later on the day of the mail; over at the mail time.
        ("2026-05-04T18:00:00Z", "2026-05-04T18:30:00.000Z"), ("2026-05-04T09:00:00Z", nil),
        ("2026-05-06T20:00:00Z", "2026-05-06T18:30:00.000Z"), ("2026-05-06T08:00:00Z", nil),
        ("2026-05-06T23:59:59Z", "2026-05-06T18:30:00.000Z"),
    ])
    func `the next daily mail is at the first mail time at which the occasion is due`(
        open: String, expected: String?
    ) throws {
        #expect(try next([occasion(open)]) == expected)
    }

    @Test func `the first occasion counts, but not if it is answered, excluded or not in the daily mail`()
        throws
    {
        var answered = try occasion("2026-05-05T18:00:00Z")
        answered.completedAt = try at("2026-05-04T11:00:00Z")
        let occasions = [
            try occasion("2026-05-09T18:00:00Z"), try occasion("2026-05-08T18:00:00Z"), answered,
            try occasion("2026-05-06T18:00:00Z", exclusion: .paused),
            try occasion("2026-05-07T18:00:00Z", schedule: "quiet"),
        ]

        #expect(try next(occasions) == "2026-05-08T18:30:00.000Z")
    }

    @Test
    func `if no occasion is due, the next check is at the end of the plan, and there is none after its end`()
        throws
    {
        #expect(try next([], through: "2026-06-30") == "2026-07-01T18:30:00.000Z")
        #expect(try next([]) == nil)
    }

    @Test func `days and times use the participant's zone`() throws {
        // 20:30 of the 6th in UTC is 05:30 of the 7th in Tokyo. The mail time there, 18:30, is after the close.
        let tokyo = try zone("Asia/Tokyo")

        #expect(try next([occasion("2026-05-06T20:30:00Z")], zone: tokyo) == nil)
        #expect(
            try next([occasion("2026-05-06T20:30:00Z")], chosen: "07:00", zone: tokyo)
                == "2026-05-06T22:00:00.000Z")
    }

    /// Trying the mail times one by one finds no earlier one.
    @Test func `no earlier mail time has a due occasion`() throws {
        var cases = SeededCases(11)
        let study = try study()
        let rule = try #require(study.reminder)
        let identifiers = Zone.identifiers.sorted()
        let start = try at("2026-03-20T12:00:00Z")
        for _ in 0..<300 {
            let zone = try zone(try #require(identifiers.randomElement(using: &cases)))
            let occasions = (0..<3).map { number in
                Sample.occasion(
                    number, open: start.adding(seconds: Int.random(in: -10...240, using: &cases) * 3600),
                    due: hour, close: Int.random(in: 1...60, using: &cases) * 3600, zone: zone)
            }
            var expected: Instant?
            var mailHour = start
            for _ in 0..<14 where expected == nil {
                mailHour = rule.nextDailyMail(after: mailHour, preferredTime: nil, zone: zone)
                if !study.dueToday(occasions, at: mailHour, zone: zone).isEmpty { expected = mailHour }
            }

            let found = study.nextDailyMail(
                after: start, preferredTime: nil, zone: zone, occasions: occasions, plannedThrough: .maximum)

            #expect(found == expected, "\(zone) \(occasions.map(\.window))")
        }
    }
}
