import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterStore

/// A study as spreadsheets and report builders read it: the dataset's tables as an OData v4 feed, page by page.
struct ODataRoutes: Sendable {
    static let contentType = "application/json;odata.metadata=minimal"
    static let version = HTTPField.Name("OData-Version")!

    let context: ServerContext

    var service: Route {
        Route(
            .get, "/v1/studies/{study}/odata/", who: .reader, tag: "Readers",
            summary: "Tables of the study as an OData v4 feed",
            description: """
                For Excel, Power BI and others: the address of the feed, and the API token as password of the basic authentication, with any user name. The \
                tables, columns and codes are those of the dataset; samples of walks are left out.
                """,
            parameters: [.study], query: [Self.format],
            outcomes: [
                .document(
                    .ok, "The entity sets.", Self.listSchema("ODataService"), contentType: Self.contentType)
            ], refusals: .odata
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
            summary: "Types of the feed's tables", parameters: [.study],
            query: [
                QueryParameter("$format", .string(values: ["xml", "application/xml"]), "There is only XML.")
            ],
            outcomes: [.file(.ok, "CSDL.", contentType: "application/xml")], refusals: .odata
        ) { call in
            let tables = try await tables(call, try call.text("study"))
            return .bytes(
                Array(ODataMetadata.xml(tables).utf8), contentType: "application/xml", headers: Self.headers)
        }
    }

    var rows: Route {
        Route(
            .get, "/v1/studies/{study}/odata/{entity_set}", who: .reader, tag: "Readers",
            summary: "Rows of a table",
            description: """
                At most \(ODataQuery.pageSize) a page, or fewer by `Prefer: odata.maxpagesize`; @odata.nextLink leads on. Each page is of one snapshot. \
                `$filter` compares properties with literals by eq, ne, gt, ge, lt and le, joined by and, or, not and parentheses. `$orderby` takes the key.
                """,
            parameters: [.study, Self.entitySet],
            query: [
                QueryParameter("$select", .string(maxLength: 8000), "Properties, with commas between."),
                Self.filter,
                QueryParameter("$orderby", .string(maxLength: 400), "The key, ascending or descending."),
                QueryParameter("$top", .integer(min: 0), "Rows at most."),
                QueryParameter("$skip", .integer(min: 0, max: 10_000_000), "Rows that are passed over."),
                QueryParameter("$skiptoken", .string(minLength: 1, maxLength: 512), "Of a nextLink."),
                QueryParameter("$count", .boolean, "Whether to count all rows."), Self.format,
            ],
            outcomes: [
                .document(.ok, "A page.", Self.listSchema("ODataRows"), contentType: Self.contentType)
            ],
            refusals: .odata
        ) { call in
            let study = try call.text("study")
            let (table, query) = try await query(call, study)
            let (csv, total) = try await read(call, study) { reading -> ([UInt8], Int?) in
                let rows = try await reading.rows(of: table, query.query)
                guard query.counts else { return (rows, nil) }
                return (rows, try await reading.count(of: table, query.query.condition))
            }
            let page = try ODataRows(table: table, shown: query.shown).json(csv, most: query.size)
            try await context.readings.note(
                call, study, api: "odata",
                [
                    "content": .string(table.name), "rows": .int(page.rows),
                    "profile": .string(ReadingDesk.profile(call.caller, study).rawValue),
                ])
            let names =
                query.shown.count == table.columns.count ? "" : "(\(query.shown.joined(separator: ",")))"
            var head: JSONObject = [
                "@odata.context": .string("\(base(study))$metadata#\(table.name)\(names)")
            ]
            if let total { head["@odata.count"] = .int(total) }
            if page.isMore, page.rows > 0, let token = query.token(after: page.last) {
                head["@odata.nextLink"] = .string(next(call, base(study) + table.name, token))
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
            summary: "Number of rows of a table", parameters: [.study, Self.entitySet],
            query: [Self.filter],
            outcomes: [.file(.ok, "A number.", contentType: "text/plain")], refusals: .odata
        ) { call in
            let study = try call.text("study")
            let (table, query) = try await query(call, study)
            let count = try await read(call, study) { reading in
                try await reading.count(of: table, query.query.condition)
            }
            try await context.readings.note(
                call, study, api: "odata", ["content": .string(table.name), "count": .int(count)])
            return .bytes(Array(String(count).utf8), contentType: "text/plain", headers: Self.headers)
        }
    }

    // MARK: Reading

    /// Long series of samples are for the dataset, whose files hold them compactly.
    private func tables(_ call: Call<Identity>, _ study: String) async throws -> [Table] {
        do {
            let definitions = try await context.readings.reading.definitions(of: study)
            return DatasetReading.tables(of: definitions, ReadingDesk.profile(call.caller, study))
                .filter { $0.name != "walk_samples" }
        } catch DatasetFault.unknownStudy {
            throw Problem(.notFound)
        }
    }

    private func query(_ call: Call<Identity>, _ study: String) async throws -> (Table, ODataQuery) {
        let name = try call.text("entity_set")
        guard let table = try await tables(call, study).first(where: { $0.name == name }) else {
            throw Problem(.notFound, "There is no such entity set.")
        }
        return (table, try ODataQuery(call, table))
    }

    private nonisolated(nonsending) func read<Value>(
        _ call: Call<Identity>, _ study: String,
        _ body: nonisolated(nonsending) (OpenReading) async throws -> Value
    ) async throws -> Value {
        do {
            return try await context.readings.reading.read(
                study, profile: ReadingDesk.profile(call.caller, study), now: call.now
            ) { try await body($0) }
        } catch let fault as TableQueryFault {
            throw ODataQuery.invalid(fault == .place ? "$skiptoken" : "$filter", "\(fault).")
        }
    }

    private func base(_ study: String) -> String {
        "\(context.configuration.publicURL)/v1/studies/\(study)/odata/"
    }

    private func next(_ call: Call<Identity>, _ path: String, _ token: String) -> String {
        let pairs =
            call.pageQuery.filter { !["$skiptoken", "$skip", "$top", "$count"].contains($0.name) }
            + [(name: "$skiptoken", value: token)]
        return path + "?"
            + pairs.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }

    private static let headers: HTTPFields = [version: "4.0"]
    private static let entitySet = PathParameter.text("entity_set", "A table.", example: "sheets")
    private static let filter = QueryParameter("$filter", .string(maxLength: 4000), "Which rows.")
    private static let format = QueryParameter(
        "$format", .string(values: ["json", "application/json", contentType]), "There is only JSON.")

    private static func listSchema(_ name: String) -> Schema {
        .named(
            name,
            .object(
                [
                    .required("@odata.context", .string()),
                    .required("value", .array(of: .map(of: .any))),
                ], additional: .any))
    }
}

extension HTTPField.Name {
    /// `Prefer` (RFC 7240).
    static let prefer = HTTPField.Name("Prefer")!
}
