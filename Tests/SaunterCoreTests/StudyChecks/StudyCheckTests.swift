import Testing

@testable import SaunterCore

@Suite("Study check")
struct StudyCheckTests {
    /// A study without faults: a baseline, an evening every day, and a questionnaire after each walk.
    static func validStudy() throws -> Study {
        Sample.study([
            Sample.schedule(
                "baseline", asks: "stress", repeating: .once,
                slots: [try Sample.slot("00:00", due: 48 * hour, close: 7 * 24 * hour)]),
            Sample.schedule("daily", slots: [try Sample.slot("17:00", due: 5 * hour, close: 11 * hour)]),
            Sample.schedule(
                "after", asks: "after_walk", anchor: .walk, repeating: .once,
                slots: [Slot(opening: .afterAnchor(seconds: 0), dueAfter: 2 * hour, closeAfter: 12 * hour)]),
            Sample.schedule(
                "final", asks: "stress", offset: 28, repeating: .once,
                slots: [try Sample.slot("00:00", due: 72 * hour, close: 7 * 24 * hour)]),
        ])
    }

    private func faults(_ change: (inout Study) throws -> Void) throws -> [String] {
        var study = try Self.validStudy()
        try change(&study)
        return study.faults().map { "\($0.pointer) \($0.code)" }
    }

    @Test func `a valid study has no faults`() throws {
        #expect(try faults { _ in } == [])
    }

    static let placeFactor = Allocation.Factor(code: "place", levels: ["north", "south"])
    static let placeText = [
        "place": FactorText(title: "Where?", levels: ["north": "North", "south": "South"])
    ]

