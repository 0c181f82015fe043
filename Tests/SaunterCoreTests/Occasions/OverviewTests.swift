import Testing

@testable import SaunterCore

@Suite("Overview")
struct OverviewTests {
    /// 2026-05-04T12:00Z.
    private let now = Instant(milliseconds: 1_777_896_000_000)
    private let facts = EnrolmentFacts(hasCalibration: true, status: .active)

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

    @Test func `an open occasion is due and enabled`() throws {
        let open = occasion(1, hours: -1)

        let entry = try entry([occasion(0, hours: -25), open, occasion(2, hours: 23)])

        #expect(entry.isDueToday && !entry.isDisabled)
        #expect(entry.disabledReason == nil)
        #expect(entry.occasionID == open.id)
        #expect(entry.opensAt == open.window.openAt && entry.closesAt == open.window.closeAt)
        #expect(entry.nextOpensAt == now.adding(seconds: 23 * 3600))
    }

    @Test func `an overdue occasion is due and enabled`() throws {
        let entry = try entry([occasion(1, hours: -3)])

        #expect(entry.isDueToday && !entry.isDisabled)
    }

    @Test func `an occasion that opens later today is due but disabled`() throws {
        let entry = try entry([occasion(1, hours: 11)])

        #expect(entry.isDueToday)
        #expect(entry.disabledReason == .notYetOpen)
        #expect(entry.nextOpensAt == now.adding(seconds: 11 * 3600))
    }

    @Test func `today is the local date of the participant, not of the server`() throws {
        let tonight = [occasion(1, hours: 11)]

        #expect(try entry(tonight, zone: .utc).isDueToday)
        // In Tokyo it is 21:00 now, and 08:00 of the next day at the opening.
        #expect(try !entry(tonight, zone: zone("Asia/Tokyo")).isDueToday)
    }

    @Test func `an occasion that opens tomorrow is not due`() throws {
        let entry = try entry([occasion(1, hours: 12)])

        #expect(!entry.isDueToday)
        #expect(entry.disabledReason == .notYetOpen)
    }

    @Test func `answered, and the next occasion is not open: completed in period`() throws {
        let done = occasion(1, hours: -1, completed: true)

        let entry = try entry([done, occasion(2, hours: 23)])

        #expect(!entry.isDueToday && entry.isDisabled)
        #expect(entry.disabledReason == .completedInPeriod)
        #expect(entry.completedAt == done.completedAt)
        #expect(entry.occasionID == done.id)
    }

    @Test func `answered, and another occasion opens later today: still due`() throws {
        let entry = try entry([occasion(1, hours: -1, completed: true), occasion(2, hours: 3)])

        #expect(entry.isDueToday)
        #expect(entry.disabledReason == .completedInPeriod)
    }

    @Test
    func `a questionnaire for other arms is left out, unless its occasion was open when the arm changed`()
        throws
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

    @Test func `an open occasion of a former questionnaire stays until it closes, and is listed last`() throws
    {
        let study = Sample.study([
            Sample.schedule(
                asks: "morning", repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
        ])
        let open = occasion(1, hours: -1)
        let others = [
            occasion(0, hours: -30), occasion(2, hours: 23), occasion(3, hours: -1, completed: true),
            Sample.occasion(4, of: "morning", open: now),
        ]
        #expect(study.openOccasionsOfFormerQuestionnaires(others + [open], at: now) == [open])
        #expect(study.openOccasionsOfFormerQuestionnaires([open], at: open.window.closeAt) == [])

        let entries = study.overview(
            arm: "control", occasions: others + [open], former: [Sample.questionnaire("evening")],
            facts: facts, at: now, zone: .utc)

        #expect(entries.map(\.questionnaire) == ["morning", "evening"])
        #expect(entries.last?.occasionID == open.id)
        #expect(entries.last?.isDisabled == false && entries.last?.isDueToday == true)
    }

    @Test func `missed, and no further occasion: closed`() throws {
        let entry = try entry([occasion(1, hours: -30)])

        #expect(!entry.isDueToday)
        #expect(entry.disabledReason == .closed)
    }

    @Test func `a questionnaire that follows walks waits for the first walk`() throws {
        #expect(try entry([], anchor: .walk).disabledReason == .prerequisite)
        #expect(try entry([], anchor: .completion(questionnaire: "evening")).disabledReason == .prerequisite)
    }

    @Test(arguments: StudyEvent.Update.allCases)
    func `after its windows, an event that cannot be moved is no prerequisite`(update: StudyEvent.Update)
        throws
    {
        func reason(_ occasions: [Occasion], happened: Set<Anchor> = []) throws -> DisabledReason? {
            var study = Sample.study([
                Sample.schedule(
                    anchor: .event("training-finished"), repeating: .once,
                    slots: [try Sample.slot("18:00", due: hour, close: hour)])
            ])
            study.events = [StudyEvent(code: "training-finished", update: update)]
            var facts = self.facts
            facts.happened = happened
            let entries = study.overview(
                arm: "control", occasions: occasions, facts: facts, at: now, zone: .utc)
            return try #require(entries.first).disabledReason
        }
        let afterwards: DisabledReason = update == .immutable ? .closed : .prerequisite

        #expect(try reason([]) == .prerequisite)
        #expect(try reason([], happened: [.walk, .event("other")]) == .prerequisite)
        #expect(try reason([occasion(1, hours: -30)]) == afterwards)
        // The event was later than the close of its only window, so that no occasion was planned.
        #expect(try reason([], happened: [.event("training-finished")]) == afterwards)
    }

    @Test func `a first sheet, or a phase, whose windows are over is no prerequisite`() throws {
        let first = Anchor.firstCompletion(questionnaire: "morning")
        func reason(_ anchor: Anchor, in phase: String?, happened: Set<Anchor>) throws -> DisabledReason? {
            var schedule = Sample.schedule(
                anchor: anchor, repeating: .once, slots: [try Sample.slot("18:00", due: hour, close: hour)])
            schedule.phase = phase
            var study = Sample.study([schedule])
            study.phases = [
                Phase(
                    code: "after", start: .firstCompletion(questionnaire: "morning"), end: .length(days: 1))
            ]
            var facts = self.facts
            facts.happened = happened
            let entries = study.overview(arm: "control", occasions: [], facts: facts, at: now, zone: .utc)
            return try #require(entries.first).disabledReason
        }

        for (anchor, phase) in [(first, nil), (.phase("after"), "after"), (.enrolment, "after")]
            as [(Anchor, String?)]
        {
            #expect(try reason(anchor, in: phase, happened: []) == .prerequisite)
            #expect(
                try reason(anchor, in: phase, happened: [.completion(questionnaire: "morning")]) == .closed)
        }
    }

