import Foundation
import SaunterCore
import Testing

@Suite struct `saunter new` {
    @Test func `the study has no faults, and existing files are not overwritten`() async throws {
        let folder = try TestFolder()
        let packs = "\(folder.path)/packs"

        let first = try await CommandRun.saunter(["new", packs, "--study", "sleep-diary"])
        let check = try await CommandRun.saunter(["check", packs, "--json"])
        let second = try await CommandRun.saunter(["new", packs, "--study", "sleep-diary"])

        #expect(first.status == 0)
        #expect(first.lines.contains("\(packs)/studies/sleep-diary/study.yaml"))
        let report = try JSONReader.read(check.output)
        #expect(report["studies"] == 1 && report["instruments"] == 1 && report["faults"] == [])
        #expect(second.status == 1)
        #expect(second.errors.contains("already exists; nothing was written"))
        withExtendedLifetime(folder) {}
    }

    @Test func `the files are the example of the documentation`() async throws {
        let folder = try TestFolder()
        let guide = try String(
            contentsOfFile: "\(SourceTree.path)/Questionnaires/README.md", encoding: .utf8)

        let run = try await CommandRun.saunter(["new", folder.path])

        #expect(run.lines.count == 9)
        for path in run.lines {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            #expect(guide.contains(text), "\(path)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test(arguments: ["Sleep", "1st", "a_b", ""])
    func `a code that no study can have is wrong usage`(code: String) async throws {
        let run = try await CommandRun.saunter(["new", "x", "--study", code])

        #expect(run.status == 2)
    }
}

@Suite struct `saunter print` {
    private static let instruments = "\(SourceTree.path)/Questionnaires/instruments"

    /// The items of a questionnaire.yaml by name, with the number of their options. Reads the text of the file, so
    /// that nothing of the tested program is used.
    private static func items(_ folder: String) throws -> [(id: String, options: Int)] {
        let text = try String(contentsOfFile: "\(folder)/questionnaire.yaml", encoding: .utf8)
        var sets: [Substring: Int] = [:]
        for match in text.matches(of: /(?m)^  ([a-z_]+): \[(.*)\]$/) {
            sets[match.1] = match.2.split(separator: ",").count
        }
        return text.split(separator: "\n").compactMap { line in
            guard let item = line.firstMatch(of: /linkId: ([a-z0-9_]+)/) else { return nil }
            let set = line.firstMatch(of: /answerOption: \{set: ([a-z_]+)\}/)
            return (String(item.1), set.map { sets[$0.1] ?? -1 } ?? 0)
        }
    }

    @Test(arguments: ["phq_9", "pss_10"])
    func `the page has every item and option of a questionnaire, and loads nothing`(code: String) async throws
    {
        let folder = "\(Self.instruments)/\(code)/1.0.0"
        let items = try Self.items(folder)

        let run = try await CommandRun.saunter(["print", folder])

        #expect(run.status == 0)
        #expect(items.count >= 9 && items.contains { $0.options > 1 })
        let parts = run.output.split(separator: "<div class=\"item\">").dropFirst()
        #expect(parts.count == items.count)
        for (item, part) in zip(items, parts) {
            #expect(part.contains("<span class=\"id\">\(item.id)</span>"), "\(item.id)")
            // The scores follow the last item.
            let own = part.split(separator: "<h2>")[0]
            #expect(own.ranges(of: "<li>○ ").count == item.options, "\(item.id)")
        }
        #expect(run.output.hasPrefix("<!DOCTYPE html>"))
        #expect(!run.output.contains("src=") && !run.output.contains("href="))
    }

    @Test(arguments: [
        ("en", ["○ yes</li>", "○ no</li>", "shown if q1 = yes", "required", "<h2>Scores</h2>"]),
        ("de", ["○ ja</li>", "○ nein</li>", "nur wenn q1 = ja", "Pflichtangabe", "<h2>Skalen</h2>"]),
    ])
    func `the words beside the texts are in the language of the page`(language: String, words: [String])
        async throws
    {
        let folder = try TestFolder()
        let instrument = "\(folder.path)/instruments/rest/1.0.0"
        try FileManager.default.createDirectory(atPath: instrument, withIntermediateDirectories: true)
        let files = [
            "questionnaire.yaml": """
            code: rest
            version: 1.0.0
            languages: [de, en]
            minutes: 1
            copyright: Somewhere
            license: Apache-2.0
            item:
              - {linkId: q1, type: boolean, required: true}
              - linkId: q2
                type: integer
                minValue: 0
                maxValue: 10
                enableWhen:
                  - {question: q1, operator: "=", answer: true}

            """,
            "text.en.yaml": "title: Rest\nitems: {q1: Slept, q2: Hours}\nscales: {hours: Hours}\n",
            "text.de.yaml": "title: Ruhe\nitems: {q1: Geschlafen, q2: Stunden}\nscales: {hours: Stunden}\n",
            "scoring.yaml": """
            version: 1.0.0
            scales:
              - {id: hours, items: [q2], method: sum}

            """,
        ]
        for (name, text) in files {
            try text.write(toFile: "\(instrument)/\(name)", atomically: true, encoding: .utf8)
        }

        let run = try await CommandRun.saunter(["print", instrument, "--language", language])

        #expect(run.status == 0, "\(run.errors)")
        for word in words { #expect(run.output.contains(word), "\(word)") }
        withExtendedLifetime(folder) {}
    }

    @Test func `the page has the help text and the end labels of an item`() async throws {
        let folder = try TestFolder()
        let copy = "\(folder.path)/instruments/mood_vas/1.0.0"
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/instruments/mood_vas", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(Self.instruments)/mood_vas/1.0.0", toPath: copy)
        for language in ["de", "en"] {
            let path = "\(copy)/text.\(language).yaml"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let more = """
                help:
                  mood: Think of <this> moment.
                anchors:
                  mood: {minimum: very bad, maximum: very good}

                """
            try (text + more).write(toFile: path, atomically: true, encoding: .utf8)
        }

        let run = try await CommandRun.saunter(["print", copy, "--language", "en"])

        #expect(run.status == 0, "\(run.errors)")
        for text in ["Think of &lt;this&gt; moment.", "minimum: very bad", "maximum: very good"] {
            #expect(run.output.contains(text), "\(text)")
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `the page of a study has all its questionnaires`() async throws {
        let run = try await CommandRun.saunter(["print", SourceTree.study, "--language", "de"])

        #expect(run.status == 0)
        #expect(run.output.matches(of: /<section lang="de">/).count == 6)
    }

    @Test func `an unknown language ends with the known ones`() async throws {
        let run = try await CommandRun.saunter(["print", SourceTree.study, "--language", "xx"])

        #expect(run.status == 1)
        #expect(run.errors.contains("it has de, en"))
    }
}