    @Test(arguments: [Allocation.Method.stratifiedBlocks, .minimisation])
    func `an allocation with factors can be valid`(_ method: Allocation.Method) throws {
        #expect(
            try faults {
                $0.allocation = Allocation(
                    method: method, blockSizes: method == .minimisation ? [] : [4, 6], isConcealed: true,
                    factors: [Self.placeFactor], probability: method == .minimisation ? 0.8 : nil)
                $0.text["en"]?.factors = Self.placeText
            } == [])
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
        Broken("code", ["/code invalid_name"]) { $0.code = "Big_Study" },
        Broken("version", ["/version invalid_version"]) { $0.version = "one" },
        Broken("consent version", ["/consent_version required"]) { $0.consentVersion = "" },
        Broken("days", ["/days out_of_range"]) { $0.days = 3661 },
        Broken("no arms", ["/arms required"]) { $0.arms = [] },
        Broken("duplicate arm", ["/arms/1/code duplicate"]) { $0.arms[1].code = "experimental" },
        Broken("invalid arm code", ["/arms/1/code invalid_name"]) { $0.arms[1].code = "1 %" },
        Broken(
            "ratio", ["/arms/0/ratio out_of_range"]
        ) {
            $0.arms[0].ratio = -3
            $0.allocation.blockSizes = [4]
        },
        Broken("block size that is no multiple of the ratio", ["/allocation/block_sizes/1 not_a_multiple"]) {
            $0.allocation.blockSizes = [4, 5]
        },
        Broken("no blocks", ["/allocation/block_sizes required"]) { $0.allocation.blockSizes = [] },
        Broken("huge block", ["/allocation/block_sizes/0 out_of_range"]) {
            $0.allocation.blockSizes = [2000]
        },
        Broken("block sizes without blocks", ["/allocation/block_sizes not_used"]) {
            $0.allocation.method = .simple
        },
        Broken("factors without strata", ["/allocation/factors not_used"]) {
            $0.allocation.factors = [StudyCheckTests.placeFactor]
            $0.text["en"]?.factors = StudyCheckTests.placeText
        },
        Broken("probability without minimisation", ["/allocation/probability not_used"]) {
            $0.allocation.probability = 0.8
        },
        Broken("strata without factors", ["/allocation/factors required"]) {
            $0.allocation.method = .stratifiedBlocks
        },
        Broken("a factor without texts", ["/text/en/factors missing_text"]) {
            $0.allocation.method = .stratifiedBlocks
            $0.allocation.factors = [StudyCheckTests.placeFactor]
        },
        Broken(
            "texts of unknown factors and levels",
            [
                "/text/en/factors/sex unknown_factor", "/text/en/factors/place/levels missing_text",
                "/text/en/factors/place/levels/east unknown_level",
            ]
        ) {
            $0.allocation.method = .stratifiedBlocks
            $0.allocation.factors = [StudyCheckTests.placeFactor]
            $0.text["en"]?.factors = [
                "place": FactorText(title: "Where?", levels: ["north": "North", "east": "East"]),
                "sex": FactorText(title: "Sex", levels: [:]),
            ]
        },
        Broken(
            "minimisation without levels, weight and probability",
            [
                "/allocation/factors/0/levels out_of_range", "/allocation/factors/0/weight out_of_range",
                "/allocation/probability required",
            ]
        ) {
            $0.allocation = Allocation(
                method: .minimisation, isConcealed: true,
                factors: [Allocation.Factor(code: "place", levels: [], weight: 0)])
            $0.text["en"]?.factors = ["place": FactorText(title: "Where?", levels: [:])]
        },
        Broken("probability that has no effect", ["/allocation/probability out_of_range"]) {
            $0.allocation = Allocation(
                method: .minimisation, isConcealed: true, factors: [StudyCheckTests.placeFactor],
                probability: 0.5)
            $0.text["en"]?.factors = StudyCheckTests.placeText
        },
        Broken("blinding of one arm", ["/allocation/blinded not_used"]) { study in
            study.arms = [study.arms[0]]
            study.schedules = study.schedules.map {
                var schedule = $0
                schedule.arms = []
                return schedule
            }
            study.walking?.targetFeedbackArms = []
            study.allocation = Allocation(method: .simple, isConcealed: true, isBlinded: true)
        },
        Broken("too many strata", ["/allocation/factors too_many_strata"]) { study in
            study.allocation.method = .stratifiedBlocks
            study.allocation.factors = (0..<10).map {
                Allocation.Factor(code: "f\($0)", levels: ["yes", "no"])
            }
            for factor in study.allocation.factors {
                study.text["en"]?.factors[factor.code] = FactorText(
                    title: "?", levels: ["yes": "Yes", "no": "No"])
            }
        },
        Broken("ratios with a large least common multiple", ["/arms out_of_range"]) { study in
            study.arms = [97, 89, 83, 79].map { Arm(code: "arm\($0)", ratio: $0) }
            study.allocation = Allocation(
                method: .minimisation, isConcealed: true, factors: [StudyCheckTests.placeFactor],
                probability: 0.8)
            study.text["en"]?.factors = StudyCheckTests.placeText
        },
        Broken(
            "unknown questionnaire of a schedule",
            ["/questionnaires/1 never_asked", "/schedules/1/questionnaire unknown_questionnaire"]
        ) { $0.schedules[1].questionnaire = "morning" },
        Broken("unknown questionnaire for any time", ["/any_time/0 unknown_questionnaire"]) {
            $0.anyTime = ["nothing"]
        },
        Broken("unknown arm of a schedule", ["/schedules/1/arms/1 unknown_arm"]) {
            $0.schedules[1].arms = ["control", "placebo"]
        },
        Broken("unknown feedback arm", ["/walking/target_feedback_arms/0 unknown_arm"]) {
            $0.walking?.targetFeedbackArms = ["placebo"]
        },
        Broken("reduction", ["/walking/reduction_percent out_of_range"]) {
            $0.walking?.reductionPercent = -1...100
        },
        Broken("no walks", ["/schedules/2/anchor no_walks"]) { $0.walking = nil },
        Broken("unknown questionnaire of an anchor", ["/schedules/2/anchor unknown_questionnaire"]) {
            $0.schedules[2].anchor = .completion(questionnaire: "nothing")
        },
        Broken("schedule that follows its own sheets", ["/schedules/2/anchor endless"]) {
            $0.schedules[2].anchor = .completion(questionnaire: "after_walk")
        },
        Broken("duplicate schedule id", ["/schedules/1/id duplicate"]) { $0.schedules[1].id = "baseline" },
        Broken("offset", ["/schedules/3/offset_days after_study_end"]) { $0.schedules[3].offsetDays = 29 },
        Broken("negative offset", ["/schedules/3/offset_days out_of_range"]) {
            $0.schedules[3].offsetDays = -1
        },
        Broken("last day after the study", ["/schedules/1/recurrence/until_day after_study_end"]) {
            $0.schedules[1].recurrence = .every(days: 1, untilDay: 29)
        },
        Broken("negative last day", ["/schedules/1/recurrence/until_day out_of_range"]) {
            $0.schedules[1].recurrence = .every(days: 1, untilDay: -1)
        },
        Broken("interval of zero days", ["/schedules/1/recurrence/days out_of_range"]) {
            $0.schedules[1].recurrence = .every(days: 0, untilDay: 9)
        },
        Broken(
            "weekdays",
            [
                "/schedules/1/recurrence/weekdays/1 out_of_range",
                "/schedules/1/recurrence/weekdays/2 duplicate",
            ]
        ) { $0.schedules[1].recurrence = .weekly(weekdays: [7, 8, 7], weeks: 1, untilDay: 9) },
        Broken("no month days", ["/schedules/1/recurrence/days required"]) {
            $0.schedules[1].recurrence = .monthly(days: [], untilDay: 9)
        },
        Broken("cycle", ["/schedules/1/recurrence/day_offsets/0 out_of_range"]) {
            $0.schedules[1].recurrence = .cycle(length: 7, dayOffsets: [7], untilDay: 9)
        },
        Broken("no slots", ["/schedules/1/slots out_of_range"]) { $0.schedules[1].slots = [] },
        Broken("due after close", ["/schedules/1/slots/0/due_after out_of_order"]) {
            $0.schedules[1].slots[0].dueAfter = 12 * 3600
        },
        Broken("window without length", ["/schedules/1/slots/0/close_after out_of_range"]) {
            $0.schedules[1].slots[0].dueAfter = 0
            $0.schedules[1].slots[0].closeAfter = 0
        },
        Broken("visible after open", ["/schedules/1/slots/0/visible_before out_of_range"]) {
            $0.schedules[1].slots[0].visibleBefore = -1
        },
        Broken("window longer than the recurrence", ["/schedules/1/slots/0/close_after longer_than_repeat"]) {
            $0.schedules[1].slots[0].closeAfter = 25 * 3600
        },
        Broken("overlap of two schedules", ["/schedules/3/slots/0 windows_overlap"]) {
            $0.schedules[3].offsetDays = 6
        },
        Broken("overlap on some weekdays", ["/schedules/1/slots/0/close_after longer_than_repeat"]) {
            $0.schedules[1].recurrence = .weekly(weekdays: [1, 7], weeks: 1, untilDay: 20)
            $0.schedules[1].slots[0].closeAfter = 25 * 3600
        },
        Broken("duplicate feedback arm", ["/walking/target_feedback_arms/1 duplicate"]) {
            $0.walking?.targetFeedbackArms = ["control", "control"]
        },
        Broken("a date without the weekday", ["/schedules/3/recurrence never_falls"]) {
            // A Monday.
            $0.schedules[3].anchor = .studyDate(LocalDate(days: 20_780))
            $0.schedules[3].offsetDays = 0
            $0.schedules[3].recurrence = .weekly(weekdays: [7], weeks: 1, untilDay: 3)
        },
        Broken("a day of the month outside the recurrence", ["/schedules/3/recurrence never_falls"]) {
            $0.schedules[3].offsetDays = 0
            $0.schedules[3].recurrence = .monthly(days: [30], untilDay: 0)
            $0.schedules[3].anchor = .studyDate(LocalDate(days: 20_780))
        },
        Broken("count above the number of days", ["/schedules/1/recurrence/count does_not_fit"]) {
            $0.schedules[1].recurrence = .every(days: 7, untilDay: 27)
            $0.schedules[1].count = 5
        },
        Broken("a fixed time and a time after the anchor", ["/schedules/4/slots/1 windows_overlap"]) {
            $0.schedules.append(
                Sample.schedule(
                    "mixed", repeating: .once,
                    slots: [
                        Slot(opening: .afterAnchor(seconds: 0), dueAfter: 3600, closeAfter: 3600),
                        Slot(
                            opening: .fixed(LocalTime(hour: 20, minute: 0) ?? .midnight), dueAfter: 3600,
                            closeAfter: 3600),
                    ]))
        },
        Broken(
            "window of two days after the anchor", ["/schedules/4/slots/0 windows_overlap"]
        ) {
            $0.schedules.append(
                Sample.schedule(
                    "long", repeating: .once,
                    slots: [
                        Slot(opening: .afterAnchor(seconds: 0), dueAfter: 3600, closeAfter: 48 * 3600)
                    ]))
        },
        // A 30th that is a Wednesday: not every January has one.
        Broken("overlap on some dates", ["/schedules/4/slots/0 windows_overlap"]) {
            $0.schedules[1].recurrence = .weekly(weekdays: [3], weeks: 1, untilDay: 27)
            var monthly = $0.schedules[1]
            monthly.id = "monthly"
            monthly.recurrence = .monthly(days: [30], untilDay: 27)
            $0.schedules.append(monthly)
        },
        Broken(
            "too many prompts on some dates", ["/schedules too_many_prompts", "/schedules too_many_prompts"]
        ) {
            $0.schedules[1].recurrence = .weekly(weekdays: [6], weeks: 1, untilDay: 27)
            $0.schedules[1].slots = [StudyCheckTests.random(count: 12, gap: 600, close: 600)]
            var monthly = $0.schedules[1]
            monthly.id = "monthly"
            monthly.questionnaire = "after_walk"
            monthly.recurrence = .monthly(days: [31], untilDay: 27)
            $0.schedules.append(monthly)
        },
        Broken("time after an anchor that is a date", ["/schedules/2/slots/0/open no_instant"]) {
            $0.schedules[2].anchor = .studyDate(LocalDate(days: 20_000))
        },
        Broken(
            "random openings do not fit their span", ["/schedules/1/slots/0/open/minimum_gap does_not_fit"]
        ) {
            $0.schedules[1].slots[0] = StudyCheckTests.random(count: 4, gap: 4 * 3600 + 1, close: 600)
        },
        Broken(
            "windows of random openings overlap", ["/schedules/1/slots/0/open/minimum_gap windows_overlap"]
        ) {
            $0.schedules[1].slots[0] = StudyCheckTests.random(count: 4, gap: 600, close: 601)
        },
        Broken("too many random openings", ["/schedules/1/slots/0/open/count out_of_range"]) {
            $0.schedules[1].slots[0] = StudyCheckTests.random(count: 21, gap: 60, close: 60)
        },
        Broken("too many prompts per day", ["/schedules too_many_prompts", "/schedules too_many_prompts"]) {
            $0.schedules[1].slots[0] = StudyCheckTests.random(count: 20, gap: 60, close: 60)
        },
        Broken("missing text of a language", ["/text/de missing_text", "/questionnaires/0 missing_language"])
        {
            $0.languages = ["en", "de"]
            for index in 1..<3 { $0.questionnaires[index].languages.append("de") }
        },
        Broken("text of an unknown language", ["/text/fr unknown_language"]) { $0.text["fr"] = Sample.text },
        Broken("no language", ["/languages required", "/text/en unknown_language"]) { $0.languages = [] },
        Broken("language tag", ["/languages/1 invalid_language", "/text/English missing_text"]) {
            $0.languages = ["en", "English"]
            for index in 0..<3 { $0.questionnaires[index].languages.append("English") }
        },
        Broken("texts", ["/text/en/title missing_text", "/text/en/consent missing_text"]) {
            $0.text["en"]?.title = ""
            $0.text["en"]?.consent = " \n"
        },
        Broken("missing texts of arms", ["/text/en/arms missing_text", "/text/en/arms missing_text"]) {
            $0.allocation.isConcealed = false
        },
        Broken("text of an unknown arm", ["/text/en/arms/placebo unknown_arm"]) {
            $0.text["en"]?.arms = ["placebo": TitledText(title: "", text: "")]
        },
        Broken("unknown placeholder", ["/text/en/reminder_body unknown_placeholder"]) {
            $0.text["en"]?.reminderBody = "{{name}} {{nmae}}"
        },
        Broken("unclosed placeholder", ["/text/en/reminder_subject unknown_placeholder"]) {
            $0.text["en"]?.reminderSubject = "{{name"
        },
        Broken("daily mail in quiet hours", ["/reminder/at in_quiet_hours"]) {
            guard let night = LocalTime("23:00"), let morning = LocalTime("07:00") else { return }
            $0.reminder = ReminderRule(at: night, quietFrom: night, quietTo: morning)
        },
        Broken("reminders without a reminder rule", ["/schedules/1/reminders no_reminder"]) {
            $0.schedules[1].reminders = [.atOpen]
        },
        Broken("reminder rule without reminders", ["/reminder nothing_to_say"]) {
            $0.reminder = ReminderRule(at: nil, quietFrom: .midnight, quietTo: .midnight)
        },
        Broken(
            "numbers of the reminder rule",
            ["/reminder/most_per_day out_of_range", "/reminder/resend_after out_of_range"]
        ) {
            $0.schedules[1].reminders = [.atOpen]
            $0.reminder = ReminderRule(
                at: nil, quietFrom: .midnight, quietTo: .midnight, maximumPerDay: 0, resendAfter: 299)
        },
        Broken(
            "reminders outside of the window",
            [
                "/schedules/1/reminders/1 outside_window", "/schedules/1/reminders/2 outside_window",
                "/schedules/1/reminders/3 duplicate",
            ]
        ) {
            $0.reminder = ReminderRule(at: nil, quietFrom: .midnight, quietTo: .midnight)
            let slot = $0.schedules[1].slots[0]
            $0.schedules[1].reminders = [
                .beforeDue(seconds: slot.dueAfter), .beforeDue(seconds: slot.dueAfter + 1),
                .afterOpen(seconds: slot.closeAfter), .beforeDue(seconds: slot.dueAfter),
            ]
        },
        Broken(
            "notification rules",
            [
                "/notices/0/when unknown_event", "/notices/0/until unknown_questionnaire",
                "/notices/1/code duplicate", "/notices/1/first_after out_of_range",
                "/notices/1/repeat_every out_of_range", "/notices/1/at_most out_of_range",
                "/text/en/notices missing_text", "/text/en/notices/other unknown_notice",
                "/text/en/notices/other/body unknown_placeholder",
            ]
        ) {
            $0.reminder = ReminderRule(at: nil, quietFrom: .midnight, quietTo: .midnight)
            $0.notificationRules = [
                NotificationRule(code: "a", trigger: .event("gone"), firstAfter: 3600, until: "nothing"),
                NotificationRule(
                    code: "a", trigger: .inactivity, firstAfter: 3599, repeatEvery: 60, maximumMessages: 0),
            ]
            $0.text["en"]?.notificationTexts = ["other": TitledText(title: "{{study}}", text: "{{titles}}")]
        },
        Broken(
            "unknown placeholder of reminders for one occasion", ["/text/en/prompt_body unknown_placeholder"]
        ) {
            $0.text["en"]?.occasionSubject = "{{closes}}"
            $0.text["en"]?.occasionBody = "{{close}}"
        },
    ])
    func `each fault has the correct pointer`(_ broken: Broken) throws {
        #expect(Set(try faults(broken.change)) == Set(broken.expected))
    }

    /// From 08:00 to 20:00.
    static func random(count: Int, gap: Int, close: Int) -> Slot {
        Slot(
            opening: .random(
                from: LocalTime(hour: 8, minute: 0) ?? .midnight,
                to: LocalTime(hour: 20, minute: 0) ?? .midnight,
                count: count, minimumGap: gap),
            dueAfter: 60, closeAfter: close)
    }

    @Test func `windows of different arms do not overlap`() throws {
        let study = try faults { study in
            study.schedules[3].offsetDays = 3
            study.schedules[0].arms = ["control"]
            study.schedules[3].arms = ["experimental"]
        }

        #expect(study == [])
    }

    @Test func `overlaps of calendar dates are reported with the date`() throws {
        var study = try Self.validStudy()
        for position in [1, 3] {
            study.schedules[position].anchor = .studyDate(LocalDate(days: 20_780 + position))
            study.schedules[position].questionnaire = "evening"
            study.schedules[position].offsetDays = 0
        }

        let found = study.faults().map(\.detail)

        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("On 2026-11-2") == true, "\(found)")
    }

    @Test func `an overlap that depends on the calendar is reported with a suitable day 0`() throws {
        let slots = [try Sample.slot("08:00", due: hour, close: 2 * hour)]
        let study = Sample.study([
            Sample.schedule("week", repeating: .weekly(weekdays: [1], weeks: 1, untilDay: 27), slots: slots),
            Sample.schedule("month", repeating: .monthly(days: [5], untilDay: 27), slots: slots),
        ])

        let found = study.faults().map(\.detail)

        // The first 5th of a month after 2024 that is a Monday, and the first day 0 that makes it overlap.
        #expect(found.count == 1)
        #expect(
            found.first?.hasPrefix("On day 27 (2024-02-05, if 2024-01-09 is day 0) the window overlaps")
                == true,
            "\(found)")
    }

    @Test func `adjacent windows do not overlap, and windows that share a second do`() throws {
        func slots(_ second: String) throws -> [String] {
            try faults { study in
                study.schedules[1].slots = [
                    try Sample.slot("08:00", due: hour, close: 4 * hour),
                    try Sample.slot(second, due: hour, close: hour),
                ]
            }
        }

        #expect(try slots("12:00") == [])
        #expect(try slots("11:59:59") == ["/schedules/1/slots/1 windows_overlap"])
    }

    @Test func `the busiest day includes schedules that count from the enrolment`() throws {
        var study = try Self.validStudy()
        // Day 0: baseline and evening, two minutes each.
        #expect(Burden(of: study).minutesOfBusiestDay(arm: "control") == 4)

        // Three random moments in addition to the last questionnaire. Schedules that follow walks have no day.
        study.schedules[1].slots = [StudyCheckTests.random(count: 3, gap: 600, close: 600)]
        study.schedules[1].arms = ["experimental"]
        #expect(Burden(of: study).minutesOfBusiestDay(arm: "experimental") == 8)
        #expect(Burden(of: study).minutesOfBusiestDay(arm: "control") == 2)
    }

    @Test func `burden is the minutes per day over the study`() throws {
        var study = try Self.validStudy()
        // Two minutes each: baseline and final, 28 evenings, and one sheet after each of 29 walks. Day 28 is the last
        // of 29 dates.
        #expect(Burden(of: study).minutesPerDay(arm: "control") == Double(2 * (2 + 28 + 29)) / 29)
        #expect(Burden(of: study, walksPerDay: 0).minutesPerDay(arm: "control") == Double(2 * 30) / 29)

        study.schedules[1].arms = ["experimental"]
        #expect(Burden(of: study, walksPerDay: 0).minutesPerDay(arm: "control") == Double(2 * 2) / 29)

        study.schedules[2].anchor = .completion(questionnaire: "stress")
        #expect(Burden(of: study).minutesPerDay(arm: "control") == Double(2 * 4) / 29)
    }

    @Test func `the mean of a daily schedule is its daily burden, including the last day`() throws {
        let evening = [try Sample.slot("18:00", due: hour, close: 2 * hour)]
        var study = Sample.study([
            Sample.schedule(repeating: .every(days: 1, untilDay: 28), slots: evening)
        ])
        study.phases = [
            Phase(code: "whole", start: .day(0), end: .studyEnd),
            Phase(code: "end", start: .day(28), end: .studyEnd),
            Phase(code: "week", start: .day(22), end: .length(days: 7)),
        ]

        #expect(Burden(of: study).minutesPerDay(arm: "control") == 2)
        for phase in study.phases {
            #expect(Burden(of: study).minutesPerDay(arm: "control", phase: phase.code) == 2, "\(phase.code)")
        }
    }
}
