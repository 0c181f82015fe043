import Foundation
import Testing

@testable import SaunterCore

@Suite("Nominal schedule")
struct NominalScheduleTests {
    /// `SAUNTER_FUZZ` multiplies the number of random schedules.
    private static let rounds = Int(ProcessInfo.processInfo.environment["SAUNTER_FUZZ"] ?? "") ?? 1

    /// Day by day, as in a participant's plan: the days of the schedule from its anchor that are in its phase.
    private static func days(_ study: Study, enrolledOn start: LocalDate, in phase: ClosedRange<Int>?)
        -> [Int]
    {
        let schedule = study.schedules[0]
        var shift = 0
        var anchor = start
        var last = study.days
        if case .studyDate(let date) = schedule.anchor { (shift, anchor, last) = (date.days, date, 3660) }
        if case .phase = schedule.anchor, case .day(let day) = study.phases[0].start {
            (shift, anchor, last) = (day, start.adding(days: day), study.days - day)
        }
        return (0...max(0, last)).filter {
            $0 <= last && $0 <= schedule.lastDay(anchorDate: anchor)
                && schedule.recurrence.falls(onDay: $0, offset: schedule.offsetDays, anchorDate: anchor)
        }.map { $0 + shift }.filter { phase?.contains($0) ?? true }
    }

    @Test func `the days of a schedule agree with the rule for single days, for every date of enrolment`()
        throws
    {
        var cases = SeededCases(7)
        let slot = try Sample.slot("08:00", due: hour, close: 2 * hour)
        for _ in 0..<100 * Self.rounds {
            let until = Int.random(in: 0...150, using: &cases)
            let recurrences: [Recurrence] = [
                .once, .every(days: Int.random(in: 1...9, using: &cases), untilDay: until),
                .weekly(
                    weekdays: [Int.random(in: 1...7, using: &cases), 7],
                    weeks: Int.random(in: 1...3, using: &cases), untilDay: until),
                .monthly(days: [1, Int.random(in: 2...31, using: &cases)], untilDay: until),
                .cycle(length: 5, dayOffsets: [4, 0], untilDay: until),
            ]
            let anchors: [Anchor] = [
                .enrolment, .event("home"), .phase("p"), .studyDate(LocalDate(days: 20_000 + until)),
            ]
            let anchor = anchors[Int.random(in: 0..<anchors.count, using: &cases)]
            var schedule = Sample.schedule(
                anchor: anchor, offset: Int.random(in: 0...20, using: &cases),
                repeating: recurrences[Int.random(in: 0..<recurrences.count, using: &cases)], slots: [slot])
            schedule.count = Bool.random(using: &cases) ? Int.random(in: 1...9, using: &cases) : nil
            let begin = Int.random(in: 0...30, using: &cases)
            let isInPhase = anchor != .event("home") && Bool.random(using: &cases)
            schedule.phase = isInPhase ? "p" : nil
            var study = Sample.study([schedule], days: Int.random(in: 31...120, using: &cases))
            study.phases = [Phase(code: "p", start: .day(begin), end: .length(days: 25))]
            // The position of a calendar date relative to a phase that starts on a study day is unknown.
            let hasKnownDays = isInPhase && study.dayZero(of: schedule) == .enrolment
            let nominal = NominalSchedule(study, position: 0)

            for start in [0, 1, 2, 5, 30, 61, 364, 1300] {
                let date = Study.monday.adding(days: start)
                let days = nominal.days(enrolledOn: date)
                let expected = Self.days(study, enrolledOn: date, in: hasKnownDays ? begin...begin + 24 : nil)

                #expect(days.numbers.map { $0 + days.origin } == expected, "\(schedule) \(date)")
            }
        }
    }

    @Test func `an invalid schedule has no days, and large numbers do not trap`() throws {
        let slot = try Sample.slot("08:00", due: hour, close: 2 * hour)
        for offset in [Int.min, -1, 3661, Int.max] {
            let study = Sample.study([
                Sample.schedule(offset: offset, repeating: .every(days: 1, untilDay: .max), slots: [slot])
            ])

            #expect(NominalSchedule(study, position: 0).days(enrolledOn: Study.monday).count == 0)
        }
    }
}
