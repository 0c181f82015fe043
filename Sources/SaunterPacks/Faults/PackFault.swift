import SaunterCore

/// One fault of a pack, with the position at which the author can correct it.
package struct PackFault: Error, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The path relative to the folder that contains `instruments` and `studies`, with `/` as the separator.
    package var file: String
    /// The first line is 1. A fault of the complete file has line 1.
    package var line: Int
    /// The explanation for people, in English.
    package var message: String

    /// - Parameter line: the first line is 1.
    package init(file: String, line: Int, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `file:line: message`, the format of compilers.
    package var description: String { "\(file):\(line): \(message)" }

    /// The fault as JSON.
    package var json: JSON {
        ["file": .string(file), "line": .int(line), "message": .string(message)]
    }

    /// Compares by file, then by line, then by message.
    package static func < (left: PackFault, right: PackFault) -> Bool {
        (left.file, left.line, left.message) < (right.file, right.line, right.message)
    }
}

/// All faults of a pack. The list is never empty.
package struct PackFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// Sorted by file and line.
    package var list: [PackFault]

    /// Sorts the faults and removes duplicates.
    package init(_ list: [PackFault]) {
        self.list = Set(list).sorted()
    }

    /// One fault per line.
    package var description: String { list.map(\.description).joined(separator: "\n") }
}
