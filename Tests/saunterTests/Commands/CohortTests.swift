import Foundation
import SaunterCohort
import SaunterCore
import SaunterTesting
import Testing

@Suite struct `saunter cohort` {
    private static let command = [
        "cohort", "--study", "mindful-walking", "--participants", "7", "--days", "7", "--json",
    ]

    /// The sheets and walks of each participant, from the researcher's list. Without values that change with the clock,
    /// because unanswered occasions may close between two requests.
    private func participantList(_ login: JSON, _ database: CommandDatabase) async throws -> [JSON] {
        let server = try await RunningServer(database.environment)
        let client = ServerClient(url: server.url)
        let pair = try await client.sendSuccessfully(
            "POST", "/v1/tokens",
            body: ["email": login["researcher"] ?? .null, "password": login["password"] ?? .null])
        let participants = try await client.sendSuccessfully(
            "GET", "/v1/studies/mindful-walking/participants", token: pair.json["access_token"]?.string)
        _ = await server.stop()
        return (participants.json["items"]?.array ?? []).compactMap { item -> JSON? in
            guard var members = item.object else { return nil }
            members["adherence"] = members["adherence"]?["completed"]
            members["low_adherence_since"] = nil
            return .object(members)
        }
    }

    @Test func `the addresses of simulated participants are verified, so that reminders do not wait`()
        async throws
    {
        try await CommandDatabase.with { database in
            try await database.publish()
            let run = try await database.saunter([
                "cohort", "--study", "mindful-walking", "--participants", "1", "--days", "1", "--json",
            ])
            let login = try JSONReader.read(run.output)

            let server = try await RunningServer(database.environment)
            let client = ServerClient(url: server.url)
            let pair = try await client.sendSuccessfully(
                "POST", "/v1/tokens",
                body: ["email": login["participant"] ?? .null, "password": login["password"] ?? .null])
            let account = try await client.sendSuccessfully(
                "GET", "/v1/account", token: pair.json["access_token"]?.string)
            _ = await server.stop()

            #expect(account.json["email_verified_at"]?.string != nil)
        }
    }

    @Test func `simulated participants take part, and a second run changes nothing`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()

            let first = try await database.saunter(Self.command)
            let login = try JSONReader.read(first.output)
            let before = try await participantList(login, database)
            let second = try await database.saunter(Self.command)
            let after = try await participantList(login, database)

            #expect(first.status == 0)
            #expect(second.output == first.output)
            #expect(before.count == 7)
            #expect(before.allSatisfy { ($0["answer_sheets"]?.int ?? 0) >= 3 })
            #expect(before.contains { ($0["walks"]?.int ?? 0) > 0 })
            #expect(before == after)
        }
    }

    @Test func `an interrupted cohort is completed without duplicates`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            let first = try await database.saunter(Self.command)
            let login = try JSONReader.read(first.output)
            let before = try await participantList(login, database)
            // The same file as after a run that was killed immediately before its end.
            let file = "\(database.folder.path)/cohort-mindful-walking.json"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            _ = try database.folder.file(
                "cohort-mindful-walking.json", text.replacing("\"done\":true", with: "\"done\":false"))

            let second = try await database.saunter(Self.command)
            let after = try await participantList(login, database)

            #expect(second.status == 0)
            #expect(second.output == first.output)
            #expect(before == after)
        }
    }

    @Test func `a second study gets a cohort with the same accounts`() async throws {
        try await CommandDatabase.with { database in
            try await database.publish()
            _ = try await database.saunter([
                "publish", "\(SourceTree.path)/Questionnaires/studies/daily-moments",
            ])
            let first = try await database.saunter([
                "cohort", "--study", "mindful-walking", "--participants", "2", "--days", "2", "--json",
            ])
            let more = ["cohort", "--study", "daily-moments", "--participants", "3", "--days", "2", "--json"]

            let second = try await database.saunter(more)
            let again = try await database.saunter(more)

            #expect(second.status == 0, "\(second.errors)")
            let participants = try [first, second].map { run in
                try JSONReader.read(run.output)["participants"]?.array ?? []
            }
            #expect(participants[0].count == 2 && participants[1].count == 3)
            #expect(participants[1].starts(with: participants[0]))
            #expect(again.output == second.output)
            let accounts = try await database.saunter(["account", "list", "--json"])
            let grants = try JSONReader.read(accounts.output)["items"]?.array?.first?["grants"]?.array ?? []
            #expect(
                Set(grants.compactMap { $0["study"]?.string }) == ["mindful-walking", "daily-moments"])
        }
    }

    @Test func `a cohort joins a study without open enrolment, and leaves no usable code`() async throws {
        try await CommandDatabase.with { database in
            let pack = "\(SourceTree.path)/Tests/Acceptance/packs/closed-diary/studies/closed-diary"
            _ = try await database.saunter(["publish", pack])

            let run = try await database.saunter([
                "cohort", "--study", "closed-diary", "--participants", "2", "--days", "2", "--json",
            ])

            #expect(run.status == 0, "\(run.errors)")
            let audit = try await database.saunter(["audit", "--study", "closed-diary", "--json"])
            let actions = try audit.output.split(separator: "\n").map {
                try JSONReader.read(String($0))["action"]?.string
            }
            #expect(actions.count { $0 == "enrolled" } == 2)
            #expect(actions.count { $0 == "enrolment_codes_created" } == 1)
            #expect(actions.count { $0 == "enrolment_code_revoked" } == 1)
        }
    }

    @Test func `an unpublished study has no cohort`() async throws {
        try await CommandDatabase.with { database in
            let run = try await database.saunter(["cohort", "--study", "mindful-walking"])

            #expect(run.status == 1)
            #expect(run.errors.contains("use saunter publish"))
        }
    }
}
