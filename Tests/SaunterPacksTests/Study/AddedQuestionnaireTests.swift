import SaunterCore
import Testing

@testable import SaunterPacks

@Suite struct AddedQuestionnaireTests {
    private static let folder = "studies/day-mood/"
    private static let evening = (open: LocalTime("18:00")!, close: LocalTime("22:00")!)

    private static let study = """
        # The study of the moods.
        code: day-mood
        days: 14                    # the last day
        questionnaires:             # in the order of the overview
          - {code: day_mood, version: 1.0.0}   # every evening
          # Another one will follow.
        any_time: []                # entries
        # The end.

        """
    private static let schedule = """
        schedules:
          - id: evening             # never change its meaning
            questionnaire: day_mood
            recurrence: {every: {days: 1, until_day: 13}}
            slots:
              - {open: "17:00", due_after: 5h, close_after: 7h}

        """

    private func added(
        _ frequency: AddedQuestionnaire.Frequency, code: String = "sleep", version: String = "1.0.0",
        window: (open: LocalTime, close: LocalTime)? = evening, study: String = study,
        schedule: String? = schedule
    ) throws -> (study: String, schedule: String, AddedQuestionnaire.Result) {
        var files = [Self.folder + "study.yaml": study]
        files[Self.folder + "schedule.yaml"] = schedule
        let result = try AddedQuestionnaire(
            code: code, version: version, frequency: frequency, window: window
        ).add(to: PackFiles(files: files), study: "day-mood")
        return (
            result.files[Self.folder + "study.yaml"] ?? "", result.files[Self.folder + "schedule.yaml"] ?? "",
            result
        )
    }

