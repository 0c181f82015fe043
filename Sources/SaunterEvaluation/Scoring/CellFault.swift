/// A cell of a CSV table that cannot be read. The description never quotes the content of the cell.
package struct CellFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line in the file, from 1.
    package let line: Int
    /// The name of the column. Nil if the fault concerns the record.
    package let column: String?
    /// What is wrong, without the content of the cell.
    package let detail: String

    package var description: String {
        "line \(line)\(column.map { ", column \($0)" } ?? ""): \(detail)"
    }
}

/// All faults of a table's header or rows; never empty.
package struct CellFaults: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults in the order of the file.
    package let list: [CellFault]

    init(_ list: [CellFault]) {
        self.list = list
    }

    package var description: String { list.map(\.description).joined(separator: "\n") }
}