    @Test func `a participant who has left is not enrolled`() throws {
        let left = EnrolmentFacts(
            hasCalibration: true, status: EnrolmentStatus(endedAt: now))

        let entry = try entry([occasion(1, hours: -1)], facts: left)

        #expect(!entry.isDueToday)
        #expect(entry.disabledReason == .notEnrolled)
    }

    @Test(arguments: [OccasionExclusion.cancelled, .notApplicable, .nonexistent, .withdrawn])
    func `excluded occasions have no effect`(_ why: OccasionExclusion) throws {
        let excluded = Sample.occasion(1, open: now.adding(seconds: -60), exclusion: why)

        #expect(try entry([excluded]).disabledReason == .closed)
    }

    @Test(arguments: [-1, 3, 48])
    func `an occasion in a pause is not open yet, and nothing is due`(hours: Int) throws {
        let paused = Sample.occasion(1, open: now.adding(seconds: hours * 3600), exclusion: .paused)

        let entry = try entry([paused])

        #expect(entry.disabledReason == .notYetOpen)
        #expect(!entry.isDueToday && entry.nextOpensAt == nil)
        #expect(entry.occasionID == paused.id)
    }

    @Test(arguments: [-3, -5])
    func `an occasion that cannot be met after the pause is closed, even before its close`(hours: Int) throws
    {
        let paused = Sample.occasion(1, open: now.adding(seconds: hours * 3600), exclusion: .paused)

        #expect(try entry([paused]).disabledReason == .closed)
    }

    @Test(arguments: [(0, false), (1, false), (2, true), (3, true)])
    func `a questionnaire for any time can have a daily maximum`(answered: Int, full: Bool) throws {
        var study = Sample.study([])
        study.questionnaires = [Sample.questionnaire("mood")]
        study.anyTime = [AnyTimeRule(questionnaire: "mood", maximumPerDay: 2)]
        var facts = self.facts
        facts.answeredToday = ["mood": answered]

        let entry = try #require(
            study.overview(arm: "control", occasions: [], facts: facts, at: now, zone: .utc).first)

        #expect(entry.isDisabled == full)
        #expect(entry.disabledReason == (full ? .completedInPeriod : nil))
    }

    @Test func `above the daily maximum nothing is offered, not even an open occasion`() throws {
        var study = Sample.study([
            Sample.schedule(slots: [try Sample.slot("18:00", due: hour, close: 4 * hour)])
        ])
        study.anyTime = [AnyTimeRule(questionnaire: "evening", maximumPerDay: 1, fulfilledSchedule: "daily")]
        var facts = self.facts
        facts.answeredToday = ["evening": 1]
        let open = Sample.occasion(1, open: now.adding(seconds: -60))

        let entry = try #require(
            study.overview(arm: "control", occasions: [open], facts: facts, at: now, zone: .utc).first)

        #expect(entry.isDisabled && entry.disabledReason == .completedInPeriod && !entry.isDueToday)
    }

    @Test func `settings are in no overview`() {
        var study = Sample.study([])
        study.questionnaires = [Sample.questionnaire("mood"), Sample.questionnaire("look")]
        study.anyTime = ["mood"]
        study.settings = ["look"]

        let entries = study.overview(arm: "control", occasions: [], facts: facts, at: now, zone: .utc)

        #expect(entries.map(\.questionnaire) == ["mood"])
    }

    @Test func `a questionnaire for any time is never disabled`() throws {
        let entry = try entry([], anyTime: true)

        #expect(!entry.isDisabled && !entry.isDueToday)
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

    @Test func `the daily mail includes only due occasions of schedules that are in the daily mail`() throws {
        var study = Sample.study([
            Sample.schedule("daily", slots: [try Sample.slot("18:00", due: hour, close: hour)]),
            Sample.schedule("quiet", slots: [try Sample.slot("18:00", due: hour, close: hour)]),
        ])
        study.schedules[1].isInDailyMail = false
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
        uncalibrated.hasCalibration = false
        var withdrawn = uncalibrated
        withdrawn.status.endedAt = now

        #expect(WalkReadiness(study: study, facts: facts, at: now).canStart)
        #expect(reason(uncalibrated) == .calibrationMissing)
        #expect(reason(withdrawn) == .notEnrolled)
        study.walking = nil
        #expect(reason(facts) == .notInStudy)
    }
}
