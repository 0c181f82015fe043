import Testing

@testable import SaunterCore

@Suite("Study check, phases and events")
struct PhaseCheckTests {
    /// Two weeks by days, then a phase between two events, with a schedule for each kind of anchor.
    private static func validStudy() throws -> Study {
        let evening = [try Sample.slot("18:00", due: hour, close: 2 * hour)]
        var study = Sample.study(
            [
                Sample.schedule(
                    "base", anchor: .phase("base"), repeating: .every(days: 1, untilDay: 13), slots: evening),
                Sample.schedule(
                    "home", anchor: .phase("home"), repeating: .every(days: 1, untilDay: 13), slots: evening),
                Sample.schedule(
                    "later", asks: "final", anchor: .event("moved"), repeating: .once, slots: evening),
                Sample.schedule(
                    "reply", asks: "reply", anchor: .firstCompletion(questionnaire: "evening"), offset: 1,
                    repeating: .once, slots: evening),
            ], days: 40)
        study.schedules[0].phase = "base"
        study.schedules[1].phase = "home"
        study.events = [
            StudyEvent(code: "home", update: .immutable), StudyEvent(code: "moved", update: .mutable),
        ]
        study.phases = [
            Phase(code: "base", start: .day(0), end: .event("home")),
            Phase(code: "home", start: .event("home"), end: .length(days: 14)),
        ]
        return study
    }

