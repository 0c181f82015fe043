/// What is wrong with a file of statements, at which line (counted from 1).
package struct StatementFileFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong.
    package enum Reason: Sendable, Hashable {
        /// Text before the first header that is no comment.
        case textBeforeFirstHeader
        /// A header that is not `-- name: some_name(parameter type, …) :many|:one|:exec`.
        case headerUnreadable
        case nameRepeated(String)
        case parameterRepeated(String)
        /// A header without a statement below it.
        case statementMissing(String)
        /// Text after the first semicolon: a statement is one statement.
        case severalStatements(String)
        /// The header declares another number of parameters than the highest `$n` in the statement.
        case parameterCount(String, declared: Int, used: Int)
        /// A quotation or comment that does not end.
        case unclosed(String)
    }

    /// The line of the header, or of the text before the first one.
    package let line: Int
    /// What is wrong there.
    package let reason: Reason

    /// A fault at a line.
    package init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// One line for people.
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
        case .parameterCount(let name, let declared, let used):
            "\(name) declares \(declared) parameters and uses \(used)"
        case .unclosed(let name): "\(name) has a quotation or comment without an end"
        }
    }
}
