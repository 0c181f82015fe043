import Testing

@testable import SaunterPacks

@Suite struct BrokenStudyTests {
    private static let folder = "studies/mindful-walking/"

    @Test(arguments: study + schedule + content)
    func `a broken file is reported with its line and the fault`(breakage: Breakage) throws {
        let files = try RealPacks.study()
            .replacing(breakage.passage, with: breakage.other, in: Self.folder + breakage.file)

        let found = breakage.found(in: Self.folder) { () throws(PackFaults) in
            _ = try StudyPack.read(files, study: "mindful-walking")
        }

        #expect(found == breakage.faults)
    }

    @Test func `faults of several files are reported together, in order`() throws {
        let files = try RealPacks.study()
            .replacing("days: 35", with: "days: many", in: Self.folder + "study.yaml")
            .replacing("due_after: 5h", with: "due_after: 5", in: Self.folder + "schedule.yaml")
            .replacing("minutes: 4", with: "minute: 4", in: "instruments/maas/1.0.0/questionnaire.yaml")
            .setting(Self.folder + "content/consent.de.md", nil)

        let faults = #expect(throws: PackFaults.self) { try StudyPack.read(files, study: "mindful-walking") }

        #expect(
            faults?.list.map(\.description) == [
                "instruments/maas/1.0.0/questionnaire.yaml:5: \"minute\" is not a key of questionnaire.yaml; "
                    + "did you mean \"minutes\"?",
                "studies/mindful-walking/content/consent.de.md:1: the file is missing",
                "studies/mindful-walking/schedule.yaml:8: expected a duration such as 2d, 5h or 30m, found \"5\"",
                "studies/mindful-walking/study.yaml:9: expected a whole number, found a text",
            ])
    }

    @Test(arguments: ["", "..", "../../etc", "Mindful", "a/b", "-a", String(repeating: "a", count: 41)])
    func `a code that could leave the folder is rejected`(code: String) {
        #expect(throws: PackFaults.self) { try StudyPack.read(PackFiles(files: [:]), study: code) }
    }

    private static let study = [
        Breakage(
            "study.yaml", "licences:\n", "dataset: {license: {name: CC BY 4.0}}\nlicences:\n",
            "study.yaml:31: expected the identifier of a licence such as CC-BY-4.0, found \"CC BY 4.0\""),
        Breakage(
            "study.yaml", "licences:\n",
            "dataset:\n  contributors:\n    - {name: A, email: a.org}\n    - {name: B, url: b.org}\n    - {roles: []}\nlicences:\n",
            "study.yaml:33: expected a mail address such as ada@example.org, found \"a.org\"",
            "study.yaml:34: expected an address such as https://example.org, found \"b.org\"",
            "study.yaml:35: \"name\" is missing"),
        Breakage(
            "study.yaml", "zone: Europe/Berlin", "zone: GMT+2",
            "study.yaml:7: expected a time zone such as Europe/Berlin, found \"GMT+2\""),
        Breakage(
            "study.yaml", "{code: pss_10, version: 1.0.0}", "{code: pss_10, version: 1.1.0}",
            "study.yaml:18: there is no instrument instruments/pss_10/1.1.0"),
        Breakage(
            "study.yaml", "{code: pss_10, version: 1.0.0}", "{code: ../../secrets, version: 1.0.0}",
            "study.yaml:18: \"../../secrets\" is not an instrument code: lower-case letters, digits and _"),
        Breakage(
            "study.yaml", "{code: pss_10, version: 1.0.0}", "{code: pss_10, version: ../1.0}",
            "study.yaml:18: expected a version such as 1.0.0, found a text"),
        Breakage(
            "study.yaml", "{minimum: 5, maximum: 50}", "{minimum: 50, maximum: 5}",
            "study.yaml:24: the minimum exceeds the maximum"),
        Breakage(
            "study.yaml", "at: \"18:00\"", "at: 6pm",
            "study.yaml:29: expected a time such as \"17:00\", found \"6pm\""),
        Breakage("study.yaml", "open_enrolment: true\n", "", "study.yaml:2: \"open_enrolment\" is missing"),
        Breakage(
            "study.yaml", "  - {code: control, ratio: 1}", "  - control",
            "study.yaml:12: an arm must be a mapping, not a text"),
    ]

    private static let schedule = [
        Breakage(
            "schedule.yaml", "anchor: walk", "anchor: run",
            "schedule.yaml:13: expected enrolment, walk or {study_date: …}, {completion: …}, {first_completion: …}, {event: …}, {phase: …}, found \"run\""
        ),
        Breakage(
            "schedule.yaml", "{every: {days: 1, until_day: 27}}", "daily",
            "schedule.yaml:6: expected once or {every: …}, {weekly: …}, {monthly: …}, {cycle: …}, found \"daily\""
        ),
        Breakage(
            "schedule.yaml", "until_day: 27", "until: 27",
            "schedule.yaml:6: \"until\" is not a key of every", "schedule.yaml:6: \"until_day\" is missing"),
        Breakage(
            "schedule.yaml", "open: \"17:00\"", "open: \"25:00\"",
            "schedule.yaml:8: expected a time such as \"17:00\", found \"25:00\""),
        Breakage(
            "schedule.yaml", "recurrence: {every: {days: 1, until_day: 27}}",
            "recurrence:\n      every:\n        days: 1\n        until_day: 99",
            "schedule.yaml:9: The study ends on day 35."),
        Breakage(
            "schedule.yaml", "- {open: \"17:00\", due_after: 5h, close_after: 11h}",
            "- open:\n          random:\n            from: \"10:00\"\n            to: \"20:00\"\n            count: 3\n"
                + "            minimum_gap: 1h\n        due_after: 1h\n        close_after: 2h",
            "schedule.yaml:13: Random windows could overlap. The gap must be at least as long as the window."),
        Breakage("schedule.yaml", "questionnaire: who_5", "questionnaire: who_6", "schedule.yaml:29: *"),
        Breakage("schedule.yaml", "close_after: 11h", "close_after: 1h", "schedule.yaml:8: *"),
    ]

    private static let content = [
        Breakage(
            "content/text.de.yaml", "Guten Tag {{name}}", "Guten Tag {{surname}}",
            "content/text.de.yaml:25: *"),
        Breakage(
            "content/text.de.yaml", "subject: \"{{study}}: ", "subject: \"{{study}}:\\n",
            "content/text.de.yaml:24: a subject is a single line"),
        Breakage(
            "content/course.en.yaml", "steps:", "step:",
            "content/course.en.yaml:1: \"step\" is not a key of a course of study; did you mean \"steps\"?",
            "content/course.en.yaml:1: \"steps\" is missing"),
        Breakage("content/text.en.yaml", "  control:", "  controll:", "content/text.en.yaml:20: *"),
        Breakage(
            "content/text.en.yaml", "title: Mindful walking", "title: 2026",
            "content/text.en.yaml:1: expected a text, found a whole number; put it in quotes"),
    ]
}
