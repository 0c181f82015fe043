import Testing

@testable import SaunterCore

@Suite("Study check, of very large studies")
struct StudyCheckBudgetTests {
    /// Every day, on some weekdays and on some days of the month, over ten years, each at its own time; the last two overlap where a Friday is a 13th.
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

    @Test func `what is looked at has a bound, and what was not is told without being a fault`() throws {
        let study = try Self.large()

        for budget in [1_000_000, 200_000, 1000, 0] {
            var check = StudyCheck(study: study, unread: [], budget: budget)
            check.run()

            #expect((0...budget).contains(check.budget.left))
            #expect(check.remarks.list.map(\.code).contains("compared_in_part"), "\(budget)")
            #expect(check.faults.list.allSatisfy { $0.code != "compared_in_part" })
        }
        let found = study.judged(budget: 1_000_000).remarks
        let compared = try #require(found.first { $0.code == "compared_in_part" })
        #expect(compared.pointer == "/schedules/0")
        #expect(
            compared.detail.hasPrefix(
                "The study is too large to be looked at in full: windows of evening were compared for "))
        #expect(compared.detail.hasSuffix(" of 196 dates of enrolment. What else overlaps is not found."))
    }

    @Test func `with little to spend on it the first days are compared, with nothing none`() throws {
        func words(_ budget: Int) throws -> String {
            let remarks = try Self.large().judged(budget: budget).remarks
            return try #require(remarks.first { $0.code == "compared_in_part" }).detail
        }

        #expect(try words(50_000).contains("were compared until day "))
        #expect(try words(0).contains("were not compared."))
    }

    @Test func `prompts are counted for as many dates as can be paid for`() throws {
        let study = try Self.large()

        let found = study.judged(budget: 400_000)

        #expect(found.faults.filter { $0.code == "too_many_prompts" }.count == 2)
        let counted = try #require(found.remarks.first { $0.code == "counted_in_part" })
        #expect(counted.pointer == "/schedules" && counted.detail.contains(" of 196 dates of enrolment."))
    }

    @Test func `whatever can be paid for is found, and nothing is said`() throws {
        let study = try Self.large(9)

        let found = study.judged()

        #expect(found.remarks == [])
        #expect(found.faults.map(\.code) == ["windows_overlap"])
        #expect(found.faults.first?.pointer == "/schedules/8/slots/0")
    }

    @Test func `what costs little leaves the rest of its share to what costs more`() throws {
        let slots = [try Sample.slot("18:00", due: hour, close: 2 * hour)]
        let once = ["b", "c", "d"].map {
            Sample.schedule($0, asks: $0, repeating: .once, slots: slots)
        }
        let study = Sample.study([Sample.schedule("a", asks: "a", slots: slots)] + once)
        var check = StudyCheck(study: study, unread: [], budget: 10_000_000)
        check.run()
        let cost = 10_000_000 - check.budget.left

        #expect(study.judged(budget: cost).remarks == [])
        #expect(
            study.judged(budget: cost - 1).remarks.map { "\($0.pointer) \($0.code)" }
                == ["/schedules/0 compared_in_part"])
    }

    @Test func `prompts of an arm with few leave their share to those of one with many`() throws {
        let slots = try (10...20).map { try Sample.slot("\($0):00", due: 600, close: 600) }
        let daily = ["a", "b"].map { Sample.schedule($0, asks: $0, slots: slots) }
        var study = Sample.study(
            daily + [Sample.schedule("c", asks: "c", repeating: .once, slots: [slots[0]])])
        study.schedules[0].arms = ["experimental"]
        study.schedules[1].arms = ["experimental"]
        study.schedules[2].arms = ["control"]

        let found = study.judged(budget: 200)

        // 56 days are laid out, and 28 counted.
        #expect(found.faults.contains { $0.code == "too_many_prompts" && $0.detail.contains("up to 22") })
        #expect(!found.remarks.contains { $0.code == "counted_in_part" })
    }

    @Test func `what each arm is asked alike costs nothing more`() throws {
        func cost(_ arms: Int) throws -> Int {
            var study = try Self.large(2)
            study.arms = (0..<arms).map { Arm(code: "a\($0)", ratio: 1) }
            var check = StudyCheck(study: study, unread: [], budget: 10_000_000)
            check.run()
            return 10_000_000 - check.budget.left
        }

        #expect(try cost(50) == cost(1))
    }

    @Test func `loops that cannot be paid for are told`() {
        func after(_ code: String, asks questionnaire: String) -> Schedule {
            Sample.schedule(
                questionnaire, asks: questionnaire, anchor: .completion(questionnaire: code),
                repeating: .once,
                slots: [Slot(opening: .afterAnchor(seconds: 120), dueAfter: hour, closeAfter: hour)])
        }
        var study = Sample.study([after("b", asks: "a"), after("a", asks: "b")])
        study.anyTime = ["a"]

        #expect(study.judged(budget: 1_000_000).faults.map(\.code) == ["endless"])
        #expect(study.judged(budget: 0).faults == [])
        #expect(study.judged(budget: 0).remarks.map(\.code).contains("followed_in_part"))
    }

    @Test func `too many arms, phases, events or notices are told before all else`() throws {
        var study = try Self.large()
        study.arms = (0...100).map { Arm(code: "a\($0)", ratio: 1) }
        study.phases = (0...100).map { Phase(code: "p\($0)", start: .day(0), end: .studyEnd) }
        study.events = (0...100).map { StudyEvent(code: "e\($0)", update: .mutable) }
        study.notices = (0...100).map {
            NoticeRule(code: "n\($0)", trigger: .inactivity, firstAfter: 3600)
        }

        #expect(
            study.faults().map { "\($0.pointer) \($0.code)" }
                == ["/arms too_many", "/phases too_many", "/events too_many", "/notices too_many"])
        study.arms.removeLast()
        study.phases.removeLast()
        study.notices.removeLast()
        #expect(study.faults().map(\.pointer) == ["/events"])
    }
}
