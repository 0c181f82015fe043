import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Features in the overview, and usage events about them.
@Suite struct FeatureRouteTests {
    private static func with(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withParticipant(in: SampleEntry.study, body)
    }

    private static func event(_ event: String, _ more: JSON = [:], minutes: Int = 0) -> JSON {
        let body: JSON = [
            "event": .string(event), "at": .instant(ServerFixture.now.adding(seconds: -60 * minutes)),
            "time_zone": "Europe/Berlin",
        ]
        return SampleBatch.item("usage_event", body.with(more))
    }

    private static func features(of caller: APICaller) async throws -> [JSON] {
        let answer = try await caller.get(caller.own("/overview"))
        return answer.json["features"]?.array ?? []
    }

    @Test func `the overview lists the features with their texts and first use`() async throws {
        try await Self.with { ada async throws in
            _ = try await ada.sync([
                Self.event("feature_opened", ["feature": "mood", "seconds": 12.5], minutes: 5),
                Self.event("feature_opened", ["feature": "mood"], minutes: 20),
                Self.event("screen_seen", ["feature": "page"], minutes: 30),
            ])

            let features = try await Self.features(of: ada)

            #expect(
                features.first == [
                    "feature": "mood", "title": "Mood", "text": "Record how you are.", "page": "entry",
                    "questionnaire": "step_mood", "settings": "prompts", "collection": nil,
                    "first_opened_at": .instant(ServerFixture.now.adding(seconds: -1200)), "icon": nil,
                ])
            #expect(features.map { $0["feature"] } == ["mood", "promises", "page"])
            #expect(features.map { $0["page"] } == ["entry", "goal", "entry"])
            #expect(features[2]["questionnaire"] == "page" && features[2]["settings"]?.isNull == true)
            #expect(features[2]["first_opened_at"]?.isNull == true)
        }
    }

    @Test func `features without a questionnaire are listed in the order of the study`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let features = try await Self.features(of: ada)
            #expect(features.map { $0["feature"] } == ["walk", "diary"])
            #expect(features.map { $0["page"] } == ["walk", "entries"])
            #expect(features.allSatisfy { $0["questionnaire"]?.isNull == true })
        }
    }

    @Test(
        arguments: [
            ("feature_opened", JSON.object([:]), ["/feature"]),
            ("feature_opened", ["feature": "flying"], ["/feature"]),
            ("screen_seen", ["feature": "flying"], ["/feature"]),
            ("content_shown", ["item": "a"], ["/collection"]),
            ("content_played", [:], ["/collection", "/item"]),
            ("feature_opened", ["feature": "mood", "seconds": -1], ["/seconds"]),
            ("feature_opened", ["feature": "mood", "seconds": 86_401], ["/seconds"]),
            ("app_crashed", ["properties": ["message": "x"]], ["/properties/message"]),
            ("app_crashed", ["properties": ["code": "fatal: nil at line 3"]], ["/properties/code"]),
            ("app_crashed", ["properties": ["version": true]], ["/properties/version"]),
            ("app_slept", [:], ["/event"]),
        ] as [(String, JSON, [String])])
    func `an invalid event is rejected with its pointers`(event: String, more: JSON, pointers: [String])
        async throws
    {
        try await Self.with { ada async throws in
            let answer = try await ada.sync([Self.event(event, more)])

            #expect(answer.results == ["rejected"])
            let problem = try #require(answer.items.first?["problem"])
            #expect(problem["status"] == 422)
            #expect(
                Set((problem["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }) == Set(pointers))
        }
    }

    @Test(
        arguments: [
            ("content_shown", ["collection": "quotes", "item": "q_17"]),
            (
                "content_completed",
                ["collection": "sounds", "item": "sea", "seconds": 300, "feature": "mood"]
            ),
            ("app_crashed", ["properties": ["code": "SIGSEGV", "version": "1.4.2+7"]]),
            ("app_crashed", ["properties": ["code": 11]]), ("app_crashed", [:]),
        ] as [(String, JSON)])
    func `a valid event is accepted, and replayed`(event: String, more: JSON) async throws {
        try await Self.with { ada async throws in
            let item = Self.event(event, more)

            #expect(try await ada.sync([item]).results == ["accepted"])
            #expect(try await ada.sync([item]).results == ["replayed"])
        }
    }
}
