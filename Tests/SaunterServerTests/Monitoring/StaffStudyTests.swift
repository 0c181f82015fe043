import Foundation
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The list of the studies of a member of study teams.
@Suite struct StaffStudyTests {
    private static func study(
        _ code: String, alerts: Int? = 0, isSilent: Bool = false, isClosed: Bool = false, enrolled: Int? = 1
    ) -> StaffStudy {
        var study = StaffStudy(
            study: code, title: code, liveVersion: "1.0.0", closedAt: isClosed ? ServerFixture.now : nil,
            roles: [.researcher], fullExport: false)
        study.openAlerts = alerts
        study.numbers = enrolled.map { count in
            var numbers = StudyNumbers()
            numbers.enrolled = count
            numbers.isSilent = isSilent
            return numbers
        }
        return study
    }

    private static func sorted(_ studies: [StaffStudy], by sort: String) throws -> [String] {
        let order = try #require(StaffStudyOrder(sort))
        return studies.sorted { order.position(of: $0) < order.position(of: $1) }.map(\.study)
    }

    @Test func `studies with open alerts are first, then silent ones, and closed ones are last`() throws {
        let studies = [
            Self.study("a", isClosed: true), Self.study("b"), Self.study("c", isSilent: true),
            Self.study("d", alerts: 2), Self.study("e", alerts: nil, enrolled: nil),
        ]

        #expect(try Self.sorted(studies, by: "attention") == ["d", "c", "b", "e", "a"])
    }

    @Test func `studies without the value are last in both directions`() throws {
        let studies = [
            Self.study("a", enrolled: nil), Self.study("b", enrolled: 5), Self.study("c", enrolled: 9),
            Self.study("d", enrolled: 5),
        ]

        #expect(try Self.sorted(studies, by: "enrolled") == ["b", "d", "c", "a"])
        #expect(try Self.sorted(studies, by: "-enrolled") == ["c", "b", "d", "a"])
    }

    @Test func `every role sees its studies, and only researchers see numbers of participants`() async throws
    {
        try await ServerFixture.withParticipant(in: "small-steps") { caller in
            for role in Role.allCases {
                var member = caller
                member.token = try await caller.server.makeLogin(Grant(role: role, study: "small-steps"))
                    .accessToken

                let page = try await member.get("/v1/staff/studies")

                #expect(page.status == 200)
                let items = page.json["items"]?.array ?? []
                #expect(items.compactMap { $0["study"]?.string } == ["small-steps"])
                #expect(items.first?["roles"] == [.string(role.rawValue)])
                let enrolled = items.first?["enrolled"]?.int
                #expect(role.readsAnswers ? enrolled ?? 0 >= 1 : enrolled == nil, "\(role)")
                let seesAlerts = role == .coordinator || role == .admin
                #expect((items.first?["open_alerts"]?.int != nil) == seesAlerts, "\(role)")
            }
        }
    }

    @Test func `a researcher who asks for no numbers gets the study without them`() async throws {
        try await ServerFixture.withParticipant(in: "small-steps") { caller in
            var rosa = caller
            rosa.token = try await caller.server.makeLogin(Grant(role: .researcher, study: "small-steps"))
                .accessToken

            let counted = try await rosa.get("/v1/staff/studies?study=small-steps&numbers=true").json["items"]
            let plain = try await rosa.get("/v1/staff/studies?study=small-steps&numbers=false").json["items"]

            for name in ["enrolled", "active", "due_today", "answered_today", "late_today", "silent"] {
                #expect(counted?.array?.first?[name] != .null, "\(name)")
                #expect(plain?.array?.first?[name] == .null, "\(name)")
            }
            #expect(plain?.array?.first?["title"] == counted?.array?.first?["title"])
        }
    }

    @Test(arguments: [
        ("mindful-walking", true, true), ("training-or-waiting", false, true), ("pocket-diary", true, false),
        ("open-door", false, false),
    ])
    func `a study states whether it has walks and more than one arm`(
        code: String, hasWalks: Bool, hasArms: Bool
    ) async throws {
        try await ServerFixture.withCaller { caller in
            var editor = caller
            editor.token = try await caller.server.makeLogin(Grant(role: .editor, study: code)).accessToken

            let found = try await editor.get("/v1/staff/studies?study=\(code)&numbers=false").json["items"]

            #expect(found?.array?.first?["has_walks"] == .bool(hasWalks))
            #expect(found?.array?.first?["has_arms"] == .bool(hasArms))
        }
    }

    @Test func `an admin of all studies gets all of them, page by page`() async throws {
        try await ServerFixture.withCaller { caller in
            var admin = caller
            admin.token = try await caller.server.makeLogin(Grant(role: .admin, study: "*")).accessToken

            let found = try await admin.pages("/v1/staff/studies?sort=study&limit=2")
            let filtered = try await admin.pages("/v1/staff/studies?q=DIARY")

            // Other tests publish more studies.
            let codes = found.compactMap { $0["study"]?.string }
            #expect(codes == Set(codes).sorted() && Set(codes).isSuperset(of: ServerFixture.packs.keys))
            let diaries = Set(filtered.compactMap { $0["study"]?.string }).intersection(
                ServerFixture.packs.keys)
            #expect(diaries == ["closed-diary", "pocket-diary"])
            #expect(filtered.count < found.count)
        }
    }

    @Test(arguments: ["sort=size", "state=ended", "cursor=x", "study=-", "numbers=few"])
    func `an unknown filter, order or cursor is rejected`(query: String) async throws {
        try await ServerFixture.withResearcher { rosa in
            try await rosa.get("/v1/staff/studies?\(query)").expectProblem(400, "request-invalid")
        }
    }
}
