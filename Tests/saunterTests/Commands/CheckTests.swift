import Foundation
import Testing

@Suite struct `saunter check` {
    @Test func `the shipped packs have no faults`() async throws {
        let run = try await CommandRun.saunter(["check", "Questionnaires"], in: SourceTree.path)

        #expect(run.status == 0)
        #expect(run.lines.last?.hasSuffix(": no faults") == true)
    }

    @Test func `every fault is reported with file and line, and the status is 1`() async throws {
        let folder = try TestFolder()
        try FileManager.default.copyItem(
            atPath: "\(SourceTree.path)/Questionnaires", toPath: "\(folder.path)/packs")
        let file = "\(folder.path)/packs/instruments/who_5/1.0.0/questionnaire.yaml"
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let broken = text.replacingOccurrences(
            of: "type: choice, required: true, answerOption: {set: share}}", with: "type: chioce}")
        try broken.write(toFile: file, atomically: true, encoding: .utf8)

        let run = try await CommandRun.saunter(["check", "packs"], in: folder.path)
        withExtendedLifetime(folder) {}

        let expected = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex {
            $0.contains("linkId: q1")
        }.map { $0 + 1 }
        #expect(run.status == 1)
        #expect(run.output.contains("packs/instruments/who_5/1.0.0/questionnaire.yaml:\(expected ?? 0): "))
        #expect(run.output.components(separatedBy: "chioce").count > 5)
    }

    @Test func `with --json the faults are printed as JSON`() async throws {
        let run = try await CommandRun.saunter(["check", "--json", "nowhere"])

        #expect(run.status == 1)
        #expect(run.output.contains(#""faults":[{"file":"nowhere","line":1,"#))
    }
}
