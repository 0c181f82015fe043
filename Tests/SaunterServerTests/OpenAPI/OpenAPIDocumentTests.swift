import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import SaunterCore
import Testing

@testable import SaunterServer

@Suite struct OpenAPIDocumentTests {
    /// The sample routes, the operation routes, and the routes of the documents.
    static func routes() throws -> [Route] {
        let operation = OperationRoutes(checks: []) { "" }.routes
        return ReferenceRoutes.adding(
            to: SampleGateway.routes + operation, version: "1.2.3", publicURL: "https://s.example")
    }

    private static func document() throws -> JSON {
        try OpenAPIDocument.json(routes: routes(), version: "1.2.3", publicURL: "https://s.example")
    }

    @Test func `the document contains exactly the routes of the table`() throws {
        let document = try Self.document()

        let documented = (document["paths"]?.object ?? [:]).flatMap { path in
            (path.value.object ?? [:]).map { "\($0.name.uppercased()) \(path.name)" }
        }
        #expect(try Set(documented) == Set(Self.routes().map { "\($0.method) \($0.path)" }))
        #expect(documented.contains("GET /openapi.json"))
    }

    @Test func `the server sends the document, which also describes its own route`() async throws {
        let routes = try Self.routes()
        try await SampleGateway.application(routes: routes).test(.router) { client async throws in
            let answer = try await client.send(.get, "/openapi.json")

            #expect(answer.json == (try Self.document()))
            #expect(answer.headers[.contentType] == "application/json")
            let tag = try #require(answer.headers[.eTag])
            #expect(try await client.send(.get, "/openapi.json", headers: [.ifNoneMatch: tag]).status == 304)
        }
    }

    @Test func `a validator of OpenAPI 3.1 finds no error`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "openapi-\(UUID().uuidString).json")
        try Data(Self.document().bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let python = ProcessInfo.processInfo.environment["SAUNTER_TEST_PYTHON"] ?? "python3"

        let run = try await Program.run([
            python, "-m", "openapi_spec_validator", "--schema", "3.1", file.path,
        ])

        #expect(
            run.status == 0,
            "\(run.output) (if the validator is missing: \(python) -m pip install openapi-spec-validator)")
    }

    @Test func `parameters, bodies, security and errors are documented`() throws {
        let walk = try #require(try Self.document()["paths"]?["/v1/enrolments/{id}/walks/{walk_id}"]?["put"])

        #expect(walk["parameters"]?.array?.compactMap { $0["name"]?.string } == ["id", "walk_id"])
        #expect(walk["security"] == .array([["access_token": []]]))
        let metrics = try #require(try Self.document()["paths"]?["/metrics"]?["get"])
        #expect(metrics["security"] == .array([[:], ["metrics_token": []]]))
        #expect(walk["requestBody"]?["required"] == true)
        let statuses = walk["responses"]?.object?.names ?? []
        #expect(
            Set(["201", "400", "401", "404", "408", "409", "413", "415", "422", "429", "500", "503", "507"])
                .isSubset(of: statuses))
        #expect(walk["responses"]?["422"]?["x-problem-types"] == .array(["body-invalid", "walk-invalid"]))
        #expect(walk["responses"]?["409"]?["content"]?.object?.names == ["application/problem+json"])
    }

    @Test func `the 503 of a health check has the body of the check`() throws {
        let ready = try #require(try Self.document()["paths"]?["/health/ready"]?["get"]?["responses"]?["503"])

        #expect(ready["content"]?.object?.names == ["application/json"])
    }

    @Test func `a route with entity tags documents 304 and If-None-Match`() throws {
        let study = try #require(try Self.document()["paths"]?["/v1/studies/{study}"]?["get"])

        #expect(study["responses"]?["304"] != nil)
        #expect(study["parameters"]?.array?.contains { $0["name"] == "If-None-Match" } == true)
        #expect(study["security"] == .array([]))
    }
}
