import Foundation
import SaunterCore
import Testing

@Suite struct `saunter doctor` {
    private func states(_ run: CommandRun) throws -> [String: String] {
        let items = try JSONReader.read(run.output)["items"]?.array ?? []
        return Dictionary(
            items.map { ($0["check"]?.string ?? "", $0["state"]?.string ?? "") }, uniquingKeysWith: { $1 })
    }

    @Test func `a database without migrations is a fault, and a migrated database is good`() async throws {
        try await CommandDatabase.with { database in
            let port = "\(RunningServer.freePort())"
            let before = try await database.saunter(["doctor", "--json"], ["SAUNTER_PORT": port])
            _ = try await database.saunter(["migrate"])
            let after = try await database.saunter(["doctor", "--json"], ["SAUNTER_PORT": port])

            #expect(before.status == 1)
            #expect(try states(before)["database"] == "fault")
            #expect(after.status == 0)
            #expect(try states(after)["database"] == "good")
            #expect(try states(after)["server"] == "note")
            // The PostgreSQL of the tests has PostgreSQL's own sizes.
            #expect(try states(after)["database sizes"] == "note")
            #expect(after.output.contains("shared_buffers = 128MB; advised is a quarter of the memory"))
        }
    }

    @Test func `it creates no files`() async throws {
        let folder = try TestFolder()

        let run = try await CommandRun.saunter(
            ["doctor"], environment: ["SAUNTER_DATA_DIR": "\(folder.path)/new"])

        #expect(run.output.contains("/new/keys/master.key is created on the first start"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }
}
