/// An error in a statement file, with its line.
package struct StatementFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of the error. The first value of most cases is the name of the statement.
    package enum Reason: Sendable, Hashable {
        /// Text before the first header that is not a comment.
        case textBeforeFirstHeader
        /// A header that is not `-- name: some_name(parameter type, …) :many|:one|:exec`.
        case headerUnreadable
        case nameRepeated(String)
        case parameterRepeated(String)
        /// A header without a statement below it.
        case statementMissing(String)
        /// Text after the first semicolon. A header has exactly one statement.
        case severalStatements(String)
        /// The statement uses a parameter that its header does not declare.
        case parameterUndeclared(String, parameter: String)
        /// The header declares a parameter that the statement does not use.
        case parameterUnused(String, parameter: String)
        /// The statement uses `$1`. Statement files use named parameters (`:enrolment_id`).
        case parameterPositional(String, parameter: String)
        /// A quoted string, a quoted identifier or a comment without an end.
        case unterminated(String)
    }

    /// The line of the header, or of the text before the first header, counted from 1.
    package let line: Int
    /// The kind of the error.
    package let reason: Reason

    /// Creates an error at a line.
    package init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// The error in one line.
    package var description: String {
        "line \(line): \(sentence)"
    }

    private var sentence: String {
        switch reason {
        case .textBeforeFirstHeader: "text before the first `-- name:` line"
        case .headerUnreadable: "the header is not `-- name: some_name(parameter type, …) :many|:one|:exec`"
        case .nameRepeated(let name): "\(name) is defined twice"
        case .parameterRepeated(let name): "the parameter \(name) is declared twice"
        case .statementMissing(let name): "\(name) has no statement"
        case .severalStatements(let name): "\(name) has more than one statement"
        case .parameterUndeclared(let name, let parameter):
            "\(name) uses :\(parameter) but does not declare it"
        case .parameterUnused(let name, let parameter): "\(name) declares \(parameter) but does not use it"
        case .parameterPositional(let name, let parameter):
            "\(name) uses \(parameter); write the parameter's name with a colon before it"
        case .unterminated(let name):
            "\(name) has a quoted string, a quoted identifier or a comment without an end"
        }
    }
}
