/// The columns of a result: their names and types.
final class ColumnLayout: Sendable {
    /// A column of a result.
    struct Column: Sendable, Hashable {
        let name: String
        let type: OID
    }

    let columns: [Column]
    private let names: [String]

    init(_ columns: [Column]) {
        self.columns = columns
        names = columns.map(\.name)
    }

    static let none = ColumnLayout([])

    /// The index of the first column with this name. Comparing a few short names takes less time than computing one
    /// hash.
    func index(of name: String) -> Int? {
        names.firstIndex(of: name)
    }
}
