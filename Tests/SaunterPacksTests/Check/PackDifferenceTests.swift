import Testing

@testable import SaunterPacks

/// The difference between two states of a study's files.
@Suite struct PackDifferenceTests {
    private static let who5 = "instruments/who_5/1.0.0/"
    private static let study = "studies/mindful-walking/"

    private static func lines(_ difference: PackDifference) -> [String] {
        difference.groups.flatMap { group in
            group.changes.map { change in
                "\(group.kind.rawValue) \(change.what.rawValue) \(change.place): "
                    + "\(change.before ?? "-") > \(change.after ?? "-")"
            }
        }
    }

    private static func changes(
        _ change: (PackFiles) throws -> PackFiles
    ) throws -> [String] {
        let before = try RealPacks.study()
        return lines(PackDifference(from: before, to: try change(before), study: "mindful-walking"))
    }

    @Test func `the same files have no difference`() throws {
        let files = try RealPacks.study()
        let difference = PackDifference(from: files, to: files, study: "mindful-walking")

        #expect(difference.isEmpty && difference.groups.isEmpty)
    }

    @Test func `many changed files share a limit of lines, and all are named`() {
        let text = (0..<1500).map { "line \($0)\n" }.joined()
        let paths = (0..<30).map { Self.study + "content/note\($0).md" }
        let difference = PackDifference(
            from: PackFiles(files: [:]),
            to: PackFiles(files: Dictionary(uniqueKeysWithValues: paths.map { ($0, text) })),
            study: "mindful-walking")

        #expect(difference.files.map(\.path) == paths.sorted())
        #expect(difference.files.reduce(0) { $0 + $1.lines.lines.count } == PackDifference.maximumLines)
        #expect(difference.files.count { $0.lines.isComplete } == 13)
    }

    @Test func `each kind of file has its own group and places`() throws {
        #expect(
            try Self.changes {
                try $0.replacing(
                    "My mood was bright.", with: "My mood was good.", in: Self.who5 + "text.en.yaml"
                )
                .replacing("open: \"17:00\"", with: "open: \"18:00\"", in: Self.study + "schedule.yaml")
                .replacing("factor: 4", with: "factor: 5", in: Self.who5 + "scoring.yaml")
                .replacing("days: 35", with: "days: 40", in: Self.study + "study.yaml")
                .replacing(
                    "{linkId: q5, type: choice, required: true",
                    with: "{linkId: q5, type: choice, required: false",
                    in: Self.who5 + "questionnaire.yaml")
            } == [
                "item changed who_5 › q5 › required: true > false",
                "text changed who_5 › q1 › text (en): My mood was bright. > My mood was good.",
                "schedule changed daily › slots › 1 › open: 17:00 > 18:00",
                "scoring changed who_5 › wellbeing › factor: 4 > 5",
                "study changed days: 35 > 40",
            ])
    }

    @Test func `an added item, a removed schedule and another order are one change each`() throws {
        #expect(
            try Self.changes {
                try $0.replacing(
                    "  - {linkId: q1, type: choice, required: true, answerOption: {set: share}}\n"
                        + "  - {linkId: q2, type: choice, required: true, answerOption: {set: share}}\n",
                    with: "  - {linkId: q2, type: choice, required: true, answerOption: {set: share}}\n"
                        + "  - {linkId: q1, type: choice, required: true, answerOption: {set: share}}\n"
                        + "  - {linkId: new, type: boolean}\n",
                    in: Self.who5 + "questionnaire.yaml"
                ).replacing(
                    "  - id: final_usability\n    questionnaire: sus\n    offset_days: 28\n    recurrence: once\n"
                        + "    slots: [{open: \"00:00\", due_after: 3d, close_after: 7d}]\n",
                    with: "", in: Self.study + "schedule.yaml")
            } == [
                "item added who_5 › new: - > linkId: new, type: boolean",
                "item changed who_5 › order: intro, q1, q2, q3, q4, q5 > intro, q2, q1, q3, q4, q5",
                "schedule removed final_usability: id: final_usability, questionnaire: sus, offset_days: 28, "
                    + "recurrence: once, slots: [{open: 00:00, due_after: 3d, close_after: 7d}] > -",
            ])
    }

    @Test func `a comment is only a changed line`() throws {
        let before = try RealPacks.study()
        let after = try before.replacing("# In the order", with: "# The order", in: Self.study + "study.yaml")
        let difference = PackDifference(from: before, to: after, study: "mindful-walking")

        #expect(difference.groups.isEmpty && difference.files.map(\.path) == [Self.study + "study.yaml"])
        #expect(difference.files[0].lines.counts.added == 1)
    }

    @Test func `files of another version of a questionnaire are compared with the former ones`() throws {
        let before = try RealPacks.study()
        var files = before.files
        for path in files.keys where path.hasPrefix(Self.who5) {
            files["instruments/who_5/1.1.0/" + path.dropFirst(Self.who5.count)] = files.removeValue(
                forKey: path)
        }
        let after = try PackFiles(files: files)
            .replacing(
                "version: 1.0.0", with: "version: 1.1.0", in: "instruments/who_5/1.1.0/questionnaire.yaml"
            )
            .replacing(
                "code: who_5, version: 1.0.0", with: "code: who_5, version: 1.1.0",
                in: Self.study + "study.yaml")
        let difference = PackDifference(from: before, to: after, study: "mindful-walking")

        #expect(
            Self.lines(difference) == [
                "item changed who_5 › version: 1.0.0 > 1.1.0",
                "study changed questionnaires › who_5 › version: 1.0.0 > 1.1.0",
            ])
        #expect(difference.files.contains { $0.pathBefore == Self.who5 + "questionnaire.yaml" })
    }

    @Test func `a file that cannot be read is one change, and its lines are compared`() throws {
        let before = try RealPacks.study()
        let after = before.setting(Self.study + "schedule.yaml", "schedules: [")
        let difference = PackDifference(from: before, to: after, study: "mindful-walking")

        #expect(Self.lines(difference) == ["schedule changed schedule.yaml: - > -"])
        #expect(difference.files[0].lines.counts.added == 1)
    }

    @Test func `a new study, texts and media`() throws {
        let files = try RealPacks.study()
        let difference = PackDifference(
            from: PackFiles(files: [:]), to: files, study: "mindful-walking")

        #expect(difference.files.count == files.files.count)
        #expect(difference.groups.flatMap(\.changes).allSatisfy { $0.what == .added })
        let icon = try #require(difference.files.first { $0.path == Self.study + "media/icon.png" })
        #expect(icon.lines.lines.isEmpty)
        #expect(Self.lines(difference).contains("text added consent (en): - > -"))
    }

    @Test func `hostile lists are compared with bounded output`() {
        let list = { (sign: String) in
            "rules:\n" + (0..<20_000).map { "  - {code: r\($0), when: \"\(sign)\"}" }.joined(separator: "\n")
        }
        let path = Self.study + "rules.yaml"
        let difference = PackDifference(
            from: PackFiles(files: [path: list("a")]), to: PackFiles(files: [path: list("b")]),
            study: "mindful-walking")

        #expect(difference.groups.map(\.changes.count) == [500])
        #expect(difference.groups.map(\.leftOut) == [19_500])
        #expect(difference.files[0].lines.lines.count <= 3000)
    }
}

