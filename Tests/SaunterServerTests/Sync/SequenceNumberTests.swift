import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct SequenceNumberTests {
    private static let seen: JSON = [
        "event": "screen_seen", "at": .instant(ServerFixture.now), "time_zone": "Europe/Berlin",
        "properties": ["screen": "overview", "count": 3],
    ]

    /// A usage event; an invalid one without `body`.
    private static func event(_ sequence: Int, body: JSON = seen) -> JSON {
        SampleBatch.item("usage_event", body, sequence: sequence)
    }

    @Test func `the response lists the missing sequence numbers of the device`() async throws {
        let device: JSON = .string(SampleBatch.newID())

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            func upload(_ items: [JSON]) async throws -> JSON? {
                try await ada.sync(items, ["device_id": device]).json["device"]
            }

            let complete = try await upload([Self.event(1), Self.event(2)])
            #expect(
                complete?.canonicalText
                    == (["device_id": device, "newest": 2, "missing_count": 0, "missing": []] as JSON)
                    .canonicalText)

            // A rejected record is not missing.
            let gaps = try await upload([
                Self.event(9), Self.event(5), Self.event(9), Self.event(7, body: [:]),
            ])
            #expect(
                gaps?["missing"] == [["from": 3, "to": 4], ["from": 6, "to": 6], ["from": 8, "to": 8]])
            #expect(gaps?["missing_count"] == 4)
            #expect(gaps?["newest"] == 9)

            let filled = try await upload([3, 8, 6, 4].map { Self.event($0) })
            #expect(filled?["missing"]?.array?.isEmpty == true)
            #expect(try await ada.sync([Self.event(1)]).json["device"] == nil)
        }
    }

    @Test func `a batch of JSON lines states the missing numbers in its last line`() async throws {
        let head: JSON = [
            "client_now": .instant(ServerFixture.now), "device_id": .string(SampleBatch.newID()),
        ]
        let lines = [head, Self.event(2), Self.event(4)].map { $0.text + "\n" }.joined()

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            let answer = try await ada.send(
                .post, ada.own("/sync"), bytes: Array(lines.utf8),
                headers: [.contentType: "application/x-ndjson"])

            let missing = answer.items.last?["device"]?["missing"]
            #expect(missing == [["from": 1, "to": 1], ["from": 3, "to": 3]], "\(answer.text)")
        }
    }

    @Test func `researchers see the devices of a participant with their missing numbers`() async throws {
        let (device, other) = (SampleBatch.newID(), SampleBatch.newID())

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            _ = try await ada.sync([Self.event(1), Self.event(9)], ["device_id": .string(device)])
            _ = try await ada.sync([Self.event(2), Self.event(4)], ["device_id": .string(other)])
            let participant = try await ada.get(ada.own("")).json["participant_id"]

            let rosa = try await ada.researcher(of: "pocket-diary")
            let rows = try await rosa.pages("/v1/studies/pocket-diary/devices?limit=1")
                .filter { $0["participant_id"] == participant }

            let byDevice = Dictionary(grouping: rows) { $0["device_id"]?.string ?? "" }
            #expect(Set(byDevice.keys) == [device, other] && rows.count == 2)
            #expect(byDevice[device]?.first?["newest"] == 9)
            #expect(byDevice[other]?.first?["missing_count"] == 2)
        }
    }

    @Test func `the list of missing numbers is limited`() async throws {
        let device: JSON = ["device_id": .string(SampleBatch.newID())]

        try await ServerFixture.withParticipant(in: "pocket-diary") { ada async throws in
            var answer = JSON.null
            for start in stride(from: 0, to: 3000, by: 500) {
                let items: [JSON] = (0..<500).map {
                    ["kind": "usage_event", "id": "x", "body": [:], "sequence": .int(2 * (start + $0) + 1)]
                }
                answer = try await ada.sync(items, device).json
            }

            #expect((answer["device"]?["missing"]?.array?.count ?? .max) <= 100)
            #expect((answer["device"]?["missing_count"]?.int ?? 0) >= 998)
        }
    }
}
