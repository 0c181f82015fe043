import HTTPTypes
import SaunterCore
import SaunterEvaluation

/// The system query options of one request, checked against its table.
struct ODataQuery {
    /// Rows of a page at most.
    static let pageSize = 5000

    /// Properties in the order in which they are told.
    let shown: [String]
    let query: TableQuery
    /// Rows of this page.
    let size: Int
    /// Rows that `$top` leaves, this page's included; nil is all.
    let rest: Int?
    let counts: Bool

    /// Throws `request-invalid`.
    init(_ call: Call<Identity>, _ table: Table) throws(Problem) {
        var query = TableQuery()
        let shown = try Self.select(call.query("$select"), table)
        // The key tells where the next page begins.
        query.columns = shown + table.key.filter { !shown.contains($0) }
        self.shown = shown
        if let filter = call.query("$filter") { query.condition = try ODataFilter.read(filter, of: table) }
        query.descends = try Self.descends(call.query("$orderby"), table)
        var rest = call.queryInt("$top")
        if let text = call.query("$skiptoken") {
            guard let cursor = Cursor(text), cursor.parts.count == table.key.count + 1 else {
                throw Self.invalid("$skiptoken", "It must come from the nextLink of a page.")
            }
            query.after = Array(cursor.parts.dropLast())
            rest = cursor.parts.last.flatMap { Int($0) } ?? rest
        } else {
            query.skip = call.queryInt("$skip") ?? 0
        }
        self.rest = rest
        size = max(0, min(rest ?? Self.pageSize, Self.preferred(call) ?? Self.pageSize, Self.pageSize))
        query.limit = size + 1
        self.query = query
        counts = call.queryBool("$count") ?? false
    }

    /// The token of the page behind the row with this key.
    func token(after key: [String]) -> String? {
        guard let rest else { return Cursor(key + [""]).text }
        return rest > size ? Cursor(key + [String(rest - size)]).text : nil
    }

    /// `Prefer: odata.maxpagesize=…`.
    private static func preferred(_ call: Call<Identity>) -> Int? {
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

    private static func select(_ text: String?, _ table: Table) throws(Problem) -> [String] {
        let all = table.columns.map(\.name)
        guard let text, text != "*" else { return all }
        var names: [String] = []
        for entry in text.split(separator: ",") {
            let name = String(entry.filter { $0 != " " })
            guard all.contains(name) else {
                throw invalid("$select", "\(table.name) has no property \(name.prefix(60)).")
            }
            if !names.contains(name) { names.append(name) }
        }
        guard !names.isEmpty else { throw invalid("$select", "It names no property.") }
        return names
    }

    /// The key's properties from the first on, all in one direction.
    private static func descends(_ text: String?, _ table: Table) throws(Problem) -> Bool {
        guard let text else { return false }
        var directions: Set<String> = []
        for (place, entry) in text.split(separator: ",").enumerated() {
            let words = entry.split(separator: " ").map(String.init)
            guard place < table.key.count, words.first == table.key[place], words.count <= 2,
                words.count == 1 || words[1] == "asc" || words[1] == "desc"
            else {
                throw invalid("$orderby", "Rows are ordered by \(table.key.joined(separator: ", ")) only.")
            }
            directions.insert(words.count == 2 ? words[1] : "asc")
        }
        guard directions.count <= 1 else { throw invalid("$orderby", "There is one direction for all.") }
        return directions == ["desc"]
    }

    static func invalid(_ name: String, _ detail: String) -> Problem {
        Problem(
            .requestInvalid, Faults([Fault(pointer: "/\(name)", code: "wrong_format", detail: detail)]))
    }
}
