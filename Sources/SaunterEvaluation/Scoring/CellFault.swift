/// A cell of a table of answers that cannot be read. Never quotes the cell.
package struct CellFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The first line of the file is 1.
    package let line: Int
    /// The column's name; nil for the record as a whole.
    package let column: String?
    package let detail: String

    package var description: String {
        "line \(line)\(column.map { ", column \($0)" } ?? ""): \(detail)"
    }
}