/// Journeys (programmes) in a difference.
@Suite struct JourneyDifferenceTests {
    private static let library = "studies/ego/library/"

    private static func files(_ programmes: String?, _ words: String? = nil) -> PackFiles {
        var files = ["studies/ego/study.yaml": "code: ego\nlanguages: [en]\n"]
        files[library + "programmes.yaml"] = programmes
        files[library + "programmes.en.yaml"] = words
        return PackFiles(files: files)
    }

    private static func lines(_ before: PackFiles, _ after: PackFiles) -> [String] {
        PackDifference(from: before, to: after, study: "ego").groups.flatMap { group in
            group.changes.map {
                "\(group.kind.rawValue) \($0.what.rawValue) \($0.place): \($0.before ?? "-") > \($0.after ?? "-")"
            }
        }
    }

    @Test func `journeys and their order have names`() {
        let words = "a: {title: First}\nb: {title: Second}\n"
        let before = Self.files(
            "programmes:\n  - {code: a, modules: [x, y]}\n  - {code: b, modules: [z]}\n", words)
        let after = Self.files(
            "programmes:\n  - {code: b, modules: [z], withdrawn: true}\n  - {code: a, modules: [y, x]}\n",
            "a: {title: The first}\nb: {title: Second}\n")

        #expect(
            Set(Self.lines(before, after)) == [
                "library changed journey “The first” › title (en): First > The first",
                "library added journey “Second” › withdrawn: - > true",
                "library changed journey “The first” › practices: x, y > y, x",
                "library changed order of the journeys: “The first”, “Second” > “Second”, “The first”",
            ])
    }

    @Test func `a first journey is an added journey, not an added file`() {
        let lines = Self.lines(
            Self.files(nil), Self.files("programmes: [{code: a, modules: [x]}]\n", "a: {title: First}\n"))

        #expect(
            lines.count == 2 && lines.allSatisfy { $0.hasPrefix("library added journey “First”") }, "\(lines)"
        )
    }
}
