import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterServer

/// A study for spreadsheets and report builders: the tables of the dataset as a paged OData v4 feed.
struct ODataRoutes: Sendable {
    private static let contentType = "application/json;odata.metadata=minimal"
    private static let versionHeader = HTTPField.Name("OData-Version")!

    let service: ReaderService

    var serviceDocument: Route {
        Route(
            .get, "/v1/studies/{study}/odata/", who: .reader, tag: "Readers",
            summary: "List the tables of the study as an OData v4 feed",
            description: """
                For Excel, Power BI and other clients. Enter the URL of the feed, and select basic authentication with any user name and the API token as \
                the password. The tables, columns and codes are those of the dataset. The feed contains neither the samples of walks and observations nor the tables that the \
                server computes, which are episodes and variables.
                """,
            parameters: [.study], query: [Self.format],
            outcomes: [
                .document(
                    .ok, "The entity sets.", Self.listSchema("ODataService"), contentType: Self.contentType,
                    example: Self.example(["name": "scores", "kind": "EntitySet", "url": "scores"]))
            ], errors: ODataError.format
        ) { call in
            let study = try call.text("study")
            let tables = try await tables(call, study)
            let body: JSON = [
                "@odata.context": .string(base(study) + "$metadata"),
                "value": .array(
                    tables.map { ["name": .string($0.name), "kind": "EntitySet", "url": .string($0.name)] }),
            ]
            return .document(body, contentType: Self.contentType, headers: Self.headers)
        }
    }

    var metadata: Route {
        Route(
            .get, "/v1/studies/{study}/odata/$metadata", who: .reader, tag: "Readers",
            summary: "Get the types of the tables", parameters: [.study],
            query: [
                QueryParameter(
                    "$format", .string(values: ["xml", "application/xml"]),
                    "The format; only XML is available.")
            ],
            outcomes: [
                .file(
                    .ok, "CSDL.", contentType: "application/xml",
                    example: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<edmx:Edmx Version=\"4.0\"")
            ], errors: ODataError.format
        ) { call in
            let tables = try await tables(call, try call.text("study"))
            return .bytes(
                Array(ODataMetadata.xml(tables).utf8), contentType: "application/xml", headers: Self.headers)
        }
    }

    var rows: Route {
        Route(
            .get, "/v1/studies/{study}/odata/{entity_set}", who: .reader, tag: "Readers",
            summary: "List the rows of a table",
            description: """
                A page has at most \(ODataQuery.maximumPageSize) rows; `Prefer: odata.maxpagesize` makes it smaller, and @odata.nextLink is the URL of the next \
                page. Each page is read from one snapshot. `$filter` compares properties with literals by eq, ne, gt, ge, lt and le, combined with and, or, \
                not and parentheses. `$orderby` accepts only the properties of the key.
                """,
            parameters: [.study, Self.entitySet],
            query: [
                QueryParameter(
                    "$select", .string(maxLength: 8000), "The properties to return, separated by commas."),
                Self.filter,
                QueryParameter(
                    "$orderby", .string(maxLength: 400), "The properties of the key, ascending or descending."
                ),
                QueryParameter("$top", .integer(min: 0), "The maximum number of rows."),
                QueryParameter("$skip", .integer(min: 0, max: 10_000_000), "The number of rows to skip."),
                QueryParameter(
                    "$skiptoken", .string(minLength: 1, maxLength: 512), "The token of a nextLink."),
                QueryParameter("$count", .boolean, "Whether the reply contains the number of all rows."),
                Self.format,
            ],
            outcomes: [
                .document(
                    .ok, "A page.", Self.listSchema("ODataRows"), contentType: Self.contentType,
                    example: Self.example(["participant_id": "P7K2M9", "scale": "total", "value": 60]))
            ],
            errors: ODataError.format
        ) { call in
            let study = try call.text("study")
            let (table, query) = try await query(call, study)
            let (csv, total) = try await read(call, study) { session -> ([UInt8], Int?) in
                let rows = try await session.rows(of: table, query.query)
                guard query.includesCount else { return (rows, nil) }
                return (rows, try await session.count(of: table, query.query.condition))
            }
            let page = try ODataRows(table: table, properties: query.properties).json(
                csv, maximum: query.pageSize)
            try await service.audit(
                call, study, api: "odata",
                [
                    "content": .string(table.name),
                    "profile": .string(ReaderService.profile(call.caller, study).rawValue),
                ])
            let names =
                query.properties.count == table.columns.count
                ? "" : "(\(query.properties.joined(separator: ",")))"
            var head: JSONObject = [
                "@odata.context": .string("\(base(study))$metadata#\(table.name)\(names)")
            ]
            if let total { head["@odata.count"] = .int(total) }
            if page.hasMore, page.rows > 0, let token = query.token(after: page.last) {
                head["@odata.nextLink"] = .string(nextLink(call, base(study) + table.name, token))
            }
            var bytes = JSON.object(head).bytes
            bytes.removeLast()
            bytes += Array(",\"value\":[".utf8) + page.bytes + Array("]}".utf8)
            return .bytes(bytes, contentType: Self.contentType, headers: Self.headers)
        }
    }