    @Test func `a daily questionnaire is added to both files, and all other lines stay`() throws {
        let (study, schedule, result) = try added(.daily)

        #expect(
            study
                == Self.study.replacing(
                    "# every evening\n", with: "# every evening\n  - {code: sleep, version: 1.0.0}\n"))
        #expect(
            schedule == Self.schedule + """
                  - id: sleep
                    questionnaire: sleep
                    recurrence: {every: {days: 1, until_day: 13}}
                    slots:
                      - {open: "18:00", due_after: 4h, close_after: 4h}

                """)
        #expect(result.reference == .added && result.schedule == .added)
    }

    @Test(
        arguments: [
            (.once, nil, "once", "{open: {after_anchor: 0m}, due_after: 2d, close_after: 7d}"),
            (.once, "18:00-22:00", "once", "{open: \"18:00\", due_after: 4h, close_after: 4h}"),
            (
                .weekly, "22:30-00:15", "{every: {days: 7, until_day: 13}}",
                "{open: \"22:30\", due_after: 1h45m, close_after: 1h45m}"
            ),
            (
                .daily, "06:00-06:00", "{every: {days: 1, until_day: 13}}",
                "{open: \"06:00\", due_after: 24h, close_after: 24h}"
            ),
        ] as [(AddedQuestionnaire.Frequency, String?, String, String)])
    func `the schedule follows from the frequency and the times`(
        frequency: AddedQuestionnaire.Frequency, times: String?, recurrence: String, slot: String
    ) throws {
        let parts = times?.split(separator: "-").compactMap { LocalTime($0) }
        let window = parts.map { (open: $0[0], close: $0[1]) }
        let (_, schedule, _) = try added(frequency, window: window)

        #expect(schedule.contains("    recurrence: \(recurrence)\n    slots:\n      - \(slot)\n"))
        #expect(schedule.contains("offset_days: 1") == (frequency == .once && window != nil))
    }

    @Test func `an entry without a schedule is added to any_time`() throws {
        let (study, schedule, result) = try added(.anyTime)

        #expect(study.contains("any_time: [sleep]                # entries\n"))
        #expect(schedule == Self.schedule)
        #expect(result.schedule == .added)
    }

    @Test func `another version replaces the one of the study, and the schedule stays`() throws {
        let (study, schedule, result) = try added(.daily, code: "day_mood", version: "2.0.0")

        #expect(study == Self.study.replacing("version: 1.0.0}", with: "version: 2.0.0}"))
        #expect(schedule == Self.schedule)
        #expect(result.reference == .changed && result.schedule == .unchanged)
    }

    @Test func `a questionnaire that the study already has changes nothing`() throws {
        let first = try added(.anyTime)
        let (study, schedule, result) = try added(.anyTime, study: first.study)

        #expect(study == first.study && schedule == first.schedule)
        #expect(result.reference == .unchanged && result.schedule == .unchanged)
    }

    @Test func `the schedule gets a free id, and a blank line if the others have one`() throws {
        let others = """
            schedules:
              - {id: sleep, questionnaire: x, recurrence: once, slots: []}

              # The second.
              - {id: sleep_2, questionnaire: y, recurrence: once, slots: []}
            """
        let (_, schedule, _) = try added(.daily, schedule: others)

        #expect(schedule.hasPrefix(others + "\n\n  - id: sleep_3\n    questionnaire: sleep\n"))
    }

    /// Lists of questionnaires in other layouts, and the lines after the addition.
    @Test(arguments: [
        ("questionnaires: []\ndays: 1\n", "questionnaires: [NEW]\ndays: 1\n"),
        ("questionnaires:\ndays: 1\n", "questionnaires:\n  - NEW\ndays: 1\n"),
        ("days: 1\n", "days: 1\nquestionnaires: [NEW]\n"),
        ("days: 1", "days: 1\nquestionnaires: [NEW]\n"),
        (
            "questionnaires:\n- {code: a, version: 1.0.0}\ndays: 1\n",
            "questionnaires:\n- {code: a, version: 1.0.0}\n- NEW\ndays: 1\n"
        ),
        (
            "days: 1\nquestionnaires:\n  - code: a\n    version: 1.0.0\n    # deep\n\n# end",
            "days: 1\nquestionnaires:\n  - code: a\n    version: 1.0.0\n    # deep\n  - NEW\n\n# end"
        ),
        (
            "questionnaires: [{code: a, version: 1.0.0}]   # ] all\ndays: 1\n",
            "questionnaires: [{code: a, version: 1.0.0}, NEW]   # ] all\ndays: 1\n"
        ),
        (
            "questionnaires: [\n  {code: a, version: '1.0.0'}, # ], it's\n  {\"code\":\"b]\", version: don't}, # b\n]\ndays: 1\n",
            "questionnaires: [\n  {code: a, version: '1.0.0'}, # ], it's\n  {\"code\":\"b]\", version: don't}, NEW # b\n]\ndays: 1\n"
        ),
        (
            "days: 1\r\nquestionnaires:\r\n  - {code: ä, version: 1.0.0}\r\n",
            "days: 1\r\nquestionnaires:\r\n  - {code: ä, version: 1.0.0}\r\n  - NEW\r\n"
        ),
    ])
    func `lists of every layout are extended`(before: String, after: String) throws {
        let (study, _, _) = try added(.daily, study: before)

        #expect(study == after.replacing("NEW", with: "{code: sleep, version: 1.0.0}"))
    }

    @Test(arguments: [
        (
            "{questionnaires: [], days: 1}",
            "study.yaml:1: \"questionnaires\" cannot be extended automatically"
        ),
        (
            "days: 1\nquestionnaires: none\n",
            "study.yaml:2: \"questionnaires\" cannot be extended automatically; "
                + "add the element {code: sleep, version: 1.0.0}"
        ),
        ("questionnaires: []\ndays: many\n", "study.yaml:2: the schedule needs \"days\""),
        ("questionnaires: [\n", "study.yaml:2: "),
        // The parser ends lines at these characters, so its lines are not those of the text.
        (
            "questionnaires:\n- {code: a, version: 1.0.0}\n\u{2028}\u{2028}\u{2028}\u{2028}days: 1",
            "study.yaml:1: \"questionnaires\" cannot be extended automatically"
        ),
    ])
    func `a file that cannot be extended is a fault with its line`(study: String, fault: String) {
        let error = #expect(throws: PackFaults.self) { try added(.daily, study: study) }

        #expect(error?.list.first?.description.hasPrefix(Self.folder + fault) == true, "\(error as Any)")
    }

    @Test func `a study without a schedule file gets one`() throws {
        let (_, schedule, _) = try added(.weekly, schedule: nil)

        #expect(schedule.hasPrefix("schedules:\n  - id: sleep\n"))
    }
}
