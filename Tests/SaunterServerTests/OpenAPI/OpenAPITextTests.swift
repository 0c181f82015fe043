import HTTPTypes
import SaunterCore
import Testing

@testable import SaunterServer

/// The document of the real server, with the routes of all readers.
@Suite struct OpenAPITextTests {
    private static func withDocument(_ body: @Sendable ([Route], JSON) throws -> Void) async throws {
        try await ServerFixture.withCaller { caller async throws in
            let routes = caller.server.gateway.table.routes
            try body(
                routes, OpenAPIDocument.json(routes: routes, version: "1", publicURL: "https://s.example"))
        }
    }

    /// The properties of a schema and of the schemas inside of it, each with its path.
    private static func properties(of schema: JSON?, at path: String) -> [(path: String, schema: JSON)] {
        guard let schema else { return [] }
        let own = (schema["properties"]?.object ?? [:]).flatMap { member in
            [("\(path).\(member.name)", member.value)]
                + properties(of: member.value, at: "\(path).\(member.name)")
        }
        let inner = [schema["items"], schema["additionalProperties"]] + (schema["anyOf"]?.array ?? [])
        return own + inner.flatMap { properties(of: $0, at: path + "[]") }
    }

    @Test func `every property has a description`() async throws {
        try await Self.withDocument { _, document in
            var found: [(path: String, schema: JSON)] = []
            for schema in document["components"]?["schemas"]?.object ?? [:] {
                found += Self.properties(of: schema.value, at: schema.name)
            }
            for path in document["paths"]?.object ?? [:] {
                for operation in path.value.object ?? [:] {
                    let bodies =
                        [operation.value["requestBody"]]
                        + (operation.value["responses"]?.object ?? [:]).map(\.value)
                    for content in bodies.compactMap({ $0?["content"]?.object }).flatMap({ Array($0) }) {
                        let name = "\(operation.name) \(path.name)"
                        found += Self.properties(of: content.value["schema"], at: name)
                    }
                }
            }

            #expect(found.count > 500)
            for property in found {
                #expect(property.schema["description"]?.string?.isEmpty == false, "\(property.path)")
            }
        }
    }

    @Test func `every response with a body has an example that matches its schema`() async throws {
        try await Self.withDocument { routes, _ in
            for route in routes {
                for outcome in route.allOutcomes where outcome.contentType != nil {
                    let name = "\(route.method) \(route.path) \(outcome.status.code)"
                    // Archives and media have no example that a person can read.
                    guard outcome.contentType != "application/zip", outcome.contentType != "*/*" else {
                        continue
                    }
                    let example = try #require(outcome.example, "\(name)")
                    let faults = outcome.schema?.faults(in: example) ?? []
                    #expect(faults.isEmpty, "\(name): \(faults)")
                }
            }
        }
    }

    @Test func `every operation has a response example`() async throws {
        try await Self.withDocument { _, document in
            for path in document["paths"]?.object ?? [:] {
                for operation in path.value.object ?? [:] {
                    let content = (operation.value["responses"]?.object ?? [:])
                        .compactMap { $0.value["content"]?.object }.flatMap { $0.map(\.value) }
                    #expect(
                        content.contains { $0["example"] != nil || $0["examples"] != nil },
                        "\(operation.name) \(path.name)")
                }
            }
        }
    }

    @Test(arguments: ["OutboxItem", "UsageEvent", "SheetCorrection", "Deletion"])
    func `the schemas of batch uploads are defined`(_ name: String) async throws {
        try await Self.withDocument { _, document in
            #expect(document["components"]?["schemas"]?[name]?["properties"] != nil)
        }
    }

    @Test func `every reference in the document has a target`() async throws {
        try await Self.withDocument { _, document in
            let references = Set(document.text.matches(of: /"#\/([^"]+)"/).map { String($0.output.1) })

            #expect(references.count > 50)
            for reference in references {
                let target = reference.split(separator: "/").reduce(document as JSON?) { $0?[String($1)] }
                #expect(target != nil, "\(reference)")
            }
        }
    }

    @Test func `a client deletes a record only after a result that means it is stored`() async throws {
        try await Self.withDocument { routes, document in
            let rejecting = routes.filter { $0.outcomes.contains { $0.schema.map(Self.canReject) ?? false } }
            #expect(rejecting.count >= 2)
            let sync = try #require(routes.first { $0.operationID == "post_v1_enrolments_id_sync" })
            #expect(sync.description.contains(RecordResult.rule))
            #expect(Walkthrough.steps.contains { $0.text.contains(RecordResult.rule) })
            let deleted = try #require(RecordResult.rule.firstMatch(of: /deletes[^.]*\./)).output
            #expect(!deleted.contains("rejected") && !deleted.contains("retry"))
            for action in [ProblemType.Action.correct, .updateApp, .signIn, .neverRetry] {
                #expect(RecordResult.rule.contains("`\(action.rawValue)`"))
            }
        }
    }

    private static func canReject(_ schema: Schema) -> Bool {
        var writer = SchemaWriter()
        let written = writer.write(schema).text + JSON.object(writer.components).text
        return written.contains("\"replayed\",") && written.contains("\"rejected\"")
    }
}
