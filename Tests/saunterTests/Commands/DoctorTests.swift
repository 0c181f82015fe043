import Foundation
import SaunterCore
import Testing

@Suite struct `saunter doctor` {
    private func states(_ run: CommandRun) throws -> [String: String] {
        let items = try JSONReader.read(run.output)["items"]?.array ?? []
        return Dictionary(
            items.map { ($0["check"]?.string ?? "", $0["state"]?.string ?? "") }, uniquingKeysWith: { $1 })
    }

    @Test func `a database that is up to date is good, one that is not is a fault`() async throws {
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
        }
    }

    @Test func `it makes nothing`() async throws {
        let scratch = try Scratch()

        let run = try await CommandRun.saunter(
            ["doctor"], environment: ["SAUNTER_DATA_DIR": "\(scratch.path)/new"])

        #expect(run.output.contains("/new/keys/master.key is made on the first start"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
    }
}
