import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// What the team of the study `hidden-arms` sees, whose arms are `zebracanary` and `heroncanary`.
@Suite struct BlindingTests {
    private static let study = "hidden-arms"
    private static let codes = ["heroncanary", "zebracanary"]
    private static let base = "/v1/studies/hidden-arms"

    /// Runs the body with a participant and the path of that participant.
    private static func with(
        _ body: @Sendable (APICaller, _ participant: String) async throws -> Void
    ) async throws {
        try await ServerFixture.withParticipant(in: study) { ada in
            let answer = try await ada.get(ada.own(""))
            let participant = try #require(answer.json["participant_id"]?.string)
            try await body(ada, "\(base)/participants/\(participant)")
        }
    }

    /// A caller with a grant in the study.
    private static func member(_ role: Role, seesArms: Bool = false, like caller: APICaller) async throws
        -> APICaller
    {
        var member = caller
        member.token = try await caller.server.makeLogin(
            Grant(role: role, study: study, seesArms: seesArms)
        ).accessToken
        return member
    }

    @Test func `a researcher sees the same letter everywhere, and one who sees arms sees codes`() async throws
    {
        try await Self.with { ada, participant in
            let rosa = try await Self.member(.researcher, like: ada)
            let sam = try await Self.member(.researcher, seesArms: true, like: ada)
            let letter = try await rosa.get("\(participant)/arm").json["arm"]?.string
            let code = try await sam.get("\(participant)/arm").json["arm"]?.string
            #expect(["A", "B"].contains(letter) && Self.codes.contains(code ?? ""))

            for path in ["participants", "adherence", "balance", "changes", "versions/1.0.0/preview"] {
                let blinded = try await rosa.get("\(Self.base)/\(path)")
                #expect(blinded.status == 200, "\(path)")
                #expect(!blinded.text.contains("canary"), "\(path)")
            }
            for path in ["participants", "adherence", "balance", "changes"] {
                #expect(try await sam.get("\(Self.base)/\(path)").text.contains("canary"), "\(path)")
            }
            let listed = try await rosa.pages("\(Self.base)/participants?limit=1000")
                .first { participant.hasSuffix("/" + ($0["participant_id"]?.string ?? "?")) }
            #expect(listed?["arm"]?.string == letter)
            let balance = try await rosa.get("\(Self.base)/balance").json
            #expect(balance["arms"]?.array?.compactMap { $0["arm"]?.string } == ["A", "B"])
        }
    }

