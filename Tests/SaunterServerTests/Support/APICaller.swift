import Foundation
import HTTPTypes
import HummingbirdTesting
import SaunterCore
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
        let outcome = route.outcomes.first { $0.status.code == answer.status }
        #expect(outcome != nil, "\(method) \(route.path): \(answer.status) is not documented: \(answer.text)")
        if let schema = outcome?.schema {
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
        let answer = try await post(
            "/v1/studies/\(study)/enrolments",
            [
                "consent": ["version": "1.0.0", "accepted": true],
                "time_zone": .string(ServerFixture.zone.id), "language": "en",
            ])
        try #require(answer.status == 201, "\(answer.text)")
        enrolment = answer.json["enrolment_id"]?.string ?? ""
    }

    /// The ids of the stored answer sheets.
    func storedSheets() async throws -> [String] {
        let answer = try await get(own("/answer-sheets?limit=1000"))
        return answer.json["items"]?.array?.compactMap { $0["sheet_id"]?.string } ?? []
    }
}
