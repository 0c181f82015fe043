import Foundation
import Testing

@Suite struct `saunter import` {
    private func form(_ folder: TestFolder, _ name: String) throws -> String {
        try folder.file("\(name).csv", "survey,,,\n,type,name,label\n,text,q,Question?\n")
    }

    @Test(arguments: [false, true])
    func `a name collision stops no other file, and the summary is complete`(isJSON: Bool) async throws {
        let folder = try TestFolder()
        let files = try ["one", "two", "three"].map { try form(folder, $0) }
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/out/instruments/two/1.0.0", withIntermediateDirectories: true)

        let run = try await CommandRun.saunter(
            ["import", "--from", "xlsform"] + files + ["--out", "\(folder.path)/out"]
                + (isJSON ? ["--json"] : []))
        let written = try ["one", "two", "three"].filter {
            try FileManager.default.contentsOfDirectory(
                atPath: "\(folder.path)/out/instruments/\($0)/1.0.0"
            ).contains("questionnaire.yaml")
        }

        #expect(run.status == 1)
        #expect(written == ["one", "three"])
        if isJSON {
            #expect(run.output.contains(#""files":3"#) && run.output.contains(#""refused":1"#))
            #expect(run.output.contains("instruments/two/1.0.0 already exists; nothing was overwritten"))
        } else {
            #expect(run.lines.last == "3 files: 2 questionnaires imported, 1 refused")
        }
    }

    @Test func `two files with one name collide also without --out`() async throws {
        let (first, second) = (try TestFolder(), try TestFolder())
        let files = [try form(first, "one"), try form(second, "one")]

        let run = try await CommandRun.saunter(["import", "--from", "xlsform"] + files)
        withExtendedLifetime((first, second)) {}

        #expect(run.status == 1)
        #expect(
            run.output.contains(
                "refused: an earlier questionnaire of this import has the same folder instruments/one/1.0.0"))
        #expect(run.lines.last == "2 files: 1 questionnaire imported, 1 refused")
    }
}
