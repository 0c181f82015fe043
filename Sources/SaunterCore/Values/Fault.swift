/// One fault of an input, and its position. It never contains the value of an answer.
package struct Fault: Error, Hashable, Sendable {
    /// The JSON Pointer (RFC 6901) into the body; empty for the complete body.
    package var pointer: String
    /// A stable slug that clients may branch on, such as `required` or `above_maximum`.
    package var code: String
    /// The explanation for people, in English.
    package var detail: String
    /// The names of the other parts of the definition that the fault refers to: linkIds of items, ids of scales, codes
    /// of questionnaires. If one of these parts could not be read, that may be the only cause of the fault.
    package var names: [String]

    /// - Parameter names: the other parts of the definition that the fault refers to.
    package init(pointer: String, code: String, detail: String, names: [String] = []) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
        self.names = names
    }

    /// Escapes one step of a JSON Pointer: `~` becomes `~0`, and `/` becomes `~1`.
    package static func escape(_ step: String) -> String {
        guard step.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return step
        }
        return step.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }
}

/// All faults of an input. The list is never empty.
package struct Faults: Error, Hashable, Sendable {
    /// The faults, in the order in which they were found.
    package var list: [Fault]

    /// Creates the error with these faults.
    package init(_ list: [Fault]) {
        self.list = list
    }
}
