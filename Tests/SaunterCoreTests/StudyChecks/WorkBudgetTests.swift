import Testing

@testable import SaunterCore

@Suite("Study check, very large studies")
struct WorkBudgetTests {
    /// Daily, weekly and monthly schedules over ten years, each at another time. The last two overlap on Fridays that
    /// are the 13th of a month.
    private static func large(_ count: Int = 60) throws -> Study {
        let recurrences: [Recurrence] = [
            .every(days: 1, untilDay: 3660), .weekly(weekdays: [5], weeks: 1, untilDay: 3660),
            .monthly(days: [13], untilDay: 3660),
        ]
        return Sample.study(
            try (0..<count).map { number in
                let minute = (number == count - 1 ? count - 2 : number) * 20
                let open = try #require(LocalTime(seconds: minute * 60))
                return Sample.schedule(
                    "s\(number)", repeating: recurrences[number % 3],
                    slots: [Slot(opening: .fixed(open), dueAfter: 60, closeAfter: 1200)])
            }, days: 3660)
    }

    @Test func `the work has an upper bound, and unchecked parts are hints, not faults`() throws {
        let study = try Self.large()

        for budget in [1_000_000, 200_000, 1000, 0] {
            var check = StudyCheck(study: study, unreadable: [], budget: budget)
            check.run()

            #expect((0...budget).contains(check.budget.remaining))
            #expect(check.hints.list.map(\.code).contains("compared_in_part"), "\(budget)")
            #expect(check.faults.list.allSatisfy { $0.code != "compared_in_part" })
        }
        let found = study.checked(budget: 1_000_000).hints
        let compared = try #require(found.first { $0.code == "compared_in_part" })
        #expect(compared.pointer == "/schedules/0")
        #expect(
            compared.detail.hasPrefix(
                "The study is too large to be checked completely: windows of evening were compared for "))
        #expect(compared.detail.hasSuffix(" of 196 dates of enrolment. Other overlaps are not reported."))
    }

    @Test func `a small budget compares the first days, and an empty budget compares none`() throws {
        func words(_ budget: Int) throws -> String {
            let hints = try Self.large().checked(budget: budget).hints
            return try #require(hints.first { $0.code == "compared_in_part" }).detail
        }

        #expect(try words(50_000).contains("were compared until day "))
        #expect(try words(0).contains("were not compared."))
    }

    @Test func `occasions are counted for as many dates as the budget covers`() throws {
        let study = try Self.large()

        let found = study.checked(budget: 400_000)

        #expect(found.faults.filter { $0.code == "too_many_prompts" }.count == 2)
        let counted = try #require(found.hints.first { $0.code == "counted_in_part" })
        #expect(counted.pointer == "/schedules" && counted.detail.contains(" of 196 dates of enrolment."))
    }

    @Test func `a sufficient budget finds everything and has no hints`() throws {
        let study = try Self.large(9)

        let found = study.checked()

        #expect(found.hints == [])
        #expect(found.faults.map(\.code) == ["windows_overlap"])
        #expect(found.faults.first?.pointer == "/schedules/8/slots/0")
    }

    @Test func `expensive groups can use the part of the budget that cheap groups do not need`() throws {
        let slots = [try Sample.slot("18:00", due: hour, close: 2 * hour)]
        let once = ["b", "c", "d"].map {
            Sample.schedule($0, asks: $0, repeating: .once, slots: slots)
        }
        let study = Sample.study([Sample.schedule("a", asks: "a", slots: slots)] + once)
        var check = StudyCheck(study: study, unreadable: [], budget: 10_000_000)
        check.run()
        let cost = 10_000_000 - check.budget.remaining

        #expect(study.checked(budget: cost).hints == [])
        #expect(
            study.checked(budget: cost - 1).hints.map { "\($0.pointer) \($0.code)" }
                == ["/schedules/0 compared_in_part"])
    }

    @Test func `an arm with many occasions can use the part of the budget that another arm does not need`()
        throws
    {
        let slots = try (10...20).map { try Sample.slot("\($0):00", due: 600, close: 600) }
        let daily = ["a", "b"].map { Sample.schedule($0, asks: $0, slots: slots) }
        var study = Sample.study(
            daily + [Sample.schedule("c", asks: "c", repeating: .once, slots: [slots[0]])])
        study.schedules[0].arms = ["experimental"]
        study.schedules[1].arms = ["experimental"]
        study.schedules[2].arms = ["control"]

        let found = study.checked(budget: 200)

        // 56 days are planned, and 28 are counted.
        #expect(found.faults.contains { $0.code == "too_many_prompts" && $0.detail.contains("up to 22") })
        #expect(!found.hints.contains { $0.code == "counted_in_part" })
    }

    @Test func `schedules for every arm are checked once`() throws {
        func cost(_ arms: Int) throws -> Int {
            var study = try Self.large(2)
            study.arms = (0..<arms).map { Arm(code: "a\($0)", ratio: 1) }
            var check = StudyCheck(study: study, unreadable: [], budget: 10_000_000)
            check.run()
            return 10_000_000 - check.budget.remaining
        }

        #expect(try cost(50) == cost(1))
    }

    @Test func `cycles that the budget does not cover are reported`() {
        func after(_ code: String, asks questionnaire: String) -> Schedule {
            Sample.schedule(
                questionnaire, asks: questionnaire, anchor: .completion(questionnaire: code),
                repeating: .once,
                slots: [Slot(opening: .afterAnchor(seconds: 120), dueAfter: hour, closeAfter: hour)])
        }
        var study = Sample.study([after("b", asks: "a"), after("a", asks: "b")])
        study.anyTime = ["a"]

        #expect(study.checked(budget: 1_000_000).faults.map(\.code) == ["endless"])
        #expect(study.checked(budget: 0).faults == [])
        #expect(study.checked(budget: 0).hints.map(\.code).contains("followed_in_part"))
    }

    @Test func `too many arms, phases, events or notification rules are reported before other faults`() throws
    {
        var study = try Self.large()
        study.arms = (0...100).map { Arm(code: "a\($0)", ratio: 1) }
        study.phases = (0...100).map { Phase(code: "p\($0)", start: .day(0), end: .studyEnd) }
        study.events = (0...100).map { StudyEvent(code: "e\($0)", update: .mutable) }
        study.notificationRules = (0...100).map {
            NotificationRule(code: "n\($0)", trigger: .inactivity, firstAfter: 3600)
        }

        #expect(
            study.faults().map { "\($0.pointer) \($0.code)" }
                == ["/arms too_many", "/phases too_many", "/events too_many", "/notices too_many"])
        study.arms.removeLast()
        study.phases.removeLast()
        study.notificationRules.removeLast()
        #expect(study.faults().map(\.pointer) == ["/events"])
    }
}
