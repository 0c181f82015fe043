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

    @Test func `the page has every item and option of a questionnaire, and loads nothing`() async throws {
        let folder = "\(Self.instruments)/phq_9/1.0.0"
        let questionnaire = try await CommandRun.saunter(["convert", "--to", "fhir", folder])
        let ids = (try JSONReader.read(questionnaire.output)["item"]?.array ?? [])
            .compactMap { $0["linkId"]?.string }

        let run = try await CommandRun.saunter(["print", folder])

        #expect(run.status == 0)
        #expect(ids.count >= 9)
        for id in ids {
            #expect(run.output.contains("<span class=\"id\">\(id)</span>") || run.output.contains("<h2>"))
        }
        #expect(run.output.hasPrefix("<!DOCTYPE html>"))
        #expect(!run.output.contains("src=") && !run.output.contains("href="))
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
