import Compression
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Batch uploads as JSON lines, and compressed batches.
@Suite struct JSONLinesTests {
    private static let head: JSON = ["client_now": .instant(ServerFixture.now)]
    private static let wellbeing = SampleSheet.body("who_5", SampleSheet.who5).without("client_now")

    private static func pulse() -> JSON { SampleBatch.item("observation", SampleObservation.pulse) }

    private static func lines(_ lines: [JSON]) -> [UInt8] {
        Array(lines.map { $0.text + "\n" }.joined().utf8)
    }

    private static func send(
        _ bytes: [UInt8], _ caller: APICaller, type: String = "application/x-ndjson", coding: String? = nil
    ) async throws -> Answer {
        var headers: HTTPFields = [.contentType: type]
        headers[.contentEncoding] = coding
        return try await caller.send(.post, caller.own("/sync"), bytes: bytes, headers: headers)
    }

    private static func stored(_ caller: APICaller) async throws -> Set<String> {
        let found = try await caller.pages(caller.own("/observations?limit=1000"))
        return Set(found.compactMap { $0["observation_id"]?.string })
    }

    @Test(arguments: [false, true])
    func `each line has a result, and a broken line does not affect the others`(
        _ isCompressed: Bool
    ) async throws {
        let valid = (0..<3).map { _ in Self.pulse() }
        let invalid = SampleBatch.item("answer_sheet", Self.wellbeing.with(["answers": ["q1": 99]]))
        let text = [
            Self.head.text, valid[0].text, "{this is no JSON", "", valid[1].text,
            #"{"kind": "answer_sheet", "id": 7}"#, "[1]", invalid.text, #"{"a":1,"a":2}"#, "\u{0}",
            valid[2].text,
        ].map { $0 + "\n" }.joined()
        let bytes = Array(text.utf8)
        let body = isCompressed ? try Compressor.compress(bytes, .gzip) : bytes

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await Self.send(body, ada, coding: isCompressed ? "gzip" : nil)
            let retry = try await Self.send(Self.lines([Self.head] + valid), ada)

            #expect(answer.status == 200)
            let byLine = Dictionary(grouping: answer.items) { $0["line"]?.int ?? 0 }
            #expect(
                byLine.mapValues { $0.map { $0["result"]?.string } } == [
                    2: ["accepted"], 3: ["rejected"], 5: ["accepted"], 6: ["rejected"], 7: ["rejected"],
                    8: ["rejected"], 9: ["rejected"], 10: ["rejected"], 11: ["accepted"],
                ])
            let broken = byLine[3]?.first
            #expect(broken?["problem"]?["type"]?.string?.hasSuffix("/body-unreadable") == true)
            #expect(broken?["id"] == "")
            let accepted = byLine[2]?.first
            #expect(accepted?["id"] == valid[0]["id"])
            #expect(accepted?["receipt"]?["observation_id"] == valid[0]["id"])
            #expect(try await Self.stored(ada) == Set(valid.compactMap { $0["id"]?.string }))
            #expect(retry.results == ["replayed", "replayed", "replayed"])
        }
    }

    @Test func `lines need no head if each has client_now`() async throws {
        let inBody = SampleBatch.item("answer_sheet", Self.wellbeing.with(Self.head))
        let besideBody = SampleBatch.item("answer_sheet", Self.wellbeing).with(Self.head)
        let without = SampleBatch.item("answer_sheet", Self.wellbeing)

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await Self.send(Self.lines([inBody, besideBody, without]), ada)

            #expect(answer.results == ["accepted", "duplicate", "rejected"])
            let fault = answer.items.last?["problem"]?["errors"]?.array?.first
            #expect(fault?["pointer"] == "/client_now")
        }
    }

    @Test(arguments: ["application/json", "application/x-ndjson"])
    func `a record can precede the record that it refers to`(_ type: String) async throws {
        let calibration = SampleBatch.newID()
        let walk = SampleBatch.item("walk", SampleWalk.body(["calibration_id": .string(calibration)]))
        let measured: JSON = [
            "recorded_at": .instant(SampleWalk.startedAt), "mean_speed_kmh": 5, "reduction_percent": 20,
            "duration_s": 60,
        ]
        let items = [walk, SampleBatch.item("calibration", measured, id: calibration)]
        let bytes =
            type == "application/json" ? SampleBatch.body(items).bytes : Self.lines([Self.head] + items)

        try await ServerFixture.withParticipant { ada async throws in
            let answer = try await Self.send(bytes, ada, type: type)

            #expect(answer.results == ["accepted", "accepted"], "\(answer.text)")
            let stored = answer.items.first { $0["id"] == walk["id"] }
            #expect(stored?["receipt"]?["calibration_id"]?.string == calibration)
        }
    }

    @Test func `a walk whose named calibration is missing must be sent again`() async throws {
        let body = SampleWalk.body(["calibration_id": .string(SampleBatch.newID())])
        let walk = SampleBatch.item("walk", body)

        try await ServerFixture.withParticipant { ada async throws in
            #expect(try await Self.send(Self.lines([Self.head, walk]), ada).results == ["retry"])
            #expect(try await ada.sync([walk]).results == ["retry"])
        }
    }

    @Test func `a batch as one JSON document can be compressed, also in several gzip members`() async throws {
        let batch = SampleBatch.body([Self.pulse()]).bytes
        let members =
            try Compressor.compress(Array(batch[..<20]), .gzip)
            + Compressor.compress(Array(batch[20...]), .gzip)

        try await ServerFixture.withParticipant { ada async throws in
            func send(_ bytes: [UInt8]) async throws -> Answer {
                try await Self.send(bytes, ada, type: "application/json", coding: "gzip")
            }

            #expect(try await send(Compressor.compress(batch, .gzip)).results == ["accepted"])
            #expect(try await send(members).results == ["replayed"])
            let start = try Compressor.compress(Array(" ".utf8), .gzip).prefix(12)
            for tail in [Array("tail".utf8), Array(repeating: 0, count: 8), Array(start)] {
                try await send(members + tail).expectProblem(400, "body-unreadable")
            }
            let spaces = Array(repeating: UInt8(ascii: " "), count: 20_000_000)
            let large = try Compressor.compress(batch + spaces, .gzip, level: 1)
            try await send(large).expectProblem(413, "body-too-large")
        }
    }

    @Test func `lines for another enrolment are rejected`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let path = ada.own("/sync")
            let bytes = Self.lines([Self.head, Self.pulse()])
            let headers: HTTPFields = [.contentType: "application/x-ndjson"]
            let ben = try await ada.newParticipant()
            var anonymous = ada
            anonymous.token = nil

            let foreign = try await ben.send(.post, path, bytes: bytes, headers: headers)
            let withoutToken = try await anonymous.send(.post, path, bytes: bytes, headers: headers)

            foreign.expectProblem(404, "not-found")
            withoutToken.expectProblem(401, "token-invalid")
            #expect(try await Self.stored(ada) == [])
        }
    }
}