    @Test func `what letters cannot hide is a number for a researcher, and has names for one who sees arms`()
        async throws
    {
        try await Self.with { ada, _ in
            let rosa = try await Self.member(.researcher, like: ada)
            let sam = try await Self.member(.researcher, seesArms: true, like: ada)

            let blinded = try await rosa.get("\(Self.base)/balance").json["differences"]
            let named = try await sam.get("\(Self.base)/balance").json["differences"]

            for (differences, isNamed) in [(blinded, false), (named, true)] {
                let kinds = differences?["kinds"]?.array ?? []
                #expect(kinds.map { $0["kind"]?.string } == ["schedule", "walk_signal"])
                #expect(kinds.map { $0["count"]?.int } == [1, 1])
                #expect(
                    kinds.map { $0["parts"]?.array?.first?["code"]?.string }
                        == (isNamed ? ["later", "target_feedback"] : [nil, nil]))
                #expect(differences?["unequal_ratios"]?.bool == false)
            }
            #expect(named?["kinds"]?.array?.first?["parts"]?.array?.first?["arms"] == ["heroncanary"])
        }
    }

    @Test func `a study that is not blinded shows codes to every researcher`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let rosa = try await ada.researcher()

            let balance = try await rosa.get("/v1/studies/mindful-walking/balance").json

            #expect(
                balance["arms"]?.array?.compactMap { $0["arm"]?.string } == ["experimental", "control"])
        }
    }

    @Test func `moving a participant and a broadcast to arms need the permission to see arms`() async throws {
        try await Self.with { ada, participant in
            let cora = try await Self.member(.coordinator, like: ada)
            let sam = try await Self.member(.coordinator, seesArms: true, like: ada)
            let code = try await sam.get("\(participant)/arm").json["arm"]?.string
            let other = try #require(Self.codes.first { $0 != code })
            let change: JSON = ["arm": .string(other), "reason": .string("By mistake in \(other).")]
            let message: JSON = [
                "audience": ["arms": .array(Self.codes.map(JSON.string))],
                "words": ["en": ["subject": "New times", "body": "At 9:00."]],
            ]
            let broadcast = "\(Self.base)/broadcasts/\(SampleBatch.newID())"

            try await cora.put("\(participant)/arm", change).expectProblem(403, "arms-blinded")
            try await cora.put(broadcast, message).expectProblem(403, "arms-blinded")
            #expect(try await sam.put("\(participant)/arm", change).status == 200)
            #expect(try await sam.put(broadcast, message).status == 201)

            let moved = try await cora.get("\(participant)/arm")
            #expect(!moved.text.contains("canary"))
            #expect(moved.json["changes"]?.array?.first?["reason"]?.isNull == true)
        }
    }

    @Test func `a coordinator reads one arm with a reason, and lists keep the letter`() async throws {
        try await Self.with { ada, participant in
            let rosa = try await Self.member(.researcher, like: ada)
            let cora = try await Self.member(.coordinator, like: ada)
            let sam = try await Self.member(.researcher, seesArms: true, like: ada)
            let code = try await sam.get("\(participant)/arm").json["arm"]
            let path = "\(participant)/unblinding"
            let body: JSON = ["reason": "Admitted to hospital."]
            try await rosa.post(path, body).expectProblem(403, "not-permitted")
            try await cora.post(path, ["reason": "  "]).expectProblem(422, "body-invalid")
            try await cora.post("\(Self.base)/participants/UNKNOWN/unblinding", body)
                .expectProblem(404, "not-found")
            #expect(!(try await cora.get("\(participant)/arm").text.contains("canary")))

            let read = try await cora.post(path, body)

            #expect(read.status == 200 && read.json["arm"] == code)
            #expect(try await cora.get("\(participant)/arm").json["arm"] == code)
            #expect(!(try await rosa.get("\(participant)/arm").text.contains("canary")))
            #expect(!(try await cora.get("\(Self.base)/participants?limit=1000").text.contains("canary")))
            let seen = try await cora.pages("\(Self.base)/unblindings?limit=2")
                .first { participant.hasSuffix("/" + ($0["participant_id"]?.string ?? "?")) }
            #expect(seen?["reason"]?.string == "Admitted to hospital.")
            let hidden = try await rosa.pages("\(Self.base)/unblindings?limit=2")
                .first { participant.hasSuffix("/" + ($0["participant_id"]?.string ?? "?")) }
            #expect(hidden?["reason"]?.isNull == true)
        }
    }

    @Test func `the unblinding of a study needs its code, and a study that is not blinded rejects it`()
        async throws
    {
        try await Self.with { ada, _ in
            let cora = try await Self.member(.coordinator, like: ada)
            try await cora.post("\(Self.base)/unblinding", ["reason": "Closed.", "study": "mindful-walking"])
                .expectProblem(422, "body-invalid")
            #expect(!(try await cora.get("\(Self.base)/balance").text.contains("canary")))
        }
        try await ServerFixture.withParticipant { ada async throws in
            var cora = ada
            cora.token = try await ada.server.makeLogin(Grant(role: .coordinator, study: "mindful-walking"))
                .accessToken
            let answer = try await ada.get(ada.own(""))
            let participant = try #require(answer.json["participant_id"]?.string)
            try await cora.post(
                "/v1/studies/mindful-walking/unblinding", ["reason": "Closed.", "study": "mindful-walking"]
            ).expectProblem(409, "study-not-blinded")
            try await cora.post(
                "/v1/studies/mindful-walking/participants/\(participant)/unblinding", ["reason": "Why not."]
            ).expectProblem(409, "study-not-blinded")
        }
    }

    @Test func `clients of other systems get letters, also with a token of the account`() async throws {
        try await Self.with { ada, _ in
            let rosa = try await Self.member(.researcher, like: ada)
            let sam = try await Self.member(.researcher, seesArms: true, like: ada)
            func read(as member: APICaller) async throws -> [String] {
                var texts: [String] = []
                let token = try await member.post("\(Self.base)/api-tokens", ["label": "Notebook"])
                var program = member
                program.token = token.json["token"]?.string
                for caller in [member, program] {
                    for path in ["odata/participants", "odata/enrolments", "odata/occasions"] {
                        let answer = try await caller.get("\(Self.base)/\(path)")
                        #expect(answer.status == 200, "\(path)")
                        texts.append(answer.text)
                    }
                }
                return texts
            }

            #expect(try await read(as: rosa).allSatisfy { !$0.contains("canary") })
            #expect(try await read(as: sam).allSatisfy { $0.contains("canary") })
        }
    }

    @Test func `a dataset with codes does not exist for a researcher who sees letters`() async throws {
        try await Self.with { ada, _ in
            let rosa = try await Self.member(.researcher, like: ada)
            let sam = try await Self.member(.researcher, seesArms: true, like: ada)
            let path = "\(Self.base)/exports"

            let open = try await sam.post(path, ["profile": "coded"])
            let blinded = try await rosa.post(path, ["profile": "coded"])

            let openID = try #require(open.json["export_id"]?.string)
            let blindedID = try #require(blinded.json["export_id"]?.string)
            #expect(openID != blindedID)
            try await rosa.get("\(path)/\(openID)").expectProblem(404, "not-found")
            try await rosa.get("\(path)/\(openID)/file").expectProblem(404, "not-found")
            try await rosa.send(.delete, "\(path)/\(openID)").expectProblem(404, "not-found")
            let listed = try await rosa.pages("\(path)?limit=1").compactMap { $0["export_id"]?.string }
            let all = try await sam.pages("\(path)?limit=1").compactMap { $0["export_id"]?.string }
            #expect(listed.contains(blindedID) && !listed.contains(openID))
            #expect(all.contains(blindedID) && all.contains(openID))
            #expect(try await sam.get("\(path)/\(blindedID)").status == 200)
            #expect(try await rosa.get("\(path)/\(blindedID)").status == 200)
        }
    }
}