    private func faults(_ change: (inout Study) throws -> Void) throws -> [String] {
        var study = try Self.validStudy()
        try change(&study)
        return study.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a valid study has no faults`() throws {
        #expect(try faults { _ in } == [])
    }

    @Test func `phases that start on different days may overlap`() throws {
        let found = try faults {
            $0.phases[1] = Phase(code: "second", start: .day(7), end: .event("home"))
            $0.schedules[1].anchor = .phase("second")
            $0.schedules[1].phase = "second"
        }

        #expect(found.contains { $0.hasSuffix("windows_overlap") }, "\(found)")
    }

    struct Broken: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var expected: [String]
        var change: @Sendable (inout Study) -> Void

        init(_ name: String, _ expected: [String], _ change: @escaping @Sendable (inout Study) -> Void) {
            testDescription = name
            self.expected = expected
            self.change = change
        }
    }

    @Test(arguments: [
        Broken("unknown event in an anchor", ["/schedules/2/anchor unknown_event", "/events/1 never_used"]) {
            $0.schedules[2].anchor = .event("nothing")
        },
        Broken("unused event", ["/events/2 never_used"]) {
            $0.events.append(StudyEvent(code: "spare", update: .mutable))
        },
        Broken("duplicate event", ["/events/2/code duplicate"]) {
            $0.events.append(StudyEvent(code: "home", update: .mutable))
        },
        Broken("invalid event code", ["/events/0/code invalid_name"]) {
            $0.events[0].code = "at_home"
            $0.phases[0].end = .event("at_home")
            $0.phases[1].start = .event("at_home")
        },
        Broken("duplicate phase", ["/phases/1/code duplicate", "/schedules/1/anchor unknown_phase"]) {
            $0.phases[1].code = "base"
            $0.schedules[1].phase = nil
        },
        Broken("unknown phase", ["/schedules/0/phase unknown_phase"]) { $0.schedules[0].phase = "nowhere" },
        Broken("unknown phase in anchor", ["/schedules/0/anchor unknown_phase"]) {
            $0.schedules[0].anchor = .phase("nowhere")
        },
        Broken(
            "phase starts after the study",
            ["/phases/0/start out_of_range", "/schedules/0/recurrence never_falls"]
        ) {
            $0.phases[0].start = .day(41)
        },
        Broken("phase ends before it starts", ["/phases/0/end out_of_range"]) {
            $0.phases[0] = Phase(code: "base", start: .day(5), end: .day(4))
        },
        Broken("unknown event of a phase", ["/phases/1/start unknown_event"]) {
            $0.phases[1].start = .event("nowhere")
        },
        Broken("phase without length", ["/phases/1/end out_of_range"]) {
            $0.phases[1].end = .length(days: 0)
        },
        Broken("phase longer than the study", ["/phases/1/end after_study_end"]) {
            $0.phases[1].end = .length(days: 42)
        },
        Broken("phase starts too late for its length", ["/phases/0/end after_study_end"]) {
            $0.phases[0] = Phase(code: "base", start: .day(28), end: .length(days: 14))
        },
        Broken("count above the number of days", ["/schedules/1/recurrence/count does_not_fit"]) {
            $0.schedules[1].count = 15
            $0.schedules[1].recurrence = .every(days: 1, untilDay: 40)
        },
        Broken("duplicate questionnaire for any time", ["/any_time/1 duplicate"]) {
            $0.anyTime = ["final", "final"]
        },
        Broken("duplicate arm of a schedule", ["/schedules/2/arms/1 duplicate"]) {
            $0.schedules[2].arms = ["control", "control", "experimental"]
        },
        Broken("phase starts and ends with the same event", ["/phases/1/end empty"]) {
            $0.phases[1].end = .event("home")
        },
        Broken("offset outside the phase", ["/schedules/0/recurrence never_falls"]) {
            $0.phases[0].end = .day(5)
            $0.schedules[0].offsetDays = 6
        },
        Broken("anchor questionnaire is never asked in one arm", ["/schedules/3/anchor never_asked"]) {
            $0.schedules[0].arms = ["control"]
            $0.schedules[1].arms = ["control"]
        },
        Broken("daily limit of a schedule that is not repeated", ["/schedules/0/max_per_day not_repeated"]) {
            $0.schedules[0].maxPerDay = 2
        },
        Broken("daily limit of zero", ["/schedules/3/max_per_day out_of_range"]) {
            $0.schedules[3].anchor = .completion(questionnaire: "evening")
            $0.schedules[3].maxPerDay = 0
        },
        Broken("no target", ["/target out_of_range"]) { $0.target = 0 },
        Broken("a huge target", ["/target out_of_range"]) { $0.target = 1_000_001 },
        Broken("low adherence", ["/low_adherence_percent out_of_range"]) { $0.lowAdherencePercent = 0 },
        Broken("count of zero", ["/schedules/0/recurrence/count out_of_range"]) { $0.schedules[0].count = 0 },
        Broken(
            "questionnaire for any time with a daily limit of zero", ["/any_time/0/max_per_day out_of_range"]
        ) {
            $0.anyTime = [AnyTimeRule(questionnaire: "final", maximumPerDay: 0)]
        },
        Broken(
            "too many prompts after walks", ["/schedules too_many_prompts", "/schedules too_many_prompts"]
        ) {
            $0.schedules[3].anchor = .walk
            $0.schedules[3].maxPerDay = 20
        },
    ])
    func `each fault is found, and no other`(_ broken: Broken) throws {
        let found = try faults(broken.change)

        #expect(broken.expected.allSatisfy(found.contains), "\(found)")
        if broken.testDescription != "duplicate phase" {
            #expect(found.count == broken.expected.count, "\(found)")
        }
    }

    @Test func `windows of one phase by days overlap those of the whole study`() throws {
        let found = try faults { study in
            study.phases[0].end = .day(13)
            study.schedules.append(
                Sample.schedule(
                    "all", repeating: .every(days: 1, untilDay: 40),
                    slots: [try Sample.slot("19:00", due: hour, close: hour)]))
        }

        #expect(found == ["/schedules/4/slots/0 windows_overlap"])
    }

    @Test func `phases that an event divides do not overlap, regardless of their days`() throws {
        let found = try faults { study in
            study.schedules[0].anchor = .enrolment
            study.schedules[1].anchor = .enrolment
        }

        #expect(found == [])
    }

    /// The two evenings of the valid study, in phases with these starts and ends, by the day of enrolment.
    private func overlaps(_ base: (PhaseStart, PhaseEnd), _ home: (PhaseStart, PhaseEnd)) throws -> Bool {
        let found = try faults { study in
            study.phases = [
                Phase(code: "base", start: base.0, end: base.1),
                Phase(code: "home", start: home.0, end: home.1),
            ]
            for position in 0..<2 { study.schedules[position].anchor = .enrolment }
        }
        return found.contains("/schedules/1/slots/0 windows_overlap")
    }

    @Test func `phases of different events are compared if they certainly overlap`() throws {
        let (home, moved) = (PhaseEnd.event("home"), PhaseEnd.event("moved"))
        #expect(try overlaps((.day(0), home), (.day(0), moved)))
        #expect(try overlaps((.day(0), home), (.day(5), .studyEnd)))
        #expect(try overlaps((.event("home"), .studyEnd), (.event("moved"), .studyEnd)))
        #expect(try overlaps((.event("home"), moved), (.event("home"), .length(days: 5))))

        #expect(try !overlaps((.day(0), home), (.event("moved"), .studyEnd)))
        #expect(try !overlaps((.event("home"), moved), (.event("moved"), .studyEnd)))
        #expect(try !overlaps((.event("home"), .length(days: 5)), (.event("moved"), .studyEnd)))
    }

    @Test func `windows of two phases that begin with one event are compared by their days in it`() throws {
        func found(_ offset: Int) throws -> [String] {
            try faults { study in
                study.phases[0] = Phase(code: "base", start: .event("home"), end: .event("moved"))
                study.schedules[0].recurrence = .once
                study.schedules[1].recurrence = .once
                study.schedules[1].offsetDays = offset
            }
        }

        #expect(try found(0) == ["/schedules/1/slots/0 windows_overlap"])
        #expect(try found(1) == [])
    }

    @Test func `the days of a phase do not restrict a schedule with another anchor`() throws {
        let found = try faults { study in
            study.phases.append(Phase(code: "late", start: .day(20), end: .studyEnd))
            study.schedules[1].phase = "late"
            study.schedules[1].recurrence = .once
        }

        #expect(found == [])
    }

    @Test func `a schedule that counts from the start event of its phase ends with the phase`() throws {
        func found(_ offset: Int) throws -> [String] {
            try faults { study in
                study.schedules[1].anchor = .event("home")
                study.schedules[1].recurrence = .every(days: 1, untilDay: 40)
                study.schedules.append(
                    Sample.schedule(
                        "after", anchor: .event("home"), offset: offset, repeating: .once,
                        slots: study.schedules[1].slots))
            }
        }

        #expect(try found(14) == [])
        #expect(try found(13) == ["/schedules/4/slots/0 windows_overlap"])
    }

    @Test func `occasions of phases that different events end are added`() throws {
        let found = try faults { study in
            study.phases[1] = Phase(code: "home", start: .day(0), end: .event("moved"))
            study.schedules[1].questionnaire = "final"
            for position in 0..<2 {
                study.schedules[position].slots = [StudyCheckTests.random(count: 11, gap: 600, close: 600)]
            }
            study.schedules[2].anchor = .event("home")
        }

        #expect(found == ["/schedules too_many_prompts", "/schedules too_many_prompts"])
    }

    @Test func `the burden of a phase includes the schedules in it`() throws {
        var study = try Self.validStudy()
        study.schedules = Array(study.schedules.prefix(2))
        study.phases[0].end = .day(13)

        // Two minutes per day in both; 14 of 41 days each over the complete study.
        #expect(Burden(of: study).minutesPerDay(arm: "control", phase: "base") == 2)
        #expect(Burden(of: study).minutesPerDay(arm: "control", phase: "home") == 2)
        #expect(Burden(of: study).minutesPerDay(arm: "control") == Double(2 * 28) / 41)
        #expect(Burden(of: study).minutesPerDay(arm: "control", phase: "none") == nil)
        study.schedules[0].arms = ["experimental"]
        #expect(Burden(of: study).minutesPerDay(arm: "control", phase: "base") == 0)
    }

    @Test func `the last day of the study belongs to a phase without an end`() throws {
        var study = try Self.validStudy()
        study.phases = [Phase(code: "late", start: .day(31), end: .studyEnd)]
        study.schedules = [
            Sample.schedule(
                "last", offset: 40, repeating: .once,
                slots: [try Sample.slot("18:00", due: hour, close: 2 * hour)])
        ]

        // Two minutes, on one of the days 31 to 40.
        #expect(Burden(of: study).minutesPerDay(arm: "control", phase: "late") == 0.2)
    }
}
