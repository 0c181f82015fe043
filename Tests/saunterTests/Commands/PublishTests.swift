import Foundation
import Testing

@Suite struct `saunter publish` {
    @Test func `publishing the same pack again changes nothing, and a changed pack needs a new version`()
        async throws
    {
        try await CommandDatabase.with { database in
            let packs = "\(database.folder.path)/packs"
            let study = "\(packs)/studies/mindful-walking"
            try FileManager.default.copyItem(atPath: "\(SourceTree.path)/Questionnaires", toPath: packs)

            let first = try await database.saunter(["publish", study])
            let again = try await database.saunter(["publish", study])
            let design = "\(study)/study.yaml"
            let text = try String(contentsOfFile: design, encoding: .utf8)
            try (text + "# changed\n").write(toFile: design, atomically: true, encoding: .utf8)
            let changed = try await database.saunter(["publish", study])

            #expect(first.output == "published mindful-walking 1.0.0\n")
            #expect(again.output == "mindful-walking 1.0.0 was published before and is the live version\n")
            #expect(changed.status == 1)
            #expect(changed.errors.contains("raise its version"))
        }
    }

    @Test func `without a terminal a new version needs a decision about enrolled participants`() async throws
    {
        try await CommandDatabase.with { database in
            let packs = "\(database.folder.path)/packs"
            let study = "\(packs)/studies/mindful-walking"
            try FileManager.default.copyItem(atPath: "\(SourceTree.path)/Questionnaires", toPath: packs)
            _ = try await database.saunter(["publish", study])
            _ = try await database.saunter([
                "cohort", "--study", "mindful-walking", "--participants", "1", "--days", "1",
            ])
            let design = "\(study)/study.yaml"
            let text = try String(contentsOfFile: design, encoding: .utf8)
            try text.replacing("version: 1.0.0", with: "version: 1.1.0", maxReplacements: 1)
                .write(toFile: design, atomically: true, encoding: .utf8)

            let undecided = try await database.saunter(["publish", study])
            let kept = try await database.saunter(["publish", study, "--keep-enrolled"])

            #expect(undecided.status == 1)
            #expect(undecided.output.isEmpty)
            #expect(undecided.errors.contains("use --yes") && undecided.errors.contains("--keep-enrolled"))
            #expect(
                kept.lines == [
                    "published mindful-walking 1.1.0",
                    "participants who stay on their version: 1; --yes moves them to this version",
                ])
        }
    }

    @Test func `a pack with faults is not published`() async throws {
        try await CommandDatabase.with { database in
            let packs = "\(database.folder.path)/packs"
            try FileManager.default.copyItem(atPath: "\(SourceTree.path)/Questionnaires", toPath: packs)
            try FileManager.default.removeItem(atPath: "\(packs)/instruments/maas")

            let run = try await database.saunter(["publish", "\(packs)/studies/mindful-walking"])

            #expect(run.status == 1)
            #expect(run.errors.contains("study.yaml:"))
            #expect(run.errors.contains("maas"))
        }
    }

    @Test(arguments: ["Questionnaires", "Questionnaires/instruments/maas/1.0.0", "nowhere"])
    func `a path that is not the folder of a study is rejected before the database is opened`(path: String)
        async throws
    {
        let run = try await CommandRun.saunter(
            ["publish", path], environment: ["SAUNTER_DATABASE_URL": "host=/nowhere"], in: SourceTree.path)

        #expect(run.status == 1)
        #expect(run.errors == "saunter: \(path) is not a study's folder (…/studies/<code>)\n")
    }
}
