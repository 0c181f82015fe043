import Testing

@testable import SaunterCore

@Suite("Study check, follow-ups")
struct FollowUpCheckTests {
    /// After an answered questionnaire: opens after two minutes, for an hour.
    private static func after(
        _ code: String, asks questionnaire: String, offset: Int = 0, slots: [Slot]? = nil
    ) -> Schedule {
        Sample.schedule(
            "\(questionnaire)-after-\(code)", asks: questionnaire, anchor: .completion(questionnaire: code),
            offset: offset, repeating: .once,
            slots: slots ?? [Slot(opening: .afterAnchor(seconds: 120), dueAfter: hour, closeAfter: hour)])
    }

    private static func faults(
        _ schedules: [Schedule], anyTime: [String] = [], change: (inout Study) -> Void = { _ in }
    ) -> [String] {
        var study = Sample.study(schedules)
        study.anyTime = anyTime.map { AnyTimeRule(questionnaire: $0) }
        change(&study)
        return study.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `two schedules that trigger each other without end are reported once, at the first`() {
        let loop = [Self.after("b", asks: "a"), Self.after("a", asks: "b")]

        #expect(Self.faults(loop, anyTime: ["a"]) == ["/schedules/0/anchor endless"])
        var limited = loop
        limited[1].maxPerDay = 3
        #expect(Self.faults(limited, anyTime: ["a"]) == [])
        limited[1].maxPerDay = nil
        limited[1].offsetDays = 1
        #expect(Self.faults(limited, anyTime: ["a"]) == [])
    }

    @Test func `a cycle of three schedules is reported, and a schedule that follows it is not`() {
        let loop = [
            Self.after("a", asks: "d"), Self.after("c", asks: "a"), Self.after("a", asks: "b"),
            Self.after("b", asks: "c"),
        ]

        #expect(Self.faults(loop, anyTime: ["a"]) == ["/schedules/1/anchor endless"])
    }

    /// Adds questionnaires that no schedule asks, as entries.
    private static func entries(_ rules: [AnyTimeRule]) -> (inout Study) -> Void {
        { study in
            let known = Set(study.questionnaires.map(\.code))
            study.questionnaires += rules.map(\.questionnaire).filter { !known.contains($0) }.map {
                Sample.questionnaire($0)
            }
            study.anyTime = rules
        }
    }

    @Test func `one questionnaire of a list suffices for a cycle, and for a beginning`() {
        var loop = [Self.after("b", asks: "a"), Self.after("a", asks: "b")]
        loop[0].anchor = .completionOfAny(["c", "b"])

        #expect(Self.faults(loop, change: Self.entries(["c"])) == ["/schedules/0/anchor endless"])
        loop[0].maxPerDay = 1
        #expect(Self.faults(loop, change: Self.entries(["c"])) == [])
        loop[0].anchor = .completionOfAny(["b"])
        #expect(
            Self.faults(loop) == ["/schedules/0/anchor never_begins", "/schedules/1/anchor never_begins"])
        // A schedule with a fault is assumed to begin.
        loop[0].anchor = .completionOfAny(["b", "b"])
        #expect(Self.faults(loop) == ["/schedules/0/anchor duplicate"])
        loop[0].anchor = .completionOfAny([])
        #expect(Self.faults(loop) == ["/schedules/0/anchor required"])
    }

