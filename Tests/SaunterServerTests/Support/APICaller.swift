import Foundation
import HTTPTypes
import HummingbirdTesting
import SaunterCore
import SaunterStore
import SaunterTesting
import Testing

@testable import SaunterServer

/// Sends requests to the server of the fixture, and checks that every response is documented.
struct APICaller: Sendable {
    let server: ServerFixture
    let client: any TestClientProtocol
    /// The access token; nil for a caller who is not logged in.
    var token: String?
    /// The id of the caller's enrolment.
    private(set) var enrolment = ""

    init(server: ServerFixture, client: any TestClientProtocol) {
        self.server = server
        self.client = client
    }

    /// A path below the caller's enrolment.
    func own(_ path: String) -> String { "/v1/enrolments/\(enrolment)\(path)" }

    /// The path of a new record below the caller's enrolment.
    func newRecord(_ noun: String) -> String { own("/\(noun)/\(UUID().uuidString.lowercased())") }

    // MARK: Requests

    func get(_ path: String) async throws -> Answer { try await send(.get, path) }

    func put(_ path: String, _ body: JSON) async throws -> Answer { try await send(.put, path, body) }

    func post(_ path: String, _ body: JSON) async throws -> Answer { try await send(.post, path, body) }

    /// Sends a text as JSON, also if it is not valid.
    func put(_ path: String, text: String) async throws -> Answer {
        try await send(.put, path, bytes: Array(text.utf8))
    }

    /// Sends a text as JSON, also if it is not valid.
    func post(_ path: String, text: String) async throws -> Answer {
        try await send(.post, path, bytes: Array(text.utf8))
    }

    func send(_ method: HTTPRequest.Method, _ path: String, _ body: JSON? = nil) async throws -> Answer {
        try await send(
            method, path, bytes: body?.bytes,
            headers: body == nil ? [:] : [.contentType: "application/json"])
    }

    /// Sends these bytes unchanged.
    func send(
        _ method: HTTPRequest.Method, _ path: String, bytes: [UInt8]?,
        headers: HTTPFields = [.contentType: "application/json"]
    ) async throws -> Answer {
        var headers = headers
        if let token { headers[.authorization] = "Bearer \(token)" }
        let answer = try await client.send(method, path, bytes: bytes, headers: headers)
        expectDocumented(answer, method, path)
        return answer
    }

    /// Checks that the route documents the status and the body of the response.
    private func expectDocumented(_ answer: Answer, _ method: HTTPRequest.Method, _ path: String) {
        guard case .route(let route, _) = server.gateway.table.match(method, path.prefix { $0 != "?" }) else {
            return
        }
        #expect(answer.headers[.requestID] != nil)
        if let slug = answer.slug {
            let documented = route.possibleProblems.map(\.slug)
            #expect(documented.contains(slug), "\(method) \(route.path): \(slug) is not documented")
            return
        }
        if let format = answer.headers[.contentType], answer.status >= 400,
            route.errorFormat.published.contains(where: { $0.contentType == format })
        {
            let documented = route.possibleProblems.map(\.status)
            #expect(documented.contains(answer.status), "\(method) \(route.path): \(answer.status)")
            return
        }
        let outcome = route.allOutcomes.first { $0.status.code == answer.status }
        #expect(outcome != nil, "\(method) \(route.path): \(answer.status) is not documented: \(answer.text)")
        if let schema = outcome?.schema, answer.headers[.contentType] != "application/x-ndjson" {
            #expect(schema.faults(in: answer.json) == [], "\(method) \(route.path)")
        }
    }

    // MARK: Accounts and enrolments

    /// Registers an account through the route, which hashes its password.
    mutating func register(email: String, password: String) async throws {
        let answer = try await post(
            "/v1/accounts",
            ["email": .string(email), "password": .string(password), "display_name": "Ada Canary"])
        try #require(answer.status == 201, "\(answer.text)")
        token = answer.json["access_token"]?.string
    }

    /// Enrols the caller through the route.
    mutating func enrol(in study: String = "mindful-walking") async throws {
        await ServerFixture.enrolmentPermits.acquire()
        let result: Result<Answer, any Error>
        do {
            result = .success(
                try await post(
                    "/v1/studies/\(study)/enrolments",
                    [
                        "consent": ["version": "1.0.0", "accepted": true],
                        "time_zone": .string(ServerFixture.zone.id), "language": "en",
                    ]))
        } catch {
            result = .failure(error)
        }
        await ServerFixture.enrolmentPermits.release()
        let answer = try result.get()
        try #require(answer.status == 201, "\(answer.text)")
        enrolment = answer.json["enrolment_id"]?.string ?? ""
    }

    /// The same caller as a new researcher of a study.
    func researcher(of study: String = "mindful-walking") async throws -> APICaller {
        var researcher = self
        researcher.token = try await server.makeLogin(Grant(role: .researcher, study: study)).accessToken
        return researcher
    }

    /// Another participant, who is logged in and enrolled in the study.
    func newParticipant(in study: String = "mindful-walking") async throws -> APICaller {
        var other = self
        other.token = try await server.makeLogin().accessToken
        try await other.enrol(in: study)
        return other
    }

    // MARK: Records

    /// Uploads a batch whose items are made with `SampleBatch.item`.
    /// - Parameter changes: other members of the batch, such as `device_id`.
    func sync(_ items: [JSON], _ changes: JSON = [:]) async throws -> Answer {
        let answer = try await post(own("/sync"), SampleBatch.body(items, changes))
        try #require(answer.status == 200, "\(answer.text)")
        return answer
    }

    /// Submits a valid record of this noun and id, which must be new.
    func create(_ noun: String, _ body: JSON, id: String = SampleBatch.newID()) async throws -> JSON {
        let answer = try await put(own("/\(noun)/\(id)"), body)
        try #require(answer.status == 201, "\(answer.text)")
        return answer.json
    }

    /// All items of a list, page by page.
    /// - Parameter path: contains at least one query parameter.
    func pages(_ path: String) async throws -> [JSON] {
        var (items, cursor) = ([JSON](), "")
        while true {
            let page = try await get(path + cursor)
            try #require(page.status == 200, "\(page.text)")
            items += page.json["items"]?.array ?? []
            guard let next = page.json["next"]?.string else { return items }
            cursor = "&cursor=\(next)"
        }
    }

    /// The entries of the overview by questionnaire.
    func overview() async throws -> [String: JSON] {
        let answer = try await get(own("/overview"))
        try #require(answer.status == 200, "\(answer.text)")
        let entries = (answer.json["items"]?.array ?? []).map { ($0["questionnaire"]?.string ?? "", $0) }
        return Dictionary(entries) { $1 }
    }

    /// The id of the occasion that the overview shows for a questionnaire; nil if it shows none.
    func openOccasion(of questionnaire: String) async throws -> JSON? {
        try await overview()[questionnaire]?["occasion_id"]
    }

    /// The ids of the stored answer sheets.
    func storedSheets() async throws -> [String] {
        let answer = try await get(own("/answer-sheets?limit=1000"))
        return answer.json["items"]?.array?.compactMap { $0["sheet_id"]?.string } ?? []
    }
}
