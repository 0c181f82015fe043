import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct StudyPackTests {
    @Test func `the study mindful-walking has the design of its authors`() throws {
        let study = try StudyPack.read(RealPacks.study(), study: "mindful-walking").study

        #expect(study.arms == [Arm(code: "experimental", ratio: 1), Arm(code: "control", ratio: 1)])
        #expect(study.allocation == Allocation(blockSizes: [4, 6], isConcealed: true))
        #expect(study.openEnrolment)
        #expect(study.zone == Zone("Europe/Berlin"))
        #expect(study.walking?.requiresCalibration == true)
        #expect(study.walking?.reductionPercent == 5...50)
        #expect(study.walking?.targetFeedbackArms == ["experimental"])
        #expect(study.reminder?.at == LocalTime(hour: 18, minute: 0))
        #expect(study.text["de"]?.course.count == 4)
        #expect(study.text["en"]?.course.count == 4)
        #expect(study.text["de"]?.title == "Achtsames Gehen")
        #expect(study.questionnaire("daily_evening")?.edit.correctWithin == .within(seconds: 86_400))
        #expect(study.questionnaire("pss_10")?.edit.correctWithin == .never)
    }

    @Test func `a study can state how many participants it wants to enrol`() throws {
        let pack = try RealPacks.study().replacing(
            "open_enrolment: true", with: "open_enrolment: true\ntarget: 120",
            in: "studies/mindful-walking/study.yaml")

        #expect(try StudyPack.read(pack, study: "mindful-walking").study.target == 120)
        #expect(try StudyPack.read(RealPacks.study(), study: "mindful-walking").study.target == nil)
    }

    @Test func `a study can hide the codes of arms from its team`() throws {
        let pack = try RealPacks.study().replacing(
            "concealed: true", with: "concealed: true, blinded: true",
            in: "studies/mindful-walking/study.yaml")

        let study = try StudyPack.read(pack, study: "mindful-walking").study

        #expect(study.allocation == Allocation(blockSizes: [4, 6], isConcealed: true, isBlinded: true))
    }

    @Test func `the evening review of mindful-walking opens at 17:00, is due at 22:00 and closes at 04:00`()
        throws
    {
        let study = try StudyPack.read(RealPacks.study(), study: "mindful-walking").study

        let daily = try #require(study.schedules.first { $0.id == "daily" })

        #expect(daily.recurrence == .every(days: 1, untilDay: 27))
        let five = try #require(LocalTime("17:00"))
        #expect(daily.slots == [Slot(opening: .fixed(five), dueAfter: 5 * 3600, closeAfter: 11 * 3600)])
        #expect(daily.isInDailyMail)
    }

    @Test
    func `mindful-walking has assessments at the beginning and the end, and a questionnaire after each walk`()
        throws
    {
        let study = try StudyPack.read(RealPacks.study(), study: "mindful-walking").study

        let first = study.schedules.filter {
            $0.anchor == .enrolment && $0.recurrence == .once && $0.offsetDays == 0
        }
        let last = study.schedules.filter { $0.offsetDays == 28 }
        let walk = try #require(study.schedules.first { $0.anchor == .walk })

        #expect(first.map(\.questionnaire) == ["pss_10", "maas", "who_5"])
        #expect(last.map(\.questionnaire) == ["pss_10", "maas", "who_5", "sus"])
        #expect(walk.slots == [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 7200, closeAfter: 43_200)])
        #expect(!walk.isInDailyMail)
    }

    @Test func `the worked example of the format documentation has no faults`() throws {
        let files = try WorkedExample.files()

        let pack = try StudyPack.read(files, study: "day-mood")
        let instrument = try InstrumentPack.check(files, code: "day_mood", version: "1.0.0")

        #expect(files.files.count == 9)
        #expect(pack.study.questionnaires == [instrument.questionnaire])
        #expect(instrument.vectorCount == 4)
        let degrees = pack.study.questionnaires.first?.text["en"]?.options["calm"]
        #expect(degrees == ["0": "not at all", "1": "a little", "2": "fairly", "3": "very"])
    }

    @Test func `all forms of recurrence, anchor, opening and zone are read`() throws {
        let schedule = """
            schedules:
              - id: a
                questionnaire: day_mood
                anchor: {study_date: 2026-11-23}
                recurrence: {weekly: {weekdays: [1, 3], weeks: 2, until_day: 10}}
                slots: [{open: {random: {from: "10:00", to: "12:00", count: 2, minimum_gap: 30m}}, due_after: 5m, close_after: 10m}]
                zone_policy: {study: Europe/Paris}
              - id: b
                questionnaire: day_mood
                anchor: {completion: day_mood}
                recurrence: {monthly: {days: [1, 31], until_day: 60}}
                slots: [{open: "06:00:30", due_after: 1h30m, close_after: 1d}]
                zone_policy: enrolment
                late_policy: complete
              - id: c
                questionnaire: day_mood
                recurrence: {cycle: {length: 28, day_offsets: [0, 1, 2], until_day: 90}}
                slots: []
            """
        let log = FaultLog(file: "schedule.yaml")
        let root = try #require(YAMLReader.read(schedule, log: log))

        let schedules = try #require(ScheduleParser(log: log).schedules(root))

        #expect(log.faults == [])
        #expect(
            schedules.map(\.recurrence) == [
                .weekly(weekdays: [1, 3], weeks: 2, untilDay: 10), .monthly(days: [1, 31], untilDay: 60),
                .cycle(length: 28, dayOffsets: [0, 1, 2], untilDay: 90),
            ])
        #expect(schedules[0].anchor == LocalDate("2026-11-23").map { .studyDate($0) })
        #expect(schedules[1].anchor == .completion(questionnaire: "day_mood"))
        #expect(schedules[0].zonePolicy == Zone("Europe/Paris").map { .study($0) })
        #expect(schedules[1].latePolicy == .complete)
        let ten = try #require(LocalTime("10:00"))
        let twelve = try #require(LocalTime("12:00"))
        #expect(
            schedules[0].slots.first?.opening == .random(from: ten, to: twelve, count: 2, minimumGap: 1800))
        #expect(schedules[1].slots.first?.dueAfter == 5400)
    }

    @Test func `a published study is read although newer rules find faults in it`() throws {
        let schedule = "studies/mindful-walking/schedule.yaml"
        let files = try RealPacks.study()
            .replacing("close_after: 11h", with: "close_after: 25h", in: schedule)

        #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }
        let pack = try StudyPack.read(files, study: "mindful-walking", isPublished: true)
        #expect(pack.study.schedules[0].slots[0].closeAfter == 25 * 3600)
    }
}
