import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// Locked practices: what is served of them, sheets that arrive anyway, and gifts of the study team.
@Suite struct LockedPracticeTests {
    private static let study = TestAppStore.study
    private static let canary = "Canary question"

    /// Runs the body with a participant, a coordinator and the path of the participant's entitlements.
    private static func with(
        _ body: @Sendable (APICaller, _ team: APICaller, _ path: String) async throws -> Void
    ) async throws {
        try await ServerFixture.withParticipant(in: study) { ada async throws in
            let answer = try await ada.get(ada.own(""))
            let participant = try #require(answer.json["participant_id"]?.string)
            var team = ada
            team.token = try await ada.server.makeLogin(Grant(role: .coordinator, study: study)).accessToken
            try await body(ada, team, "/v1/studies/\(study)/participants/\(participant)/entitlements")
        }
    }

    private static func sheet(_ answers: JSON, minutes: Int = 0) -> JSON {
        SampleEntry.body("deep_calm", answers, minutes: minutes)
    }

    private static let gift: JSON = ["valid_until": nil, "reason": "A prize."]

    @Test func `the form is withheld until the study team gives the entitlement, and after it ends the gift`()
        async throws
    {
        try await Self.with { ada, team, path in
            let form = ada.own("/questionnaires/deep_calm")
            let locked = try await ada.get(form)
            locked.expectProblem(403, "entitlement-required")
            #expect(!locked.text.contains(Self.canary))
            #expect(try await ada.overview()["deep_calm"]?["locked"] == true)
            #expect(try await ada.overview()["deep_calm"]?["entitlement"] == "premium")
            #expect(try await ada.overview()["calm_minute"]?["locked"] == false)
            #expect(try await ada.get(ada.own("/questionnaires/calm_minute")).status == 200)
            #expect(try await ada.get(ada.own("/questionnaires/calm_voice")).status == 200)

            #expect(try await team.put("\(path)/premium", Self.gift).json["state"] == "active")
            let open = try await ada.get(form)
            #expect(open.status == 200 && open.text.contains(Self.canary))
            #expect(try await ada.get(ada.own("/questionnaires/long_calm")).status == 403)
            let listed = try await team.get(path).json["items"]?.array ?? []
            #expect(listed.count == 1 && listed[0]["reason"] == "A prize." && listed[0]["source"] == "gift")

            let end = try await team.send(.delete, "\(path)/premium", ["reason": "A mistake."])
            #expect(end.status == 204)
            #expect(try await ada.get(form).status == 403)
            try await team.send(.delete, "\(path)/premium", ["reason": "Again."])
                .expectProblem(404, "not-found")
        }
    }

    @Test func `a sheet of a locked practice is stored with a flag, and stays readable and erasable`()
        async throws
    {
        try await Self.with { ada, team, path in
            let (id, receipt) = try await ada.submit(Self.sheet(["deep_first": "waves"]))
            #expect(receipt["flags"] == ["not_entitled"])
            #expect(try await ada.sheet(id)["answers"]?["deep_first"] == "waves")
            #expect(try await ada.listed("questionnaire=deep_calm") == [id])

            _ = try await team.put("\(path)/premium", Self.gift)
            let entitled = try await ada.submit(Self.sheet(["deep_first": "tide"])).receipt
            // Finished on the device before the gift, and before the enrolment of this test.
            let earlier = try await ada.submit(Self.sheet(["deep_first": "surf"], minutes: 60)).receipt
            #expect(entitled["flags"] == [])
            #expect(earlier["flags"] == ["before_enrolment", "not_entitled"])
            #expect(try await ada.send(.delete, ada.own("/answer-sheets/\(id)")).status == 204)
        }
    }

    @Test func `the faults of a sheet reveal nothing about a locked practice`() async throws {
        try await Self.with { ada, team, path in
            let wrong = Self.sheet(["deep_third": 99, "unknown": 1])
            let malformed = Self.sheet(["deep_third": 99]).with(["completed_at": "yesterday"])

            let refused = try await ada.put(ada.newRecord("answer-sheets"), wrong)
            refused.expectProblem(403, "entitlement-required", [])
            let unreadable = try await ada.put(ada.newRecord("answer-sheets"), malformed)
            unreadable.expectProblem(422, "body-invalid", ["/completed_at"])

            _ = try await team.put("\(path)/premium", Self.gift)
            try await ada.put(ada.newRecord("answer-sheets"), wrong).expectProblem(
                422, "answer-sheet-invalid", ["/answers/deep_third", "/answers/unknown"])
        }
    }

    @Test func `a gift needs a known entitlement, a reason and an end in the future`() async throws {
        try await Self.with { ada, team, path in
            try await team.put("\(path)/gold", Self.gift).expectProblem(404, "not-found")
            try await team.put("\(path)/premium", Self.gift.with(["reason": "  "]))
                .expectProblem(422, "body-invalid", ["/reason"])
            let past: JSON = ["valid_until": .instant(ServerFixture.now)]
            try await team.put("\(path)/premium", Self.gift.with(past))
                .expectProblem(422, "body-invalid", ["/valid_until"])
            try await ada.put("\(path)/premium", Self.gift).expectProblem(403, "not-permitted")
            let rosa = try await ada.researcher(of: Self.study)
            try await rosa.put("\(path)/premium", Self.gift).expectProblem(403, "not-permitted")
            #expect(try await rosa.get(path).json["items"] == [])
            try await ada.researcher(of: "small-steps").get(path).expectProblem(404, "not-found")
        }
    }

    @Test func `a gift ends without a grace period, and a changed gift keeps its beginning`() async throws {
        try await Self.with { ada, team, path in
            let soon = ServerFixture.now.adding(seconds: 3600)
            let made = try await team.put(
                "\(path)/retreat", Self.gift.with(["valid_until": .instant(soon)]))
            #expect(made.json["valid_until"]?.string == soon.description)

            let longer = try await team.put("\(path)/retreat", Self.gift)
            #expect(longer.json["valid_until"]?.isNull == true)
            let audit = try await ada.server.auditEntries(containing: "entitlement_given")
            #expect(audit.contains { $0.contains("retreat") } && !audit.contains { $0.contains("A prize.") })
        }
    }
}
