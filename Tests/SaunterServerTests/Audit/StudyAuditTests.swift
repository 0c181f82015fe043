import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The audit of a study for its team.
@Suite struct StudyAuditTests {
    private static let study = "hidden-arms"
    private static let path = "/v1/studies/hidden-arms/audit"

    private static func member(_ role: Role, seesArms: Bool = false, like caller: APICaller) async throws
        -> APICaller
    {
        var member = caller
        member.token = try await caller.server.makeLogin(
            Grant(role: role, study: role == .admin ? Grant.allStudies : study, seesArms: seesArms)
        ).accessToken
        return member
    }

    @Test func `coordinators and admins read it, the newest entry first, page by page`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada in
            let cora = try await Self.member(.coordinator, like: ada)
            let admin = try await Self.member(.admin, like: ada)
            let rosa = try await Self.member(.researcher, like: ada)
            let editor = try await Self.member(.editor, like: ada)
            try await rosa.get(Self.path).expectProblem(403, "not-permitted")
            try await editor.get(Self.path).expectProblem(403, "not-permitted")
            try await cora.get("/v1/studies/mindful-walking/audit").expectProblem(404, "not-found")
            try await admin.get("/v1/studies/no-such-study/audit").expectProblem(404, "not-found")

            let ids = try await cora.pages("\(Self.path)?limit=2").compactMap { $0["entry_id"]?.int }

            #expect(ids == ids.sorted(by: >) && Set(ids).count == ids.count && ids.count >= 2)
            #expect(try await admin.get(Self.path).status == 200)
        }
    }

    @Test func `filters select actions, actors and dates`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada in
            let cora = try await Self.member(.coordinator, like: ada)
            _ = try await cora.get("\(Self.path)?limit=1")
            let today = Zone.utc.local(of: ServerFixture.now).date
            let reading = try await cora.pages("\(Self.path)?action=data_read&limit=100")
            let ref = try #require(reading.first?["actor_ref"]?.string)

            #expect(Set(reading.map { $0["action"]?.string }) == ["data_read"])
            #expect(reading.contains { $0["actor_name"]?.string == "Ada Canary" })
            let joined = try await cora.pages("\(Self.path)?actor=participant&action=enrolled&limit=100")
            #expect(!joined.isEmpty && joined.allSatisfy { $0["actor_ref"]?.isNull == true })
            let own = try await cora.pages("\(Self.path)?actor=\(ref)&limit=100")
            #expect(!own.isEmpty && own.allSatisfy { $0["actor_ref"]?.string == ref })
            #expect(try await cora.pages("\(Self.path)?from=\(today.adding(days: 1))&limit=100").isEmpty)
            #expect(try await cora.pages("\(Self.path)?to=\(today.adding(days: -1))&limit=100").isEmpty)
            #expect(try await !cora.pages("\(Self.path)?from=\(today)&to=\(today)&limit=100").isEmpty)
            #expect(try await cora.pages("\(Self.path)?action=nothing_like_this&limit=100").isEmpty)
            for query in ["from=\(today)&to=\(today.adding(days: -1))", "cursor=x", "from=yesterday"] {
                try await cora.get("\(Self.path)?\(query)").expectProblem(400, "request-invalid")
            }
        }
    }

    @Test func `the arms of a filter are hidden from callers who may not see arms`() async throws {
        try await ServerFixture.withParticipant(in: Self.study) { ada in
            try await ada.server.store.record(
                AuditEntry(
                    actor: .system, action: "report_made", study: Self.study,
                    detail: ["filters": ["arms": ["zebracanary"], "questionnaires": ["pocket_note"]]]),
                at: ServerFixture.now)
            let query = "\(Self.path)?action=report_made"
            let cora = try await Self.member(.coordinator, like: ada)
            let sam = try await Self.member(.coordinator, seesArms: true, like: ada)
            let admin = try await Self.member(.admin, like: ada)

            #expect(try await sam.get(query).text.contains("zebracanary"))
            for caller in [cora, admin] {
                let answer = try await caller.get(query)
                let filters = answer.json["items"]?.array?.first?["detail"]?["filters"]
                #expect(!answer.text.contains("canary\"") && filters?["arms"]?.isNull == true)
                #expect(filters?["questionnaires"] == ["pocket_note"])
            }
        }
    }
}
