import Testing

@testable import SaunterPacks

/// Violated rules of a study are reported together with the parts that could not be read.
@Suite struct UnreadablePartsTests {
    private static let folder = "studies/mindful-walking/"

    /// After each of these changes, a part cannot be read.
    static let unreadable = [
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
        Change("study.yaml", "concealed: true", "concealed: true, blinded: perhaps"),
    ]

    /// After each of these changes, all parts can be read, but a rule is violated.
    static let violation = [
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

    @Test(arguments: unreadable, violation)
    func `an unreadable part causes no faults of other parts`(
        unreadable: Change, violation: Change
    )
        throws
    {
        guard let both = try Self.faults([unreadable, violation]) else { return }
        let unreadableFaults = try Self.faults(of: unreadable)
        let violationFaults = try Self.faults(of: violation)

        #expect(!unreadableFaults.isEmpty && !violationFaults.isEmpty)
        #expect(Set(both).subtracting(unreadableFaults + violationFaults).isEmpty, "\(both)")
        #expect(Set(unreadableFaults).isSubset(of: both), "\(both)")
    }

    @Test(arguments: [
        (unreadable[0], violation[0]), (unreadable[0], violation[3]), (unreadable[1], violation[4]),
        (unreadable[2], violation[6]), (unreadable[3], violation[7]), (unreadable[4], violation[3]),
        (unreadable[4], violation[7]), (unreadable[5], violation[3]), (unreadable[6], violation[7]),
        (unreadable[8], violation[3]), (unreadable[9], violation[7]), (unreadable[10], violation[1]),
        (unreadable[11], violation[5]), (unreadable[11], violation[7]), (unreadable[12], violation[3]),
        (unreadable[13], violation[4]), (unreadable[14], violation[7]), (unreadable[15], violation[3]),
        (unreadable[15], violation[5]), (unreadable[16], violation[3]),
    ])
    func `unreadable parts and violated rules are reported in one run`(unreadable: Change, violation: Change)
        throws
    {
        let alone = try Self.faults(of: unreadable) + Self.faults(of: violation)

        let both = try Self.faults([unreadable, violation])

        #expect(Set(both ?? []) == Set(alone))
    }

    @Test func `the windows of an incompletely read schedule are not checked`() throws {
        let found = try Self.faults([
            Change("schedule.yaml", "due_after: 5h, close_after: 11h", "due_after: 5, close_after: 25h"),
            Self.violation[7],
        ])

        #expect(found?.count == 2, "\(String(describing: found))")
        #expect(found?.contains { $0.contains("overlaps") } == true)
    }

    private static func faults(of change: Change) throws -> [String] {
        let found = try faults([change])
        return try #require(found)
    }

    /// Files, lines and messages. Nil if one change removes the passage that the other change replaces.
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
