import Foundation
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The study `closed-diary` admits only participants with an enrolment code.
@Suite struct EnrolmentCodeRouteTests {
    private static let codes = "/v1/studies/closed-diary/enrolment-codes"

    @Test func `a closed study says that it needs a code`() async throws {
        try await ServerFixture.withCaller { anyone async throws in
            let closed = try await anyone.get("/v1/studies/closed-diary")
            #expect(closed.json["open"] == false && closed.json["needs_code"] == true)
            let open = try await anyone.get("/v1/studies/pocket-diary")
            #expect(open.json["open"] == true && open.json["needs_code"] == false)
        }
    }

    @Test func `a coordinator creates codes, and participants join with them`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let cora = try await Self.coordinator(caller)

            let created = try await cora.post(
                Self.codes, ["label": "Leaflet", "count": 3, "uses": 1, "expires_in": 3600])

            #expect(created.status == 201)
            let items = try #require(created.json["items"]?.array)
            let texts = items.compactMap { $0["code"]?.string }
            #expect(Set(texts).count == 3)
            #expect(items.allSatisfy { $0["state"] == "active" && $0["used"] == 0 && $0["uses"] == 1 })
            #expect(items.allSatisfy { $0["expires_at"] == "2026-11-21T18:30:00.000Z" })
            let ada = try await Self.join(
                caller, code: .string(texts[0].lowercased().replacing("-", with: " ")))
            #expect(ada.answer.status == 201)
            let listed = try await Self.list(cora)
            #expect(listed[items[0]["code_id"]?.string ?? ""]?["state"] == "used_up")
            #expect(listed[items[1]["code_id"]?.string ?? ""]?["state"] == "active")
            #expect(listed.values.allSatisfy { $0["code"] == nil })
        }
    }

    @Test func `without a code the response says what to do, together with all other faults`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let missing = try await Self.join(caller, code: nil)
            missing.answer.expectProblem(422, "body-invalid", ["/code"])
            #expect(missing.answer.faults == ["/code": "required"])
            #expect(missing.answer.text.contains("Ask the study team for one"))

            let empty = try await Self.join(
                caller, code: "", accepted: false, more: ["factors": ["sex": "female"]])
            empty.answer.expectProblem(422, "body-invalid", ["/code", "/consent/accepted", "/factors/sex"])
        }
    }

    @Test func `a code that cannot be used has one type of problem, and a reason`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let cora = try await Self.coordinator(caller)
            let codes = try await Self.create(cora, ["label": "Trial", "count": 2])
            _ = try await Self.join(caller, code: codes[0].code)
            let revoked = try await cora.send(.delete, "\(Self.codes)/\(codes[1].id)")
            #expect(revoked.status == 204)
            let expired = try await caller.server.store.insertEnrolmentCodes(
                EnrolmentCodeBatch(
                    study: "closed-diary", label: "Old", count: 1, maximumUses: 1,
                    expiresAt: ServerFixture.now),
                by: .system, now: ServerFixture.now.adding(seconds: -60))
            let foreign = try await caller.server.store.insertEnrolmentCodes(
                EnrolmentCodeBatch(
                    study: "pocket-diary", label: "Other", count: 1, maximumUses: 1,
                    expiresAt: ServerFixture.now.adding(seconds: 60)), by: .system, now: ServerFixture.now)

            let cases: [(JSON, String)] = [
                (codes[0].code, "used_up"), (codes[1].code, "revoked"),
                (.string(expired[0].secret.text), "expired"),
                (.string(foreign[0].secret.text), "unknown_code"),
                (.string(EnrolmentCodeSecret.make().text), "unknown_code"), ("K7QF-2M9X-HD3F", "mistyped"),
                ("let me in", "mistyped"),
            ]
            for (code, reason) in cases {
                let refused = try await Self.join(caller, code: code)
                refused.answer.expectProblem(422, "enrolment-code-invalid", ["/code"])
                #expect(refused.answer.faults == ["/code": reason])
            }
        }
    }

    @Test func `joining again replays, with any code, and uses nothing`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let cora = try await Self.coordinator(caller)
            let code = try await Self.create(cora, ["label": "Trial"])[0]
            let first = try await Self.join(caller, code: code.code)

            let repeated: [JSON?] = [code.code, nil, "nonsense"]
            for given in repeated {
                let again = try await Self.join(first.caller, code: given, isNew: false)
                #expect(again.answer.status == 200)
                #expect(again.answer.json["enrolment_id"] == first.answer.json["enrolment_id"])
            }

            #expect(try await Self.list(cora)[code.id]?["used"] == 1)
        }
    }

    @Test func `an open study records a valid code and rejects an invalid one`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let made = try await caller.server.store.insertEnrolmentCodes(
                EnrolmentCodeBatch(
                    study: "pocket-diary", label: "Poster", count: 1, maximumUses: 1,
                    expiresAt: ServerFixture.now.adding(seconds: 60)), by: .system, now: ServerFixture.now)[0]

            let wrong = try await Self.join(caller, to: "pocket-diary", code: "K7QF-2M9X-HD3E")
            wrong.answer.expectProblem(422, "enrolment-code-invalid", ["/code"])
            let joined = try await Self.join(caller, to: "pocket-diary", code: .string(made.secret.text))

            #expect(joined.answer.status == 201)
            let codes = try await caller.server.store.listEnrolmentCodes(
                of: "pocket-diary", before: nil, limit: 1000)
            #expect(codes.first { $0.id == made.code.id }?.uses == 1)
        }
    }

    @Test func `an account can try ten codes per hour, and a valid one resets the count`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let cora = try await Self.coordinator(caller)
            let code = try await Self.create(cora, ["label": "Trial"])[0]
            var eve = caller
            eve.token = try await caller.server.makeLogin().accessToken
            for _ in 0..<10 {
                let wrong = try await Self.join(
                    eve, code: .string(EnrolmentCodeSecret.make().text), isNew: false)
                wrong.answer.expectProblem(422, "enrolment-code-invalid")
            }

            let limited = try await Self.join(eve, code: code.code, isNew: false)

            limited.answer.expectProblem(429, "too-many-requests")
            #expect(limited.answer.headers[.retryAfter] != nil)
            let other = try await Self.join(caller, code: code.code)
            #expect(other.answer.status == 201)
        }
    }

    @Test(arguments: [
        (#"{"label": "", "count": 0, "uses": 0, "expires_in": 59}"#, "/label /count /uses /expires_in"),
        (
            #"{"label": "x", "count": 501, "uses": 10001, "expires_in": 157852801}"#,
            "/count /uses /expires_in"
        ),
        ("{}", "/label"),
    ])
    func `all faults of a request for codes are reported at once`(body: String, pointers: String) async throws
    {
        try await ServerFixture.withCaller { caller async throws in
            let answer = try await Self.coordinator(caller).post(Self.codes, text: body)

            answer.expectProblem(422, "body-invalid", Set(pointers.split(separator: " ").map(String.init)))
        }
    }

    @Test func `researchers, participants and coordinators of other studies cannot use the routes`()
        async throws
    {
        try await ServerFixture.withCaller { caller async throws in
            let rosa = try await caller.researcher(of: "closed-diary")
            try await rosa.post(Self.codes, ["label": "x"]).expectProblem(403, "not-permitted", [])
            try await rosa.get(Self.codes).expectProblem(403, "not-permitted", [])
            let stranger = try await Self.coordinator(caller, study: "pocket-diary")
            try await stranger.get(Self.codes).expectProblem(404, "not-found", [])
            // A coordinator of another study who is a researcher of this one knows that it exists.
            var both = caller
            let grants = [
                Grant(role: .coordinator, study: "pocket-diary"),
                Grant(role: .researcher, study: "closed-diary"),
            ]
            let login = try await caller.server.makeLogin(grants[0])
            try await caller.server.store.upsert(grants[1], for: login.account, now: ServerFixture.now)
            both.token = login.accessToken
            try await both.get(Self.codes).expectProblem(403, "not-permitted", [])
        }
    }

    @Test func `an admin of all studies may manage codes, and reads no data`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            var admin = caller
            admin.token = try await caller.server.makeLogin(Grant(role: .admin, study: "*")).accessToken

            #expect(try await admin.get(Self.codes).status == 200)
            try await admin.get("/v1/studies/no-study/enrolment-codes").expectProblem(404, "not-found", [])
            try await admin.get("/v1/studies/closed-diary/participants").expectProblem(
                403, "not-permitted", [])
        }
    }

    @Test func `a code of another study cannot be revoked here`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let cora = try await Self.coordinator(caller)
            let code = try await Self.create(cora, ["label": "Trial"])[0]
            let other = try await Self.coordinator(caller, study: "pocket-diary")

            let path = "/v1/studies/pocket-diary/enrolment-codes/\(code.id)"
            try await other.send(.delete, path).expectProblem(404, "not-found", [])

            #expect(try await Self.list(cora)[code.id]?["state"] == "active")
        }
    }

    @Test func `the audit names who created and revoked codes, and no code`() async throws {
        try await ServerFixture.withCaller { caller async throws in
            let login = try await caller.server.makeLogin(Grant(role: .coordinator, study: "closed-diary"))
            var cora = caller
            cora.token = login.accessToken
            let code = try await Self.create(cora, ["label": "Secret label", "uses": 2])[0]
            _ = try await cora.send(.delete, "\(Self.codes)/\(code.id)")

            let entries = try await caller.server.auditEntries(
                containing: caller.server.auditRef(of: login.account))

            #expect(entries.count == 2)
            #expect(entries.first?.hasPrefix("enrolment_codes_created") == true)
            #expect(entries.last?.hasPrefix("enrolment_code_revoked") == true)
            #expect(
                entries.allSatisfy { !$0.contains("Secret label") && !$0.contains(code.code.string ?? "") })
        }
    }

    // MARK: Requests

    private static func coordinator(_ caller: APICaller, study: String = "closed-diary") async throws
        -> APICaller
    {
        var coordinator = caller
        coordinator.token = try await caller.server.makeLogin(Grant(role: .coordinator, study: study))
            .accessToken
        return coordinator
    }

    private static func create(_ cora: APICaller, _ body: JSON) async throws -> [(id: String, code: JSON)] {
        let items = try #require(await cora.post(codes, body).json["items"]?.array)
        return items.map { ($0["code_id"]?.string ?? "", $0["code"] ?? .null) }
    }

    /// All codes by id, page by page.
    private static func list(_ cora: APICaller) async throws -> [String: JSON] {
        var found: [String: JSON] = [:]
        var path: String? = "\(codes)?limit=3"
        while let next = path {
            let page = try await cora.get(next)
            #expect(page.status == 200)
            for item in page.json["items"]?.array ?? [] { found[item["code_id"]?.string ?? ""] = item }
            path = page.json["next"]?.string.map { "\(codes)?limit=3&cursor=\($0)" }
        }
        return found
    }

    /// Asks to join, as a new account if `isNew`.
    private static func join(
        _ caller: APICaller, to study: String = "closed-diary", code: JSON?, accepted: Bool = true,
        more: JSONObject = [:], isNew: Bool = true
    ) async throws -> (caller: APICaller, answer: Answer) {
        var account = caller
        if isNew { account.token = try await caller.server.makeLogin().accessToken }
        var body: JSONObject = [
            "consent": ["version": "1.0.0", "accepted": .bool(accepted)], "time_zone": "Europe/Berlin",
        ]
        if let code { body["code"] = code }
        for member in more { body[member.name] = member.value }
        return (account, try await account.post("/v1/studies/\(study)/enrolments", .object(body)))
    }
}
