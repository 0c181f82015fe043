import Foundation
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct InvalidBatchItemTests {
    private static let calibration: JSON = [
        "recorded_at": .instant(ServerFixture.now), "mean_speed_kmh": 5, "reduction_percent": 20,
        "duration_s": 60,
    ]
    private static let wellbeing = SampleSheet.body("who_5", SampleSheet.who5).without("client_now")

    private static func newID() -> String { UUID().uuidString.lowercased() }

    private static func item(_ kind: String, _ body: JSON) -> JSON {
        ["kind": .string(kind), "id": .string(newID()), "body": body]
    }

    /// The JSON text of an item of a batch.
    private static func itemText(
        _ kind: String, _ body: String, id: String = newID(), more: String = ""
    ) -> String {
        #"{"kind":"\#(kind)","id":"\#(id)","body":\#(body)\#(more)}"#
    }

    @Test func `an invalid item does not affect the others, and a retry has the same result`() async throws {
        let items = [
            Self.item("answer_sheet", Self.wellbeing),
            Self.item("answer_sheet", Self.wellbeing.with(["answers": ["q1": 9]])),
            Self.item("answer_sheet", Self.wellbeing.with(["version": "9.9.9"])),
            Self.item("walk", SampleWalk.body()),
            Self.item("walk", SampleWalk.body(["ended_at": "yesterday"])),
            Self.item("calibration", Self.calibration),
            Self.item(
                "answer_sheet", Self.wellbeing.with(["answers": SampleSheet.who5.with(["q1": 0])])),
            Self.item(
                "answer_sheet", SampleSheet.body("sus", SampleSheet.sus).without("client_now")),
        ]
        let batch: JSON = ["client_now": .instant(ServerFixture.now), "items": .array(items)]

        try await ServerFixture.withParticipant { ada async throws in
            let first = try await ada.post(ada.own("/sync"), batch).json["items"]?.array ?? []
            let second = try await ada.post(ada.own("/sync"), batch).json["items"]?.array ?? []

            #expect(first.map { $0["id"] } == items.map { $0["id"] })
            #expect(
                first.map { $0["result"]?.string } == [
                    "accepted", "rejected", "rejected", "accepted", "rejected", "accepted", "duplicate",
                    "out_of_window",
                ])
            let faults = first[1]["problem"]?["errors"]?.array ?? []
            let pointers = Set(faults.compactMap { $0["pointer"]?.string })
            #expect(pointers.isSuperset(of: ["/answers/q1", "/answers/q2"]))
            #expect(
                second.map { $0["result"]?.string } == [
                    "replayed", "rejected", "rejected", "replayed", "rejected", "replayed", "replayed",
                    "replayed",
                ])
        }
    }

    @Test(
        arguments: [
            (itemText("diary", "{}"), "/kind"),
            (itemText("walk", "{}", id: "no uuid"), "/id"),
            (itemText("walk", #""text""#), "/body"),
            (itemText("walk", "{}", more: #","more":1"#), "/more"),
            (itemText("answer_sheet", #"{"answers":{"q1":"\u0000"}}"#), "/body/answers/q1"),
            (itemText("answer_sheet", #"{"answers":{"q1":1,"q1":2}}"#), "/body/answers/q1"),
            ("17", ""), ("null", ""), ("[]", ""),
        ])
    func `an item with a wrong structure does not affect the others`(
        _ item: String, _ pointer: String
    ) async throws {
        let walk = Self.itemText("walk", SampleWalk.body().text)
        let batch = #"{"client_now":"\#(ServerFixture.now)","items":[\#(item),\#(walk)]}"#

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.post(ada.own("/sync"), text: batch)

            let items = try #require(answer.json["items"]?.array)
            let problem = items[0]["problem"]
            #expect(items.map { $0["result"]?.string } == ["rejected", "accepted"])
            #expect(problem?["type"]?.string?.hasSuffix("/body-invalid") == true)
            let pointers = (problem?["errors"]?.array ?? []).compactMap { $0["pointer"]?.string }
            #expect(pointers.contains(pointer), "\(answer.text)")
        }
    }

    @Test func `a fault outside of the items rejects the batch`() async throws {
        let walk = Self.itemText("walk", SampleWalk.body().text)
        let now = ServerFixture.now
        let batch = #"{"client_now":"\#(now)","client_now":"\#(now)","items":[\#(walk)]}"#

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await ada.post(ada.own("/sync"), text: batch)

            answer.expectProblem(422, "body-invalid", ["/client_now"])
        }
    }
}
