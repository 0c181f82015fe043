import Foundation

/// A cell of a CSV table that cannot be read. It is only shown to the caller of a command, who owns the table.
package struct CellFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line in the file, from 1.
    package let line: Int
    /// The name of the column. Nil if the fault concerns the record.
    package let column: String?
    /// The content of the cell, without control characters and at most 40 characters of it. Nil if the fault concerns
    /// a name or a record.
    package let value: String?
    /// What is wrong, and what is permitted.
    package let detail: String

    init(line: Int, column: String? = nil, value: String? = nil, detail: String) {
        self.line = line
        self.column = column
        self.value = value.map { text in
            text.components(separatedBy: .controlCharacters).joined(separator: " ").prefix(40).description
        }
        self.detail = detail
    }

    /// One line that names the line and the column.
    package var description: String {
        let position = "line \(line)\(column.map { ", column \($0)" } ?? "")"
        return "\(position)\(value.map { ", value \"\($0)\"" } ?? ""): \(detail)"
    }
}

/// All faults of a table's header or rows; never empty.
package struct CellFaults: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults in the order of the file.
    package let list: [CellFault]

    init(_ list: [CellFault]) {
        self.list = list
    }

    /// All faults, one per line.
    package var description: String { list.map(\.description).joined(separator: "\n") }
}
