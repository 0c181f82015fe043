import Foundation
import SaunterCohort
import SaunterCore
import SaunterTesting
import Testing

@Suite struct `saunter cohort` {
    private static let command = ["cohort", "--participants", "7", "--days", "7", "--json"]

    /// What the researcher sees: per participant the sheets and walks. Left out is what the clock alone
    /// changes: what nobody answered may close between two looks.
    private func sight(_ login: JSON, _ database: CommandDatabase) async throws -> [JSON] {
        let server = try await RunningServer(database.environment)
        let client = ServerClient(url: server.url)
        let pair = try await client.demand(
            "POST", "/v1/tokens",
            body: ["email": login["researcher"] ?? .null, "password": login["password"] ?? .null])
        let participants = try await client.demand(
            "GET", "/v1/studies/mindful-walking/participants", token: pair.json["access_token"]?.string)
        _ = await server.stop()
        return (participants.json["items"]?.array ?? []).compactMap { item -> JSON? in
            guard var members = item.object else { return nil }
            members["adherence"] = members["adherence"]?["completed"]
            members["low_adherence_since"] = nil
            return .object(members)
        }
    }

    @Test func `made-up people take part, and doing it twice changes nothing`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()

            let first = try await database.saunter(Self.command)
            let login = try JSONReader.read(first.output)
            let before = try await sight(login, database)
            let second = try await database.saunter(Self.command)
            let after = try await sight(login, database)

            #expect(first.status == 0)
            #expect(second.output == first.output)
            #expect(before.count == 7)
            #expect(before.allSatisfy { ($0["answer_sheets"]?.int ?? 0) >= 3 })
            #expect(before.contains { ($0["walks"]?.int ?? 0) > 0 })
            #expect(before == after)
        }
    }

    @Test func `a cohort that was interrupted is completed, not doubled`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            let first = try await database.saunter(Self.command)
            let login = try JSONReader.read(first.output)
            let before = try await sight(login, database)
            // As a run leaves it that was killed at its very end.
            let notes = "\(database.scratch.path)/cohort-mindful-walking.json"
            let text = try String(contentsOfFile: notes, encoding: .utf8)
            _ = try database.scratch.file(
                "cohort-mindful-walking.json", text.replacing("\"done\":true", with: "\"done\":false"))

            let second = try await database.saunter(Self.command)
            let after = try await sight(login, database)

            #expect(second.status == 0)
            #expect(second.output == first.output)
            #expect(before == after)
        }
    }

    @Test func `a study that nobody published has no cohort`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["cohort"])

            #expect(run.status == 1)
            #expect(run.errors.contains("use saunter publish"))
        }
    }
}
