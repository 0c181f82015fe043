import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct UsageEventTests {
    private static let seen: JSON = [
        "event": "screen_seen", "at": .instant(ServerFixture.now), "time_zone": "Europe/Berlin",
        "properties": ["screen": "overview", "count": 3],
    ]
    private static let manyProperties = JSON.object(
        JSONObject((0..<21).map { .init(name: "p\($0)", value: 1) }))
    private static let longName = JSON.object(
        JSONObject([.init(name: String(repeating: "n", count: 65), value: 1)]))

    @Test(
        arguments: [
            ["event": "spied"], ["at": "soon"], ["time_zone": "Nowhere"], ["properties": ["a": [1]]],
            ["properties": ["a": .string(String(repeating: "x", count: 201))]],
            ["properties": manyProperties], ["properties": longName], ["more": 1], ["occasion_id": "x"],
        ] as [JSON])
    func `a usage event with an invalid or unknown member is rejected`(_ changes: JSON) async throws {
        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            let answer = try await ada.sync([SampleBatch.item("usage_event", Self.seen.with(changes))])

            #expect(answer.results == ["rejected"])
        }
    }

    @Test func `usage events are stored once, and the feed of changes contains them`() async throws {
        let opened = Self.seen.with([
            "event": "prompt_opened", "occasion_id": .string(SampleBatch.newID()),
        ])
        let items = [Self.seen, opened].map { SampleBatch.item("usage_event", $0) }
        let first = items[0]["id"]?.string ?? ""
        let changed = SampleBatch.item("usage_event", Self.seen.with(["event": "app_opened"]), id: first)

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            #expect(try await ada.sync(items).results == ["accepted", "accepted"])
            #expect(try await ada.sync(items + [changed]).results == ["replayed", "replayed", "rejected"])

            let changes = try await ada.researcher(of: "pocket-diary")
                .pages("/v1/studies/pocket-diary/changes?after=0&limit=1000")
                .filter {
                    $0["kind"] == "usage_event" && [items[0]["id"], items[1]["id"]].contains($0["id"])
                }

            let bodies = Dictionary(grouping: changes) { $0["id"] == items[0]["id"] }
                .mapValues { $0.map { $0["body"] } }
            #expect(bodies[true]?.map { $0?["event"] } == ["screen_seen"])
            let properties: JSON = ["screen": "overview", "count": 3]
            #expect(
                bodies[true]?.first??["properties"]?.canonicalText == properties.canonicalText)
            #expect(bodies[false]?.map { $0?["event"] } == ["prompt_opened"])
        }
    }
}
