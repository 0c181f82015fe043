/// One thing that is wrong with an input, and where. Never carries an answer's value.
package struct Fault: Error, Hashable, Sendable {
    /// JSON Pointer (RFC 6901) into the body; empty for the whole of it.
    package var pointer: String
    /// A stable slug that clients may branch on, such as `required` or `above_maximum`.
    package var code: String
    /// For people, in English.
    package var detail: String

    package init(pointer: String, code: String, detail: String) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }

    /// Escapes one step of a JSON Pointer.
    package static func escape(_ step: String) -> String {
        guard step.utf8.contains(where: { $0 == UInt8(ascii: "~") || $0 == UInt8(ascii: "/") }) else {
            return step
        }
        return step.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
            .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
    }
}

/// Everything that is wrong with an input; never empty.
package struct Faults: Error, Hashable, Sendable {
    package var list: [Fault]

    package init(_ list: [Fault]) {
        self.list = list
    }
}