    @Test func `a schedule that follows practices needs a practice, and asks something else`() {
        var rating = Self.after("a", asks: "b")
        rating.anchor = .completionOfPractice
        let practices = [
            AnyTimeRule(questionnaire: "a", isPractice: true),
            AnyTimeRule(questionnaire: "c", isPractice: true),
        ]
        let own = AnyTimeRule(questionnaire: "b", isPractice: true)

        #expect(Self.faults([rating], change: Self.entries(practices)) == [])
        #expect(
            Self.faults([rating], change: Self.entries(["a", "c"])) == ["/schedules/0/anchor no_practices"])
        #expect(
            Self.faults([rating], change: Self.entries(practices + [own])) == ["/schedules/0/anchor endless"])
    }

    @Test func `schedules of different arms do not form a cycle`() {
        var loop = [Self.after("b", asks: "a"), Self.after("a", asks: "b")]
        loop[0].arms = ["experimental"]
        loop[1].arms = ["control"]

        #expect(Self.faults(loop, anyTime: ["a", "b"]) == [])
    }

    @Test func `windows without a common time of day do not form a cycle`() throws {
        let morning = [try Sample.slot("08:00", due: hour, close: 2 * hour)]
        let evening = [try Sample.slot("20:00", due: hour, close: 2 * hour)]

        #expect(
            Self.faults(
                [Self.after("b", asks: "a", slots: morning), Self.after("a", asks: "b", slots: evening)],
                anyTime: ["a"]) == [])
        #expect(
            Self.faults(
                [Self.after("b", asks: "a", slots: morning), Self.after("a", asks: "b", slots: morning)],
                anyTime: ["a"]) == ["/schedules/0/anchor endless"])
        // Two windows of one schedule do not count for the other.
        let twice = morning + [try Sample.slot("09:00", due: hour, close: 2 * hour)]
        #expect(
            Self.faults(
                [Self.after("b", asks: "a", slots: twice), Self.after("a", asks: "b", slots: evening)],
                anyTime: ["a"]) == ["/schedules/0/slots/1 windows_overlap"])
    }

    @Test func `a chain that takes a day or more is not a cycle`() {
        let slow = [Slot(opening: .afterAnchor(seconds: 86_400), dueAfter: hour, closeAfter: hour)]

        #expect(
            Self.faults(
                [Self.after("b", asks: "a", slots: slow), Self.after("a", asks: "b")], anyTime: ["a"]) == [])
    }

    @Test func `a schedule that follows its own sheets has one window or a daily maximum`() {
        var echo = Self.after("a", asks: "a", offset: 1)
        #expect(Self.faults([echo], anyTime: ["a"]) == [])

        echo.recurrence = .every(days: 2, untilDay: 3)
        #expect(Self.faults([echo], anyTime: ["a"]) == ["/schedules/0/anchor multiplies"])
        echo.maxPerDay = 1
        #expect(Self.faults([echo], anyTime: ["a"]) == [])
    }

    @Test func `a schedule that waits for its own first sheet never begins`() throws {
        let slots = [try Sample.slot("08:00", due: hour, close: 2 * hour)]
        var first = Sample.schedule(
            "first", asks: "a", anchor: .firstCompletion(questionnaire: "a"), repeating: .once, slots: slots)

        #expect(Self.faults([first]) == ["/schedules/0/anchor never_begins"])
        #expect(Self.faults([first], anyTime: ["a"]) == [])
        // In one arm another schedule asks it too; in the other arm none does.
        first.offsetDays = 3
        var start = Sample.schedule("start", asks: "a", repeating: .once, slots: slots)
        #expect(Self.faults([first, start]) == [])
        start.arms = ["control"]
        #expect(Self.faults([first, start]) == ["/schedules/0/anchor never_begins"])
    }

    @Test func `schedules that wait for each other never begin`() {
        #expect(
            Self.faults([Self.after("b", asks: "a"), Self.after("a", asks: "b")])
                == ["/schedules/0/anchor never_begins", "/schedules/1/anchor never_begins"])
    }

    @Test func `a phase cannot start with a questionnaire that is asked only in the phase`() throws {
        var daily = Sample.schedule(
            "daily", asks: "a", anchor: .phase("later"),
            slots: [try Sample.slot("08:00", due: hour, close: 2 * hour)])
        daily.phase = "later"
        let found = Self.faults([daily]) {
            $0.phases = [
                Phase(code: "later", start: .firstCompletion(questionnaire: "a"), end: .studyEnd)
            ]
        }

        #expect(found == ["/schedules/0/phase never_begins"])
    }

    @Test func `an unreadable schedule causes no further faults`() {
        var study = Sample.study([Self.after("b", asks: "a"), Self.after("a", asks: "b")])
        #expect(study.faults(unreadable: [1]) == [])
        study.anyTime = ["a"]
        #expect(study.faults(unreadable: [1]) == [])
    }
}
