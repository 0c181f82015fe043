import Foundation
import Testing

@testable import SaunterCore

@Suite("Planner")
struct PlannerTests {
    private func plan(
        _ schedules: [Schedule], zone id: String, enrolled: String, from: String, through: String,
        days: Int = 60
    ) throws -> String {
        let zone = try zone(id)
        let enrolledAt = try at(enrolled)
        let planner = Sample.planner(
            Sample.study(schedules, days: days), enrolledAt: enrolledAt,
            zones: [ZoneChange(from: enrolledAt, zone: zone)])
        return written(planner.occasions(from: try day(from), through: try day(through)))
    }

    @Test func `Berlin in spring: the evening keeps its local time, and the night is one hour shorter`()
        throws
    {
        let evening = Sample.schedule(
            slots: [try Sample.slot("17:00", due: 5 * hour, close: 11 * hour)])
        let night = Sample.schedule(
            "night", slots: [try Sample.slot("02:15", due: 15 * 60, close: 30 * 60)])

        let plan = try plan(
            [evening, night], zone: "Europe/Berlin", enrolled: "2026-03-20T12:00:00Z", from: "2026-03-28",
            through: "2026-03-29")

        #expect(
            plan == """
                night 8.0 2026-03-28 02:15 – 02:30 – 02:45 (60)
                daily 8.0 2026-03-28 17:00 – 22:00 – 2026-03-29 04:00 (60) adjusted
                night 9.0 2026-03-29 03:00 – 03:15 – 03:30 (120) adjusted
                daily 9.0 2026-03-29 17:00 – 22:00 – 2026-03-30 04:00 (120)
                """)
    }

    @Test func `Berlin in autumn: open is the first of two instants, due and close are the last`() throws {
        let night = Sample.schedule(
            "night", slots: [try Sample.slot("02:15", due: 15 * 60, close: 30 * 60)])

        let planner = Sample.planner(
            Sample.study([night], days: 60), enrolledAt: try at("2026-10-20T12:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))])
        let occasion = try #require(
            planner.occasions(from: day("2026-10-25"), through: day("2026-10-25")).first)

        #expect(occasion.window.openAt == (try at("2026-10-25T00:15:00Z")))
        #expect(occasion.window.dueAt == (try at("2026-10-25T01:30:00Z")))
        #expect(occasion.window.closeAt == (try at("2026-10-25T01:45:00Z")))
        #expect(occasion.isDSTAdjusted)
    }

    @Test func `Apia 2011: the skipped date is planned and excluded`() throws {
        let daily = Sample.schedule(slots: [try Sample.slot("22:00", due: hour, close: 4 * hour)])

        let plan = try plan(
            [daily], zone: "Pacific/Apia", enrolled: "2011-12-27T12:00:00Z", from: "2011-12-29",
            through: "2011-12-31")

        #expect(
            plan == """
                daily 2.0 2011-12-29 22:00 – 23:00 – 2011-12-31 00:00 (-600) adjusted
                daily 3.0 2011-12-30 2011-12-31 00:00 – 2011-12-31 01:00 – 2011-12-31 02:00 (840) \
                adjusted nonexistent
                daily 4.0 2011-12-31 22:00 – 23:00 – 2012-01-01 02:00 (840)
                """)
    }

    @Test func `São Paulo: a day without midnight begins at 01:00`() throws {
        let daily = Sample.schedule(slots: [try Sample.slot("00:00", due: 12 * hour, close: 24 * hour)])

        let plan = try plan(
            [daily], zone: "America/Sao_Paulo", enrolled: "2018-11-02T12:00:00Z", from: "2018-11-03",
            through: "2018-11-04")

        #expect(
            plan == """
                daily 1.0 2018-11-03 00:00 – 12:00 – 2018-11-04 01:00 (-180) adjusted
                daily 2.0 2018-11-04 01:00 – 12:00 – 2018-11-05 00:00 (-120) adjusted
                """)
    }

    @Test func `Lord Howe: the gap has 30 minutes`() throws {
        let night = Sample.schedule(slots: [try Sample.slot("02:00", due: 15 * 60, close: hour)])

        let plan = try plan(
            [night], zone: "Australia/Lord_Howe", enrolled: "2026-10-01T12:00:00Z", from: "2026-10-03",
            through: "2026-10-04")

        #expect(
            plan == """
                daily 2.0 2026-10-03 02:00 – 02:15 – 03:00 (630)
                daily 3.0 2026-10-04 02:30 – 02:45 – 03:00 (660) adjusted
                """)
    }

    @Test func `adjacent windows do not overlap on a night that has an hour twice`() throws {
        let night = Sample.schedule(slots: [
            try Sample.slot("01:00", due: hour, close: 90 * 60),
            try Sample.slot("02:30", due: hour, close: 90 * 60),
        ])
        let planner = Sample.planner(
            Sample.study([night], days: 60), enrolledAt: try at("2026-10-20T12:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))])

        let night25 = planner.occasions(from: try day("2026-10-25"), through: try day("2026-10-25"))

        #expect(
            night25.map(\.window.closeAt) == [try at("2026-10-25T01:30:00Z"), try at("2026-10-25T03:00:00Z")])
        #expect(
            night25.map(\.window.openAt) == [try at("2026-10-24T23:00:00Z"), try at("2026-10-25T01:30:00Z")])
    }

    @Test func `adjacent windows of two schedules with the same questionnaire do not overlap either`()
        throws
    {
        let early = Sample.schedule("early", slots: [try Sample.slot("01:00", due: hour, close: 90 * 60)])
        let late = Sample.schedule("late", slots: [try Sample.slot("02:30", due: hour, close: 90 * 60)])
        let planner = Sample.planner(
            Sample.study([late, early], days: 60), enrolledAt: try at("2026-10-20T12:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))])

        let night = planner.occasions(from: try day("2026-10-25"), through: try day("2026-10-25"))

        #expect(night.map(\.key.schedule) == ["early", "late"])
        #expect(
            night.map(\.window.openAt) == [try at("2026-10-24T23:00:00Z"), try at("2026-10-25T01:30:00Z")])
        #expect(
            night.map(\.window.closeAt) == [try at("2026-10-25T01:30:00Z"), try at("2026-10-25T03:00:00Z")])
    }

    /// Opening and close of the windows in the night of 2026-10-25. Two schedules with the same questionnaire: 01:00 to
    /// 02:30, then to 03:30.
    private func night(
        _ first: ZonePolicy, _ second: ZonePolicy, zones: [(from: String, zone: String)]
    ) throws -> [[Instant]] {
        let early = Sample.schedule(
            "early", slots: [try Sample.slot("01:00", due: hour, close: 90 * 60)], zonePolicy: first)
        let late = Sample.schedule(
            "late", slots: [try Sample.slot("02:30", due: hour, close: hour)], zonePolicy: second)
        let planner = Sample.planner(
            Sample.study([late, early], days: 60), enrolledAt: try at("2026-10-01T12:00:00Z"),
            zones: try zones.map { ZoneChange(from: try at($0.from), zone: try zone($0.zone)) })
        let date = try day("2026-10-25")
        return planner.occasions(from: date, through: date)
            .sorted { $0.key.schedule < $1.key.schedule }.map { [$0.window.openAt, $0.window.closeAt] }
    }

    @Test func `adjacent windows in the participant's zone and in a zone with the same clock do not overlap`()
        throws
    {
        let berlin = try zone("Europe/Berlin")
        let adjacent = [
            [try at("2026-10-24T23:00:00Z"), try at("2026-10-25T01:30:00Z")],
            [try at("2026-10-25T01:30:00Z"), try at("2026-10-25T02:30:00Z")],
        ]
        let inBerlin = [(from: "2026-09-01T00:00:00Z", zone: "Europe/Berlin")]
        let inVienna = [(from: "2026-09-01T00:00:00Z", zone: "Europe/Vienna")]
        let movedToBerlin = [
            (from: "2026-09-01T00:00:00Z", zone: "Asia/Tokyo"),
            (from: "2026-10-20T00:00:00Z", zone: "Europe/Berlin"),
        ]

        #expect(try night(.participant, .enrolment, zones: inBerlin) == adjacent)
        #expect(try night(.enrolment, .participant, zones: inBerlin) == adjacent)
        #expect(try night(.study(berlin), .participant, zones: inBerlin) == adjacent)
        #expect(try night(.participant, .study(berlin), zones: inVienna) == adjacent)
        #expect(try night(.study(berlin), .participant, zones: movedToBerlin) == adjacent)
        #expect(try night(.participant, .study(berlin), zones: movedToBerlin) == adjacent)
    }

    @Test func `windows in zones with different clocks may overlap`() throws {
        // 01:00 in London is 02:00 in Berlin until Berlin's clock goes back, at the same instant.
        let windows = try night(
            .participant, .study(try zone("Europe/Berlin")),
            zones: [(from: "2026-09-01T00:00:00Z", zone: "Europe/London")])

        #expect(
            windows == [
                [try at("2026-10-25T00:00:00Z"), try at("2026-10-25T02:30:00Z")],
                [try at("2026-10-25T00:30:00Z"), try at("2026-10-25T02:30:00Z")],
            ])
        // A zone change moves only windows in the participant's zone.
        let movedToTokyo = try night(
            .participant, .study(try zone("Europe/Berlin")),
            zones: [
                (from: "2026-09-01T00:00:00Z", zone: "Europe/Berlin"),
                (from: "2026-10-20T00:00:00Z", zone: "Asia/Tokyo"),
            ])
        #expect(
            movedToTokyo == [
                [try at("2026-10-24T16:00:00Z"), try at("2026-10-24T17:30:00Z")],
                [try at("2026-10-25T00:30:00Z"), try at("2026-10-25T02:30:00Z")],
            ])
    }

    @Test func `adjacent windows do not overlap after a zone change while one of them is open`() throws {
        let berlin = try zone("Europe/Berlin")
        let leavingBerlin = [
            (from: "2026-09-01T00:00:00Z", zone: "Europe/Berlin"),
            (from: "2026-10-25T00:10:00Z", zone: "Asia/Tokyo"),
        ]
        // The early window is open and does not change. The late one still starts after its close.
        let adjacent = [
            [try at("2026-10-24T23:00:00Z"), try at("2026-10-25T01:30:00Z")],
            [try at("2026-10-25T01:30:00Z"), try at("2026-10-25T02:30:00Z")],
        ]
        #expect(try night(.participant, .study(berlin), zones: leavingBerlin) == adjacent)
        #expect(try night(.participant, .enrolment, zones: leavingBerlin) == adjacent)

        // The late window is already open, which is possible with different clocks. In the new zone the early window
        // would overlap it.
        let movingToVienna = [
            (from: "2026-09-01T00:00:00Z", zone: "Pacific/Honolulu"),
            (from: "2026-10-25T00:45:00Z", zone: "Europe/Vienna"),
        ]
        #expect(
            try night(.participant, .study(berlin), zones: movingToVienna) == [
                [try at("2026-10-25T11:00:00Z"), try at("2026-10-25T12:30:00Z")],
                [try at("2026-10-25T00:30:00Z"), try at("2026-10-25T02:30:00Z")],
            ])
        // Before the late window opens, the early one moves to the new zone, and the late one starts after its close.
        let movingEarlier = [movingToVienna[0], (from: "2026-10-25T00:20:00Z", zone: "Europe/Vienna")]
        #expect(try night(.participant, .study(berlin), zones: movingEarlier) == adjacent)
    }

    @Test func `windows that overlap in local time do not delay each other`() throws {
        let long = Sample.schedule("long", slots: [try Sample.slot("08:00", due: hour, close: 4 * hour)])
        let short = Sample.schedule("short", slots: [try Sample.slot("10:00", due: hour, close: hour)])

        let plan = try plan(
            [long, short], zone: "Europe/Berlin", enrolled: "2026-05-01T05:00:00Z", from: "2026-05-01",
            through: "2026-05-01")

        #expect(
            plan == """
                long 0.0 2026-05-01 08:00 – 09:00 – 12:00 (120)
                short 0.0 2026-05-01 10:00 – 11:00 – 11:00 (120)
                """)
    }

    @Test func `windows of another phase do not delay each other`() throws {
        var early = Sample.schedule("early", slots: [try Sample.slot("01:00", due: hour, close: 90 * 60)])
        var late = Sample.schedule("late", slots: [try Sample.slot("02:30", due: hour, close: 90 * 60)])
        (early.phase, late.phase) = ("before", "after")
        var study = Sample.study([late, early], days: 60)
        study.phases = [
            Phase(code: "before", start: .day(0), end: .day(4)),
            Phase(code: "after", start: .day(5), end: .studyEnd),
        ]
        let planner = Sample.planner(
            study, enrolledAt: try at("2026-10-20T12:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))])

        let night = planner.occasions(from: try day("2026-10-25"), through: try day("2026-10-25"))

        #expect(night.map(\.window.openAt) == [try at("2026-10-25T00:30:00Z")])
    }

    @Test func `windows that closed before the enrolment or are after the end of the study are not planned`()
        throws
    {
        let morning = Sample.schedule(slots: [try Sample.slot("08:00", due: hour, close: 2 * hour)])
        let planner = Sample.planner(
            Sample.study([morning], days: 3), enrolledAt: try at("2026-05-01T11:00:00Z"), zones: [])

        let dates = planner.occasions(from: .minimum, through: .maximum).map(\.localDate.description)

        #expect(dates == ["2026-05-02", "2026-05-03", "2026-05-04"])
    }

    @Test func `each walk has its own occasion, which counts elapsed time from the end of the walk`() throws {
        let after = Sample.schedule(
            "after", asks: "after_walk", anchor: .walk, repeating: .once,
            slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 2 * hour, closeAfter: 12 * hour)])
        let ends = [try at("2026-10-24T23:30:00Z"), try at("2026-10-26T10:00:00Z")]
        let walks = ends.map { AnchorEvent.walk(WalkID(UUID()), endedAt: $0) }
        let planner = Sample.planner(
            Sample.study([after]), enrolledAt: try at("2026-10-20T12:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))], anchors: walks)

        let occasions = planner.occasions(from: .minimum, through: .maximum)

        #expect(occasions.map(\.window.openAt) == ends)
        #expect(occasions.map(\.key.anchorInstance) == walks.map(\.instance))
        #expect(occasions.map(\.localDate.description) == ["2026-10-25", "2026-10-26"])
        #expect(occasions.map(\.key.dayIndex) == [0, 0])
        #expect(occasions[0].window.dueAt == (try at("2026-10-25T01:30:00Z")))
    }

    @Test func `past occasions of a late walk are planned, and no other past occasions`() throws {
        let after = Sample.schedule(
            "after", asks: "after_walk", anchor: .walk, repeating: .every(days: 1, untilDay: 9),
            slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 2 * hour, closeAfter: 12 * hour)])
        let daily = Sample.schedule(slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)])
        let walks = [try at("2026-10-02T23:30:00Z"), try at("2026-10-03T10:00:00Z")].map {
            AnchorEvent.walk(WalkID(UUID()), endedAt: $0)
        }
        let planner = Sample.planner(
            Sample.study([after, daily]), enrolledAt: try at("2026-10-01T12:00:00Z"),
            zones: [ZoneChange(from: .minimum, zone: try zone("Europe/Berlin"))], anchors: walks)
        let horizon = planner.horizon(from: try at("2026-10-11T12:00:00Z"))
        #expect(horizon.lowerBound == (try day("2026-10-09")))

        let missed = planner.occasions(following: [walks[0].instance], before: horizon.lowerBound)

        #expect(Set(missed.map(\.key.anchorInstance)) == [walks[0].instance])
        #expect(missed.map(\.key.dayIndex) == Array(0...5))
        #expect(missed.first?.localDate == (try day("2026-10-03")))
        #expect(planner.occasions(following: [], before: horizon.lowerBound).isEmpty)
        let walkDate = try day("2026-10-03")
        #expect(planner.occasions(following: [walks[0].instance], before: walkDate).isEmpty)
    }

    @Test(arguments: [
        ("Asia/Tokyo", "Europe/Berlin"), ("America/New_York", "Europe/Berlin"),
        ("Pacific/Kiritimati", "Pacific/Pago_Pago"), ("Pacific/Pago_Pago", "Pacific/Kiritimati"),
    ])
    func `days after an instant are counted in the schedule's zone`(
        participantZone: String, scheduleZone: String
    ) throws {
        // Occasions open 23 h 50 min after whole days from the anchor.
        let delay = 24 * hour - 600
        let daily = Sample.schedule(
            repeating: .every(days: 1, untilDay: 3),
            slots: [Slot(opening: .afterAnchor(seconds: delay), dueAfter: hour, closeAfter: 2 * hour)],
            zonePolicy: .study(try zone(scheduleZone)))
        for clock in 0..<24 {
            let enrolledAt = try at("2026-06-10T00:15:00Z").adding(seconds: clock * hour)
            let planner = Sample.planner(
                Sample.study([daily]), enrolledAt: enrolledAt,
                zones: [ZoneChange(from: .minimum, zone: try zone(participantZone))])

            let occasions = planner.occasions(from: .minimum, through: .maximum)

            #expect(
                occasions.map(\.window.openAt)
                    == (0...3).map { enrolledAt.adding(seconds: 24 * $0 * hour + delay) })
            #expect(occasions.allSatisfy { $0.zone.id == scheduleZone })
            // Planning day by day also finds windows that reach a date from far away.
            let byDay = (-2...6).flatMap { day in
                let date = planner.enrolmentDate.adding(days: day)
                return planner.occasions(from: date, through: date)
            }
            #expect(Set(byDay.map(\.id)) == Set(occasions.map(\.id)))
            #expect(byDay.count == occasions.count)
        }
    }

    @Test func `only schedules of the arm are planned`() throws {
        var mine = Sample.schedule(
            "mine", repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        mine.arms = ["experimental"]
        let study = Sample.study([mine])
        let enrolledAt = try at("2026-05-01T11:00:00Z")

        func count(_ arm: String?) -> Int {
            Sample.planner(study, enrolledAt: enrolledAt, zones: [], arm: arm)
                .occasions(from: .minimum, through: .maximum).count
        }

        #expect(count("experimental") == 1)
        #expect(count("control") == 0)
        #expect(count(nil) == 0)
    }

    @Test func `a pause excludes the windows that it covers, and a withdrawal those that had not closed`()
        throws
    {
        let daily = Sample.schedule(
            repeating: .every(days: 1, untilDay: 4),
            slots: [try Sample.slot("18:00", due: 2 * hour, close: 4 * hour)])
        let status = EnrolmentStatus(
            endedAt: try at("2026-05-04T19:00:00Z"),
            pauses: [
                Pause(from: try at("2026-05-02T17:00:00Z"), to: try at("2026-05-02T20:00:00.001Z")),
                Pause(from: try at("2026-05-03T17:00:00Z"), to: try at("2026-05-03T19:30:00Z")),
            ])
        let planner = Sample.planner(
            Sample.study([daily]), enrolledAt: try at("2026-05-01T11:00:00Z"), zones: [], status: status)

        let exclusion = planner.occasions(from: .minimum, through: .maximum).map(\.exclusion)

        #expect(exclusion == [nil, .paused, nil, .withdrawn, .withdrawn])
    }

    @Test func `an id never changes`() throws {
        let key = OccasionKey(schedule: "daily", anchorInstance: "", dayIndex: 3, slotIndex: 0)

        let id = key.id(of: Sample.enrolment)

        #expect(id.description == "002cfb6f-8326-87b0-9c20-50752fac210d")
        #expect(key.id(of: Sample.enrolment) == id)
    }

    @Test func `another field has another id, even if the concatenated bytes are equal`() {
        func key(_ schedule: String, _ instance: String, _ day: Int, _ slot: Int) -> OccasionKey {
            OccasionKey(schedule: schedule, anchorInstance: instance, dayIndex: day, slotIndex: slot)
        }
        let keys = [
            key("ab", "c", 0, 0), key("a", "bc", 0, 0), key("abc", "", 0, 0), key("ab", "c", 1, 0),
            key("ab", "c", 0, 1),
            key("ab", "c", -1, 0),
        ]

        #expect(Set(keys.map { $0.id(of: Sample.enrolment) }).count == keys.count)
    }

    @Test func `the horizon contains open occasions and the next fourteen days`() throws {
        let week = Sample.schedule(
            "week", asks: "baseline", repeating: .once,
            slots: [try Sample.slot("00:00", due: 48 * hour, close: 7 * 24 * hour)])
        let daily = Sample.schedule(slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)])
        let planner = Sample.planner(
            Sample.study([week, daily]), enrolledAt: try at("2026-05-01T09:00:00Z"), zones: [])

        let occasions = planner.occasions(horizonFrom: try at("2026-05-06T12:00:00Z"))

        #expect(occasions.contains { $0.questionnaire == "baseline" })
        #expect(occasions.last?.localDate == (try day("2026-05-20")))
    }
}
