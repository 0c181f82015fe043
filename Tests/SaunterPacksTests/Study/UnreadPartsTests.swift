import Testing

@testable import SaunterPacks

/// What is wrong with the meaning of a study is told beside what could not be read of it.
@Suite struct UnreadPartsTests {
    private static let folder = "studies/mindful-walking/"

    /// After each of these something could not be read.
    static let form = [
        Change("study.yaml", "consent_version: 1.0.0", "consent_version: 1"),
        Change("study.yaml", "open_enrolment: true", "open_enrolment: perhaps"),
        Change("study.yaml", "languages: [de, en]", "languages: none"),
        Change("study.yaml", "zone: Europe/Berlin", "zone: GMT+2"),
        Change("study.yaml", "days: 35", "days: many"),
        Change("study.yaml", "  - {code: control, ratio: 1}", "  - control"),
        Change("study.yaml", "concealed: true", "concealed: perhaps"),
        Change("study.yaml", "allocation:", "# allocation:"),
        Change("study.yaml", "{code: sus, version: 1.0.0}", "{code: sus, version: 9.0.0}"),
        Change("study.yaml", "requires_calibration: true", "requires_calibration: perhaps"),
        Change("study.yaml", "quiet_to: \"08:00\"", "quiet_to: morning"),
        Change("schedule.yaml", "id: daily", "id: 1"),
        Change("schedule.yaml", "  - id: after_walk", "  - after_walk: yes"),
        Change("schedule.yaml", "questionnaire: maas", "questionnaire: [maas]"),
        Change("schedule.yaml", "close_after: 12h", "close_after: 12"),
        Change("schedule.yaml", "reminded: false", "reminded: perhaps"),
        Change("content/text.de.yaml", "title: Achtsames Gehen", "title: 5"),
    ]

    /// All can be read, but it cannot mean anything.
    static let meaning = [
        Change("study.yaml", "block_sizes: [4, 6]", "block_sizes: [4, 5]"),
        Change("study.yaml", "target_feedback_arms: [experimental]", "target_feedback_arms: [exp]"),
        Change("study.yaml", "at: \"18:00\"", "at: \"23:00\""),
        Change("schedule.yaml", "close_after: 11h", "close_after: 25h"),
        Change("schedule.yaml", "questionnaire: who_5", "questionnaire: who_6"),
        Change("schedule.yaml", "due_after: 2h, close_after: 12h", "due_after: 20h, close_after: 12h"),
        Change(
            "schedule.yaml", "    questionnaire: sus\n    offset_days: 28",
            "    questionnaire: sus\n    offset_days: -1"),
        Change(
            "schedule.yaml", "    questionnaire: pss_10\n    offset_days: 28",
            "    questionnaire: pss_10\n    offset_days: 5"),
    ]

    @Test(arguments: form, meaning)
    func `what could not be read adds no fault to those that each has alone`(form: Change, meaning: Change)
        throws
    {
        guard let both = try Self.faults([form, meaning]) else { return }
        let ofForm = try Self.told(form)
        let ofMeaning = try Self.told(meaning)

        #expect(!ofForm.isEmpty && !ofMeaning.isEmpty)
        #expect(Set(both).subtracting(ofForm + ofMeaning).isEmpty, "\(both)")
        #expect(Set(ofForm).isSubset(of: both), "\(both)")
    }

    @Test(arguments: [
        (form[0], meaning[0]), (form[0], meaning[3]), (form[1], meaning[4]), (form[2], meaning[6]),
        (form[3], meaning[7]), (form[4], meaning[3]), (form[4], meaning[7]), (form[5], meaning[3]),
        (form[6], meaning[7]), (form[8], meaning[3]), (form[9], meaning[7]), (form[10], meaning[1]),
        (form[11], meaning[5]), (form[11], meaning[7]), (form[12], meaning[3]), (form[13], meaning[4]),
        (form[14], meaning[7]), (form[15], meaning[3]), (form[15], meaning[5]), (form[16], meaning[3]),
    ])
    func `faults of form and of meaning are told in one run`(form: Change, meaning: Change) throws {
        let alone = try Self.told(form) + Self.told(meaning)

        let both = try Self.faults([form, meaning])

        #expect(Set(both ?? []) == Set(alone))
    }

    @Test func `the windows of what was not read in full are compared with nothing`() throws {
        let found = try Self.faults([
            Change("schedule.yaml", "due_after: 5h, close_after: 11h", "due_after: 5, close_after: 25h"),
            Self.meaning[7],
        ])

        #expect(found?.count == 2, "\(String(describing: found))")
        #expect(found?.contains { $0.contains("overlaps") } == true)
    }

    private static func told(_ change: Change) throws -> [String] {
        let found = try faults([change])
        return try #require(found)
    }

    /// Files, lines and words; nil where one change takes away what the other is made to.
    private static func faults(_ changes: [Change]) throws -> [String]? {
        var files = try RealPacks.study()
        for change in changes {
            guard files.files[folder + change.file]?.contains(change.passage) == true else { return nil }
            files = try files.replacing(change.passage, with: change.other, in: folder + change.file)
        }
        do throws(PackFaults) {
            _ = try StudyPack.read(files, study: "mindful-walking")
            return []
        } catch {
            return error.list.map { "\($0.file):\($0.line) \($0.message)" }
        }
    }
}