    var count: Route {
        Route(
            .get, "/v1/studies/{study}/odata/{entity_set}/$count", who: .reader, tag: "Readers",
            summary: "Count the rows of a table", parameters: [.study, Self.entitySet],
            query: [Self.filter],
            outcomes: [.file(.ok, "A number.", contentType: "text/plain", example: "128")],
            errors: ODataError.format
        ) { call in
            let study = try call.text("study")
            let (table, query) = try await query(call, study)
            let count = try await read(call, study) { session in
                try await session.count(of: table, query.query.condition)
            }
            try await service.audit(
                call, study, api: "odata", ["content": .string(table.name), "counted": true])
            return .bytes(Array(String(count).utf8), contentType: "text/plain", headers: Self.headers)
        }
    }

    private static func example(_ entry: JSON) -> JSON {
        [
            "@odata.context": "https://s.example/v1/studies/mindful-walking/odata/$metadata",
            "value": [entry],
        ]
    }

    // MARK: Reading

    /// The tables of the feed. Long series of samples are only in the dataset, because its files store them compactly.
    private func tables(_ call: Call<Identity>, _ study: String) async throws -> [Table] {
        let definitions = try await service.definitions(of: study, for: call.caller)
        return DatasetReader.tables(of: definitions, ReaderService.profile(call.caller, study))
            .filter { !["walk_samples", "observation_samples"].contains($0.name) }
    }

    private func query(_ call: Call<Identity>, _ study: String) async throws -> (Table, ODataQuery) {
        let name = try call.text("entity_set")
        guard let table = try await tables(call, study).first(where: { $0.name == name }) else {
            throw Problem(.notFound, "The feed has no entity set of this name.")
        }
        return (table, try ODataQuery(call, table))
    }

    private nonisolated(nonsending) func read<Value>(
        _ call: Call<Identity>, _ study: String,
        _ body: nonisolated(nonsending) (DatasetReadSession) async throws -> Value
    ) async throws -> Value {
        do {
            return try await service.read(study, for: call.caller, now: call.now) { try await body($0) }
        } catch let fault as TableQueryFault {
            throw Problem.invalidParameter(
                fault == .invalidKey ? "$skiptoken" : "$filter", "The query cannot be answered: \(fault).")
        }
    }

    private func base(_ study: String) -> String {
        "\(service.configuration.publicURL)/v1/studies/\(study)/odata/"
    }

    private func nextLink(_ call: Call<Identity>, _ path: String, _ token: String) -> String {
        let pairs =
            call.pageQuery.filter { !["$skiptoken", "$skip", "$top", "$count"].contains($0.name) }
            + [(name: "$skiptoken", value: token)]
        return path + "?"
            + pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    private static let headers: HTTPFields = [versionHeader: "4.0"]
    private static let entitySet = PathParameter.text("entity_set", "The name of a table.", example: "sheets")
    private static let filter = QueryParameter(
        "$filter", .string(maxLength: 4000), "The condition that the rows must meet.")
    private static let format = QueryParameter(
        "$format", .string(values: ["json", "application/json", contentType]),
        "The format; only JSON is available.")

    private static func listSchema(_ name: String) -> Schema {
        .named(
            name,
            .object(
                [
                    .required(
                        "@odata.context", .string(), "The address of the metadata that describes the rows."),
                    .required(
                        "value", .array(of: .map(of: .any)),
                        "The entries. Each one is an object with one member for each column."),
                ], additional: .any))
    }
}

extension HTTPField.Name {
    /// `Prefer` (RFC 7240).
    static let prefer = HTTPField.Name("Prefer")!
}
