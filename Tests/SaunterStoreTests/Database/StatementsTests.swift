import Foundation
import Postgres
import Testing

@testable import SaunterStore

@Suite struct StatementsTests {
    @Test func `every statement prepares against the schema with the parameters that its header declares`()
        async throws
    {
        try await StoreFixture.with { fixture in
            let statements = Statements.files.flatMap(\.all)
            #expect(statements.count > 60)
            for statement in statements {
                let types = try statement.parameters.map {
                    try #require(Self.types[$0.type], "\($0.type) in \(statement.name)")
                }
                let described = try await fixture.owner.withConnection {
                    try await $0.describe(statement, parameterTypes: types)
                }
                #expect(described.parameterTypes == types, "parameters of \(statement.name)")
                #expect(
                    (statement.cardinality == .exec) == described.columns.isEmpty, "rows of \(statement.name)"
                )
            }
        }
    }

    @Test func `every name is unique and is in one file only`() throws {
        let names = Statements.files.flatMap(\.all).map(\.name)
        #expect(Set(names).count == names.count)
        // What is between two quotation marks, and what is outside of them.
        let parts = Set(try Self.sources().components(separatedBy: "\""))
        #expect(names.filter { !parts.contains($0) } == [], "statements that are not used")
    }

    private static let types: [String: OID] = [
        "uuid": .uuid, "text": .text, "bytea": .bytea, "bool": .bool, "int2": .int2, "int4": .int4,
        "int8": .int8,
        "float8": .float8, "date": .date, "timestamptz": .timestamptz, "json": .json, "jsonb": .jsonb,
        "uuid[]": .uuidArray,
        "text[]": .textArray, "int2[]": .int2Array, "int4[]": .int4Array, "int8[]": .int8Array,
        "float8[]": .float8Array, "bool[]": .boolArray, "date[]": .dateArray,
        "timestamptz[]": .timestamptzArray, "bytea[]": .byteaArray,
    ]

    private static func sources() throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources/SaunterStore")
            .resolvingSymlinksInPath()
        let files = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var text = ""
        while let file = files?.nextObject() as? URL {
            if file.pathExtension == "swift" { text += try String(contentsOf: file, encoding: .utf8) }
        }
        return text
    }
}
