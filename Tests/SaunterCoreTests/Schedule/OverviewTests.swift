import Testing

@testable import SaunterCore

@Suite("Overview")
struct OverviewTests {
    /// 2026-05-04T12:00 in UTC.
    private let now = Instant(milliseconds: 1_777_896_000_000)
    private let facts = EnrolmentFacts(walkCount: 0, calibrationPresent: true, status: .active)

    private func entry(
        _ occasions: [Occasion], anchor: Anchor = .enrolment, facts: EnrolmentFacts? = nil,
        anyTime: Bool = false,
        zone: Zone = .utc
    ) throws -> OverviewEntry {
        var study = Sample.study([
            Sample.schedule(
                anchor: anchor, repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        ])
        if anyTime { study.anyTime = ["evening"] }
        let entries = study.overview(
            arm: "control", occasions: occasions, facts: facts ?? self.facts, at: now, zone: zone)
        return try #require(entries.first)
    }

    private func occasion(_ number: Int, hours: Int, completed: Bool = false) -> Occasion {
        let open = now.adding(seconds: hours * 3600)
        return Sample.occasion(number, open: open, completedAt: completed ? open : nil)
    }

    @Test func `an open occasion is due and can be tapped`() throws {
        let open = occasion(1, hours: -1)

        let entry = try entry([occasion(0, hours: -25), open, occasion(2, hours: 23)])

        #expect(entry.dueToday && !entry.disabled)
        #expect(entry.disabledReason == nil)
        #expect(entry.occasionID == open.id)
        #expect(entry.opensAt == open.window.openAt && entry.closesAt == open.window.closeAt)
        #expect(entry.nextOpensAt == now.adding(seconds: 23 * 3600))
    }

    @Test func `an overdue occasion still is`() throws {
        let entry = try entry([occasion(1, hours: -3)])

        #expect(entry.dueToday && !entry.disabled)
    }

    @Test func `one that opens later today is due but disabled`() throws {
        let entry = try entry([occasion(1, hours: 11)])

        #expect(entry.dueToday)
        #expect(entry.disabledReason == .notYetOpen)
        #expect(entry.nextOpensAt == now.adding(seconds: 11 * 3600))
    }

    @Test func `today is the participant's, not the server's`() throws {
        let tonight = [occasion(1, hours: 11)]

        #expect(try entry(tonight, zone: .utc).dueToday)
        // In Tokyo it is 21:00 now and 08:00 of the next day then.
        #expect(try !entry(tonight, zone: zone("Asia/Tokyo")).dueToday)
    }

    @Test func `one that opens tomorrow is not due`() throws {
        let entry = try entry([occasion(1, hours: 12)])

        #expect(!entry.dueToday)
        #expect(entry.disabledReason == .notYetOpen)
    }

    @Test func `answered, and the next has not opened: completed in its period`() throws {
        let done = occasion(1, hours: -1, completed: true)

        let entry = try entry([done, occasion(2, hours: 23)])

        #expect(!entry.dueToday && entry.disabled)
        #expect(entry.disabledReason == .completedInPeriod)
        #expect(entry.completedAt == done.completedAt)
        #expect(entry.occasionID == done.id)
    }

    @Test func `answered, and another opens later today: due all the same`() throws {
        let entry = try entry([occasion(1, hours: -1, completed: true), occasion(2, hours: 3)])

        #expect(entry.dueToday)
        #expect(entry.disabledReason == .completedInPeriod)
    }

    @Test func `what only other arms are asked is left out, unless it was open when the arm changed`() throws
    {
        var schedule = Sample.schedule(
            repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        schedule.arms = ["other"]
        let study = Sample.study([schedule])
        func listed(_ occasions: [Occasion]) -> [OccasionID?] {
            study.overview(arm: "control", occasions: occasions, facts: facts, at: now, zone: .utc)
                .map(\.occasionID)
        }
        let open = occasion(1, hours: -1)

        #expect(listed([occasion(0, hours: -30), occasion(2, hours: 23)]) == [])
        #expect(listed([open]) == [open.id])
    }

    @Test func `what this version has left out stays until it closes, and comes last`() throws {
        let study = Sample.study([
            Sample.schedule(
                asks: "morning", repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        ])
        let open = occasion(1, hours: -1)
        let others = [
            occasion(0, hours: -30), occasion(2, hours: 23), occasion(3, hours: -1, completed: true),
            Sample.occasion(4, of: "morning", open: now),
        ]
        #expect(study.leftOpen(others + [open], at: now) == [open])
        #expect(study.leftOpen([open], at: open.window.closeAt) == [])

        let entries = study.overview(
            arm: "control", occasions: others + [open], former: [Sample.questionnaire("evening")],
            facts: facts, at: now, zone: .utc)

        #expect(entries.map(\.questionnaire) == ["morning", "evening"])
        #expect(entries.last?.occasionID == open.id)
        #expect(entries.last?.disabled == false && entries.last?.dueToday == true)
    }

    @Test func `missed, with nothing to come: closed`() throws {
        let entry = try entry([occasion(1, hours: -30)])

        #expect(!entry.dueToday)
        #expect(entry.disabledReason == .closed)
    }

    @Test func `without any walk the questionnaire after it waits for one`() throws {
        #expect(try entry([], anchor: .walk).disabledReason == .prerequisite)
        #expect(try entry([], anchor: .completion(questionnaire: "evening")).disabledReason == .prerequisite)
    }

    @Test func `whoever has left is not enrolled`() throws {
        let left = EnrolmentFacts(
            walkCount: 0, calibrationPresent: true, status: EnrolmentStatus(endedAt: now))

        let entry = try entry([occasion(1, hours: -1)], facts: left)

        #expect(!entry.dueToday)
        #expect(entry.disabledReason == .notEnrolled)
    }

    @Test(arguments: [OccasionSetAside.cancelled, .notApplicable, .nonexistent, .withdrawn])
    func `what is set aside is as if it were not there`(_ why: OccasionSetAside) throws {
        let gone = Sample.occasion(1, open: now.adding(seconds: -60), setAside: why)

        #expect(try entry([gone]).disabledReason == .closed)
    }

    @Test(arguments: [-1, 3, 48])
    func `what a break holds back is not open yet, and nothing is due`(hours: Int) throws {
        let paused = Sample.occasion(1, open: now.adding(seconds: hours * 3600), setAside: .paused)

        let entry = try entry([paused])

        #expect(entry.disabledReason == .notYetOpen)
        #expect(!entry.dueToday && entry.nextOpensAt == nil)
        #expect(entry.occasionID == paused.id)
    }

    @Test(arguments: [-3, -5])
    func `what a break has swallowed is closed, also before its window is`(hours: Int) throws {
        let paused = Sample.occasion(1, open: now.adding(seconds: hours * 3600), setAside: .paused)

        #expect(try entry([paused]).disabledReason == .closed)
    }

    @Test(arguments: [(0, false), (1, false), (2, true), (3, true)])
    func `a questionnaire for any time can be limited to so many a day`(answered: Int, full: Bool) throws {
        var study = Sample.study([])
        study.questionnaires = [Sample.questionnaire("mood")]
        study.anyTime = ["mood"]
        study.anyTimeLimits = ["mood": 2]
        var facts = self.facts
        facts.answeredToday = ["mood": answered]

        let entry = try #require(
            study.overview(arm: "control", occasions: [], facts: facts, at: now, zone: .utc).first)

        #expect(entry.disabled == full)
        #expect(entry.disabledReason == (full ? .completedInPeriod : nil))
    }

    @Test func `a questionnaire for any time is never disabled`() throws {
        let entry = try entry([], anyTime: true)

        #expect(!entry.disabled && !entry.dueToday)
    }

    @Test func `there is one entry per questionnaire of the arm, in the study's order`() throws {
        var schedules = try ["third", "first", "second"].map {
            Sample.schedule(
                $0, asks: $0, repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        }
        schedules[1].arms = ["experimental"]
        let study = Sample.study(schedules)

        func codes(_ arm: String) -> [String] {
            study.overview(arm: arm, occasions: [], facts: facts, at: now, zone: .utc).map(\.questionnaire)
        }

        #expect(codes("experimental") == ["third", "first", "second"])
        #expect(codes("control") == ["third", "second"])
    }

    @Test func `the mail counts what is due today of reminded schedules only`() throws {
        var study = Sample.study([
            Sample.schedule("daily", slots: [try Sample.slot("18:00", due: hour, close: hour)]),
            Sample.schedule("quiet", slots: [try Sample.slot("18:00", due: hour, close: hour)]),
        ])
        study.schedules[1].reminded = false
        let quiet = Sample.occasion(9, schedule: "quiet", open: now)
        let occasions = [
            quiet, occasion(1, hours: 5), occasion(2, hours: -1), occasion(3, hours: 13),
            occasion(4, hours: -1, completed: true), occasion(5, hours: -9),
        ]

        let due = study.dueToday(occasions, at: now, zone: .utc)

        #expect(due == [occasion(2, hours: -1), occasion(1, hours: 5)])
    }

    @Test func `a walk needs a study with walks, an enrolment and a calibration`() throws {
        var study = Sample.study([])
        func reason(_ facts: EnrolmentFacts) -> WalkReadiness.Reason? {
            WalkReadiness(study: study, facts: facts, at: now).reason
        }
        var uncalibrated = facts
        uncalibrated.calibrationPresent = false
        var gone = uncalibrated
        gone.status.endedAt = now

        #expect(WalkReadiness(study: study, facts: facts, at: now).mayStart)
        #expect(reason(uncalibrated) == .calibrationMissing)
        #expect(reason(gone) == .notEnrolled)
        study.walking = nil
        #expect(reason(facts) == .notInStudy)
    }
}
