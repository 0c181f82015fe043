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

    /// Of columns with one name the first is found. Going through a few short names takes less time than a hash of one.
    func index(of name: String) -> Int? {
        names.firstIndex(of: name)
    }
}
