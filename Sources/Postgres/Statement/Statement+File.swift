extension Statement {
    /// Parses the text of a file of `sql/queries`. Returns the statements by name. Each statement follows a header and
    /// optional comments.
    ///
    ///     -- name: find_open_occasions(enrolment_id uuid, now timestamptz) :many
    ///     -- Due occasions only; withdrawn enrolments have none.
    ///     select occasion_id from occasion where …
    package static func parse(file: String) throws(StatementFileFault) -> [String: Statement] {
        var statements: [String: Statement] = [:]
        for section in try splitIntoSections(file) {
            do throws(StatementFileFault.Reason) {
                let statement = try section.makeStatement()
                if statements[statement.name] != nil { throw .nameRepeated(statement.name) }
                statements[statement.name] = statement
            } catch {
                throw StatementFileFault(line: section.line, reason: error)
            }
        }
        return statements
    }

    /// A header and the lines below it.
    private struct Section {
        /// The line of the header, counted from 1.
        let line: Int
        let header: Substring
        var body: [Substring] = []

        func makeStatement() throws(StatementFileFault.Reason) -> Statement {
            let header = try StatementHeader(header)
            let sql = body.joined(separator: "\n")
            let scan = SQLScanner(sql)
            if scan.isUnterminated { throw .unterminated(header.name) }
            if scan.isEmpty { throw .statementMissing(header.name) }
            if scan.hasSeveralStatements { throw .severalStatements(header.name) }
            return Statement(
                name: header.name, sql: try numberParameters(sql, scan, header),
                cardinality: header.cardinality,
                parameters: header.parameters)
        }

        /// Replaces each named parameter with its number, because PostgreSQL has only numbered parameters. `$2` is the
        /// second declared parameter.
        private func numberParameters(
            _ sql: String, _ scan: SQLScanner, _ header: StatementHeader
        ) throws(StatementFileFault.Reason) -> String {
            if let positional = scan.positionalParameter {
                throw .parameterPositional(header.name, parameter: positional)
            }
            let bytes = Array(sql.utf8)
            var result: [UInt8] = []
            var copied = 0
            var used: Set<String> = []
            for (name, range) in scan.parameters {
                guard let index = header.parameters.firstIndex(where: { $0.name == name }) else {
                    throw .parameterUndeclared(header.name, parameter: name)
                }
                used.insert(name)
                result += bytes[copied..<range.lowerBound] + Array("$\(index + 1)".utf8)
                copied = range.upperBound
            }
            if let unused = header.parameters.first(where: { !used.contains($0.name) }) {
                throw .parameterUnused(header.name, parameter: unused.name)
            }
            result += bytes[copied..<scan.end]
            return String(decoding: result, as: UTF8.self)
        }
    }

    private static func splitIntoSections(_ file: String) throws(StatementFileFault) -> [Section] {
        var sections: [Section] = []
        for (index, line) in file.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            if StatementHeader.isHeader(line) {
                sections.append(Section(line: index + 1, header: line))
            } else if isComment(line), sections.last?.body.isEmpty ?? true {
                continue
            } else if sections.isEmpty {
                throw StatementFileFault(line: index + 1, reason: .textBeforeFirstHeader)
            } else {
                sections[sections.count - 1].body.append(line)
            }
        }
        return sections
    }

    /// Whether the line is blank or a comment. Comments between the header and the statement are not sent to the
    /// server.
    private static func isComment(_ line: Substring) -> Bool {
        let text = line.drop(while: \.isWhitespace)
        return text.isEmpty || text.hasPrefix("--")
    }
}
