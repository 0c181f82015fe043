import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Events of a trial whose training ends with an event that the participant reports.
@Suite struct EventRouteTests {
    private static let trial = "training-or-waiting"

    /// Runs the body with a participant in the training arm, to which two of three participants are allocated.
    private static func withTrained(_ body: @Sendable (APICaller) async throws -> Void) async throws {
        try await ServerFixture.withCaller { caller async throws in
            for _ in 0..<20 {
                let participant = try await caller.newParticipant(in: trial)
                if try await participant.get(participant.own("")).json["arm"] == "training" {
                    return try await body(participant)
                }
            }
            Issue.record("none of twenty participants is in the training arm")
        }
    }

    private static func planned(_ caller: APICaller, _ schedule: String) async throws -> [JSON] {
        try await caller.pages(caller.own("/occasions?limit=1000"))
            .filter { $0["schedule"]?.string == schedule && $0["state"] != "cancelled" }
    }

    @Test func `an unknown event is not found`() async throws {
        try await Self.withTrained { ada async throws in
            let answer = try await ada.put(
                ada.own("/events/moved-house"), ["occurred_at": .instant(ServerFixture.now)])

            answer.expectProblem(404, "not-found")
        }
    }

    @Test func `an event without a valid time is rejected`() async throws {
        try await Self.withTrained { ada async throws in
            let answer = try await ada.put(
                ada.own("/events/training-finished"), ["occurred_at": "soon"])

            answer.expectProblem(422, "body-invalid", ["/occurred_at"])
        }
    }

    @Test func `occasions after an event are planned when it is reported, and move to a later time with it`()
        async throws
    {
        let day = 86_400
        func body(_ days: Int, minus seconds: Int = 0) -> JSON {
            ["occurred_at": .instant(ServerFixture.now.adding(seconds: days * day - seconds))]
        }
        let (first, earlier, later) = (body(3), body(3, minus: 3600), body(6))

        try await Self.withTrained { ada async throws in
            let path = ada.own("/events/training-finished")
            #expect(try await Self.planned(ada, "after_stress") == [])

            let made = try await ada.put(path, first)
            let before = try await Self.planned(ada, "after_stress")
            let repeated = try await ada.put(path, first)
            let moved = try await ada.put(path, earlier)
            #expect(made.status == 201)
            #expect(repeated.status == 200)
            #expect(repeated.json.canonicalText == made.json.canonicalText)
            moved.expectProblem(409, "event-fixed")

            #expect(try await ada.put(path, later).status == 200)

            let after = try await Self.planned(ada, "after_stress")
            #expect(before.first?["day"] == 1)
            #expect(after.first?["occasion_id"] == before.first?["occasion_id"])
            let opens = [before, after].map { $0.first?["opens_at"]?.string ?? "" }
            #expect(opens[0] != "" && opens[1] > opens[0])
            let events = try await ada.get(ada.own("/events")).json["items"]?.array ?? []
            #expect(events.map { $0["event"] } == ["training-finished"])
            #expect(events.map { $0["occurred_at"] } == [later["occurred_at"]])
        }
    }

    @Test func `questionnaires that a break delays are not open`() async throws {
        try await Self.withTrained { ada async throws in
            #expect(try await ada.send(.patch, ada.own(""), ["paused": true]).status == 200)

            let entries = try await ada.overview()

            let disabled = entries.values.filter { $0["disabled"] == true }
            for entry in disabled {
                let reason = entry["disabled_reason"]?.string ?? ""
                #expect(["not_yet_open", "prerequisite"].contains(reason), "\(entry)")
                #expect(entry["due_today"] == false)
            }
            let reason = try #require(entries["daily_evening"]?["disabled_reason"])
            #expect([.null, "not_yet_open"].contains(reason))
        }
    }
}
