import SaunterCore
import SaunterServer

/// The query of a staff page with a table, as it is in the page's address: filters, order, position and format.
struct StaffQuery {
    /// The rows of one page.
    static let rowsPerPage = 50
    /// The query parameters that every page with a table has, besides its filters.
    static let names = ["sort", "cursor", "format"]

    /// The path of the page.
    let path: String
    /// The names of the filters.
    let filters: [String]
    private let values: [String: String]

    /// - Throws: `request-invalid` for an unknown format.
    init(_ request: PageRequest, path: String, filters: [String]) throws(Problem) {
        self.init(
            path: path, filters: filters,
            values: Dictionary(
                uniqueKeysWithValues: (filters + Self.names).map { ($0, request.call.query($0) ?? "") }))
        guard ["", "csv"].contains(self["format"]) else { throw Problem(.requestInvalid) }
    }

    /// - Parameter values: name -> value. An empty value is the same as none.
    init(path: String, filters: [String], values: [String: String]) {
        self.path = path
        self.filters = filters
        self.values = values
    }

    /// The value of a parameter; empty if it is absent.
    subscript(name: String) -> String { values[name] ?? "" }

    /// Whether the page is requested as a file.
    var isCSV: Bool { self["format"] == "csv" }
    /// Whether any filter is set.
    var isFiltered: Bool { filters.contains { !self[$0].isEmpty } }

    /// The query of the route that lists the rows.
    var ofRoute: String {
        let pairs = text(of: filters + ["sort", "cursor"], [:])
        return (["limit=\(Self.rowsPerPage)"] + pairs).joined(separator: "&")
    }

    /// The address of the page in another order, from its first row.
    func address(sort: String) -> String { address(filters + ["sort"], ["sort": sort]) }

    /// The address of the page that begins after a row.
    /// - Parameter cursor: nil for the first page.
    func address(cursor: String?) -> String {
        address(filters + ["sort", "cursor"], ["cursor": cursor ?? ""])
    }

    /// The address of the page with another value of a filter, at the same row.
    func address(filter name: String, _ value: String) -> String {
        address(filters + ["sort", "cursor"], [name: value])
    }

    /// The address of the file with the rows of this page.
    var csvAddress: String { address(filters + ["sort", "cursor", "format"], ["format": "csv"]) }

    /// The address of the page without filters.
    var unfilteredAddress: String { address(["sort"], [:]) }

    // MARK: Dates

    /// The filters with the first and the last date.
    private static let dates = ["from", "to"]

    /// Reads what the page shows. If the API rejects nothing but the dates, the page shows what it shows without dates,
    /// and the faults are at the fields. A file has no field for them.
    /// - Throws: what `read` throws for another reason.
    func read<Value>(
        _ request: PageRequest, _ read: (StaffQuery) async throws -> Value
    ) async throws -> (value: Value, faults: FormFaults) {
        var faults = FormFaults(request.words)
        do {
            return (try await read(self), faults)
        } catch let problem as Problem where problem.type == .requestInvalid {
            let names = problem.faults.map { String($0.pointer.dropFirst()) }
            guard !isCSV, !names.isEmpty, names.allSatisfy({ Self.dates.contains($0) }) else { throw problem }
            for (fault, name) in zip(problem.faults, names) {
                let text = request.words["staff", "fault_\(fault.code)"]
                faults.add(text ?? request.words.text("staff", "fault_date"), field: "filter-\(name)")
            }
            var values = values
            for name in Self.dates { values[name] = nil }
            let undated = StaffQuery(path: path, filters: filters, values: values)
            return (try await read(undated), faults)
        }
    }

    private func address(_ names: [String], _ changes: [String: String]) -> String {
        let pairs = text(of: names, changes)
        return pairs.isEmpty ? path : "\(path)?\(pairs.joined(separator: "&"))"
    }

    private func text(of names: [String], _ changes: [String: String]) -> [String] {
        names.map { ($0, changes[$0] ?? self[$0]) }.filter { !$0.1.isEmpty }
            .map { "\($0.0)=\(PageAddress.encode($0.1))" }
    }
}
