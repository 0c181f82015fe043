import Foundation
import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// Requests for the REDCap API that are rejected. Other suites read it with clients of REDCap.
@Suite struct REDCapRouteTests {
    private static let path = "/v1/studies/mindful-walking/redcap/api/"

    /// Sends the fields as a form, without an `Authorization` header.
    private static func post(
        _ fields: [String: String], _ caller: APICaller, path: String = path,
        authorization: String? = nil
    ) async throws -> Answer {
        let pairs = fields.map { "\(encoded($0))=\(encoded($1))" }
        var headers: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
        headers[.authorization] = authorization
        var anonymous = caller
        anonymous.token = nil
        return try await anonymous.send(
            .post, path, bytes: Array(pairs.joined(separator: "&").utf8), headers: headers)
    }

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }

    /// A new API token of a researcher.
    private static func secret(of rosa: APICaller) async throws -> String {
        let made = try await rosa.post("/v1/studies/mindful-walking/api-tokens", ["label": "tests"])
        return try #require(made.json["token"]?.string)
    }

    private static let errors: [([String: String], Int)] = [
        (["content": "hat"], 400), ([:], 422), (["content": "record", "format": "odm"], 400),
        (["content": "record", "record": "x"], 400), (["content": "record", "data": "[]"], 400),
        (["content": "record", "action": "delete"], 403), (["content": "record", "type": "wide"], 400),
        (["content": "record", "dateRangeBegin": "yesterday"], 400),
        (["content": "record", "fields[x]": "record_id"], 400), (["content": "file"], 400),
    ]

    @Test(arguments: errors, ["json", "csv", "xml"])
    func `errors have the requested format of REDCap`(
        _ error: (fields: [String: String], status: Int), _ format: String
    ) async throws {
        try await ServerFixture.withResearcher { rosa async throws in
            let fields = ["token": try await Self.secret(of: rosa), "returnFormat": format, "format": "json"]

            let answer = try await Self.post(fields.merging(error.fields) { $1 }, rosa)

            #expect(answer.status == error.status, "\(answer.text)")
            switch format {
            case "json": #expect(answer.json.object?.map(\.name) == ["error"])
            case "csv": #expect(answer.text.hasPrefix("ERROR: "))
            default: #expect(answer.text.contains("<error>"))
            }
        }
    }

    @Test func `records need a permission for the study`() async throws {
        let record = ["content": "record", "format": "json"]

        try await ServerFixture.withParticipant { ada async throws in
            let rosa = try await ada.researcher()
            let secret = try await Self.secret(of: rosa)
            func status(_ token: String) async throws -> Int {
                try await Self.post(record.merging(["token": token]) { $1 }, ada).status
            }

            #expect(try await Self.post(record, ada).status == 401)
            #expect(try await status(String(repeating: "0", count: 32)) == 401)
            #expect(try await status(String(secret.prefix(31))) == 401)
            #expect(try await status(secret.lowercased()) == 200)
            #expect(try await status(ada.token ?? "") == 403)
            // The final slash is optional, and an access token is accepted too.
            let bearer = try await Self.post(
                record, ada, path: String(Self.path.dropLast()),
                authorization: "Bearer \(rosa.token ?? "")")
            #expect(bearer.status == 200)
            let other = try await Self.post(
                record.merging(["token": secret]) { $1 }, ada,
                path: "/v1/studies/other-study/redcap/api/")
            #expect(other.status == 404)
            #expect(other.json.object?.map(\.name) == ["error"])
            // A token in the URL is an unknown parameter.
            let inURL = try await Self.post(record, ada, path: "\(Self.path)?token=\(secret)")
            #expect([400, 401].contains(inURL.status))
            var anonymous = ada
            anonymous.token = nil
            let json = try await anonymous.post(
                Self.path, ["content": "record", "format": "json", "token": .string(secret)])
            #expect(json.status == 415)
        }
    }
}
