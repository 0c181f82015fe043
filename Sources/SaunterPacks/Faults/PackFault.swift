/// One thing that is wrong with a pack, where a person can put it right.
package struct PackFault: Error, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// Relative to the folder that holds `instruments` and `studies`, with `/` between the steps.
    package var file: String
    /// The first line is 1; a fault of the file as a whole stands on line 1.
    package var line: Int
    /// For people, in English.
    package var message: String

    /// - Parameter line: the first is 1.
    package init(file: String, line: Int, message: String) {
        self.file = file
        self.line = line
        self.message = message
    }

    /// `file:line: message`, as compilers write it.
    package var description: String { "\(file):\(line): \(message)" }

    /// By file, then line, then words.
    package static func < (left: PackFault, right: PackFault) -> Bool {
        (left.file, left.line, left.message) < (right.file, right.line, right.message)
    }
}

/// Everything that is wrong with a pack, in the order of files and lines; never empty.
package struct PackFaults: Error, Hashable, Sendable, CustomStringConvertible {
    /// In the order of files and lines.
    package var list: [PackFault]

    /// Sorted, and each fault once.
    package init(_ list: [PackFault]) {
        self.list = Set(list).sorted()
    }

    /// One fault a line.
    package var description: String { list.map(\.description).joined(separator: "\n") }
}
