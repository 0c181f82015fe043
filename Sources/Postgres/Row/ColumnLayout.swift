/// The columns of a result: their names and types.
final class ColumnLayout: Sendable {
    /// A column of a result.
    struct Column: Sendable, Hashable {
        let name: String
        let type: OID
    }

    let columns: [Column]
    private let indexes: [String: Int]

    /// Of columns with one name the first is found.
    init(_ columns: [Column]) {
        self.columns = columns
        indexes = Dictionary(
            columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    static let none = ColumnLayout([])

    func index(of name: String) -> Int? {
        indexes[name]
    }
}
