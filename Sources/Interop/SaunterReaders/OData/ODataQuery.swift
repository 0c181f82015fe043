import HTTPTypes
import SaunterCore
import SaunterEvaluation
import SaunterServer

/// The system query options of one request, validated against its table.
struct ODataQuery {
    /// The maximum number of rows on a page.
    static let maximumPageSize = 5000

    /// The selected properties, in the order of the reply.
    let properties: [String]
    let query: TableQuery
    /// The number of rows on this page.
    let pageSize: Int
    /// The number of rows that `$top` allows on this page and the following pages; nil if there is no limit.
    let remaining: Int?
    /// Whether the reply contains the number of all rows.
    let includesCount: Bool

    /// Throws `request-invalid`.
    init(_ call: Call<Identity>, _ table: Table) throws(Problem) {
        var query = TableQuery()
        let properties = try Self.select(call.query("$select"), table)
        // The key columns are always read, because the next link contains the key of the last row.
        query.columns = properties + table.key.filter { !properties.contains($0) }
        self.properties = properties
        if let filter = call.query("$filter") { query.condition = try ODataFilter.parse(filter, of: table) }
        query.descends = try Self.isDescending(call.query("$orderby"), table)
        var remaining = call.queryInt("$top")
        if let text = call.query("$skiptoken") {
            guard let cursor = Cursor(text), cursor.parts.count == table.key.count + 1 else {
                throw Problem.invalidParameter(
                    "$skiptoken", "It must be the $skiptoken of the nextLink of a page.")
            }
            query.after = Array(cursor.parts.dropLast())
            remaining = cursor.parts.last.flatMap { Int($0) } ?? remaining
        } else {
            query.skip = call.queryInt("$skip") ?? 0
        }
        self.remaining = remaining
        pageSize = max(0, min(remaining ?? .max, Self.preferredPageSize(call) ?? .max, Self.maximumPageSize))
        // One row more shows whether there is a next page.
        query.limit = pageSize + 1
        self.query = query
        includesCount = call.queryBool("$count") ?? false
    }

    /// The `$skiptoken` of the page after the row with this key; nil if `$top` allows no more rows.
    func token(after key: [String]) -> String? {
        guard let remaining else { return Cursor(key + [""]).text }
        return remaining > pageSize ? Cursor(key + [String(remaining - pageSize)]).text : nil
    }

    /// The page size of the header `Prefer: odata.maxpagesize=…`.
    private static func preferredPageSize(_ call: Call<Identity>) -> Int? {
        for entry in (call.headers[.prefer] ?? "").split(separator: ",") {
            let halves = entry.filter { $0 != " " }.split(separator: "=")
            guard halves.count == 2, ["odata.maxpagesize", "maxpagesize"].contains(halves[0].lowercased())
            else {
                continue
            }
            if let size = Int(halves[1]), size > 0 { return size }
        }
        return nil
    }

    /// The properties that `$select` names, each once; without it all columns.
    private static func select(_ text: String?, _ table: Table) throws(Problem) -> [String] {
        let all = table.columns.map(\.name)
        guard let text, text != "*" else { return all }
        var names: [String] = []
        for entry in text.split(separator: ",") {
            let name = String(entry.filter { $0 != " " })
            guard all.contains(name) else {
                throw Problem.invalidParameter("$select", "\(table.name) has no property \(name.prefix(60)).")
            }
            if !names.contains(name) { names.append(name) }
        }
        guard !names.isEmpty else {
            throw Problem.invalidParameter("$select", "It must name at least one property.")
        }
        return names
    }

    /// Whether `$orderby` asks for descending order. It must name the first key properties in their order, all in one
    /// direction.
    private static func isDescending(_ text: String?, _ table: Table) throws(Problem) -> Bool {
        guard let text else { return false }
        var directions: Set<String> = []
        for (index, entry) in text.split(separator: ",").enumerated() {
            let words = entry.split(separator: " ").map(String.init)
            guard index < table.key.count, words.first == table.key[index], words.count <= 2,
                words.count == 1 || words[1] == "asc" || words[1] == "desc"
            else {
                throw Problem.invalidParameter(
                    "$orderby", "Rows can only be sorted by \(table.key.joined(separator: ", ")).")
            }
            directions.insert(words.count == 2 ? words[1] : "asc")
        }
        guard directions.count <= 1 else {
            throw Problem.invalidParameter("$orderby", "All properties must have the same direction.")
        }
        return directions == ["desc"]
    }
}
