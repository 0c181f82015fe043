import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct SettingsRouteTests {
    private typealias Entry = SampleEntry

    private static func with(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withParticipant(in: Entry.study, body)
    }

    private static func settings(of caller: APICaller) async throws -> [String: JSON] {
        let answer = try await caller.get(caller.own("/settings"))
        #expect(answer.status == 200 && answer.json["next"]?.isNull == true)
        let items = (answer.json["items"]?.array ?? []).map { ($0["questionnaire"]?.string ?? "", $0) }
        #expect(items.map(\.0) == ["prompts", "look"])
        return Dictionary(items) { $1 }
    }

    @Test func `before the first change the defaults are in force`() async throws {
        try await Self.with { ada async throws in
            let prompts = try #require(try await Self.settings(of: ada)["prompts"])

            #expect(prompts["values"] == ["prompt_times": ["13:00", "21:00"], "prompts_a_day": 3])
            #expect(prompts["values"] == prompts["defaults"])
            #expect(prompts["set_at"]?.isNull == true && prompts["sheet_id"]?.isNull == true)
            #expect(prompts["title"] == "Reminders" && prompts["version"] == "1.0.0")
        }
    }

    @Test func `the newest sheet by completion is in force, in each order of arrival`() async throws {
        try await Self.with { ada async throws in
            let newest = try await ada.submit(Entry.body("look", ["theme": "dark"], minutes: 5)).id
            _ = try await ada.submit(Entry.body("look", ["theme": "light"], minutes: 10))
            _ = try await ada.submit(Entry.body("prompts", ["prompts_a_day": 0]))

            let settings = try await Self.settings(of: ada)

            #expect(settings["look"]?["values"] == ["theme": "dark"])
            #expect(settings["look"]?["sheet_id"]?.string == newest)
            #expect(settings["look"]?["set_at"] == .instant(ServerFixture.now.adding(seconds: -300)))
            // Times left blank are no times, and not the default.
            #expect(settings["prompts"]?["values"] == ["prompts_a_day": 0])
        }
    }

    @Test func `invalid settings are rejected like any sheet, and nothing changes`() async throws {
        try await Self.with { ada async throws in
            let many = try await ada.put(
                ada.newRecord("answer-sheets"),
                Entry.body("prompts", ["prompt_times": ["25:00"], "prompts_a_day": 13]))
            let theme = try await ada.put(
                ada.newRecord("answer-sheets"), Entry.body("look", ["theme": "purple"]))

            many.expectProblem(
                422, "answer-sheet-invalid", ["/answers/prompt_times/0", "/answers/prompts_a_day"])
            theme.expectProblem(422, "answer-sheet-invalid", ["/answers/theme"])
            #expect(try await Self.settings(of: ada)["look"]?["values"] == ["theme": "light"])
        }
    }

    @Test func `settings are in no overview, and their sheets are entries`() async throws {
        try await Self.with { ada async throws in
            let receipt = try await ada.submit(Entry.body("look", ["theme": "dark"])).receipt

            #expect(receipt["standing"] == "unscheduled" && receipt["flags"] == [])
            #expect(try await ada.overview()["look"] == nil)
            #expect(try await ada.listed("questionnaire=look").count == 1)
        }
    }

    @Test func `a study without settings has an empty list`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.get(ada.own("/settings"))

            #expect(answer.status == 200 && answer.json["items"] == [])
        }
    }
}
