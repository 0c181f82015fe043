import Foundation
import SaunterCore

/// Measures the cost of planning for one participant, without a database.
enum EngineCost {
    static let study = makeStudy()

    /// A study with an evening questionnaire and five random ones a day, and a long questionnaire before and after.
    static func makeStudy(days: Int = 28) -> Study {
        func at(_ hour: Int) -> LocalTime { LocalTime(hour: hour, minute: 0) ?? .midnight }
        let week = Slot(opening: .fixed(.midnight), dueAfter: 2 * 86_400, closeAfter: 7 * 86_400)
        func once(_ id: String, _ questionnaire: String, day: Int) -> Schedule {
            Schedule(id: id, questionnaire: questionnaire, offsetDays: day, recurrence: .once, slots: [week])
        }
        let schedules = [
            Schedule(
                id: "evening", questionnaire: "evening", recurrence: .every(days: 1, untilDay: days - 1),
                slots: [Slot(opening: .fixed(at(18)), dueAfter: 4 * 3600, closeAfter: 8 * 3600)]),
            Schedule(
                id: "moments", questionnaire: "moment", recurrence: .every(days: 1, untilDay: days - 1),
                slots: [
                    Slot(
                        opening: .random(from: at(9), to: at(21), count: 5, minimumGap: 3600), dueAfter: 600,
                        closeAfter: 1800)
                ]),
            once("first", "long", day: 0), once("last", "long", day: days),
        ]
        let codes = ["evening", "moment", "long"]
        return Study(
            code: "bench", version: "1.0.0", consentVersion: "1", openEnrolment: true, languages: ["en"],
            text: [
                "en": StudyText(
                    title: "Bench", summary: "", consent: "", course: [], reminderSubject: "",
                    reminderBody: "")
            ], zone: .utc, days: days + 7, arms: [Arm(code: "all", ratio: 1)],
            allocation: Allocation(blockSizes: [1], isConcealed: false), schedules: schedules,
            questionnaires: codes.map {
                Questionnaire(
                    code: $0, version: "1.0.0", item: [],
                    text: ["en": QuestionnaireText(title: $0, items: [:], options: [:])], languages: ["en"],
                    minutes: 1)
            },
            reminder: ReminderRule(at: at(19), quietFrom: at(22), quietTo: at(7)))
    }

    static func run() {
        guard let berlin = Zone("Europe/Berlin"), let enrolledAt = Instant("2026-03-20T09:00:00Z"),
            let now = Instant("2026-04-02T16:30:00Z")
        else { return }
        let zones = [ZoneChange(from: enrolledAt, zone: berlin)]
        func planner(_ number: Int) -> Planner {
            Planner(
                PlanInput(
                    study: study, enrolmentID: EnrolmentID(UUID()), arm: "all", enrolledAt: enrolledAt,
                    zones: zones, seed: Array("\(number)".utf8)))
        }
        let plans = (0..<64).map { planner($0) }
        let whole = plans.map { $0.occasions(from: .minimum, through: .maximum) }
        let facts = EnrolmentFacts(hasCalibration: false, status: .active)
        print(
            "a study of 28 days with 6 occasions a day: \(whole[0].count) occasions per participant, zone \(berlin)"
        )
        measure("plan the whole study") { plans[$0 % 64].occasions(from: .minimum, through: .maximum).count }
        measure("plan the horizon of 14 days") { plans[$0 % 64].occasions(horizonFrom: now).count }
        measure("due state: occasions due today") {
            study.dueToday(whole[$0 % 64], at: now, zone: berlin).count
        }
        measure("overview of all questionnaires") {
            study.overview(arm: "all", occasions: whole[$0 % 64], facts: facts, at: now, zone: berlin).count
        }
        measure("adherence") { Adherence(occasions: whole[$0 % 64], at: now).settled }
        measure("next reminder") {
            let next = study.nextDailyMail(
                after: now, preferredTime: nil, zone: berlin, occasions: whole[$0 % 64],
                plannedThrough: .maximum)
            return next == nil ? 0 : 1
        }
        measure("reconciliation without changes") {
            reconcile(stored: whole[$0 % 64], planned: whole[$0 % 64], now: now).insert.count
        }
    }

    /// Prints the median of seven rounds of at least 0.1 s each.
    private static func measure(_ name: String, _ work: (Int) -> Int) {
        let clock = ContinuousClock()
        var sum = 0
        var count = 1
        while clock.measure({ for index in 0..<count { sum &+= work(index) } }) < .milliseconds(100) {
            count *= 2
        }
        let rounds = (0..<7).map { _ -> Double in
            clock.measure { for index in 0..<count { sum &+= work(index) } } / .nanoseconds(1) / Double(count)
        }.sorted()
        let padded = name.padding(toLength: 34, withPad: " ", startingAt: 0)
        print("\(padded) \(String(format: "%10.2f µs", rounds[3] / 1000))\(sum == 0 ? " " : "")")
    }
}
