extension Statement {
    /// Reads the text of a file of `sql/queries`: statements, each below a header and perhaps comments. By
    /// name.
    ///
    ///     -- name: find_open_occasions(enrolment_id uuid, now timestamptz) :many
    ///     -- Due occasions only; withdrawn enrolments have none.
    ///     select occasion_id from occasion where …
    package static func parse(file: String) throws(StatementFileFault) -> [String: Statement] {
        var statements: [String: Statement] = [:]
        for section in try sections(of: file) {
            do throws(StatementFileFault.Reason) {
                let statement = try section.statement()
                if statements[statement.name] != nil { throw .nameRepeated(statement.name) }
                statements[statement.name] = statement
            } catch {
                throw StatementFileFault(line: section.line, reason: error)
            }
        }
        return statements
    }

    /// A header and what stands below it.
    private struct Section {
        let line: Int
        let header: Substring
        var body: [Substring] = []

        func statement() throws(StatementFileFault.Reason) -> Statement {
            let header = try StatementHeader(header)
            let sql = body.joined(separator: "\n")
            let scan = SQLScanner(sql)
            if scan.isUnclosed { throw .unclosed(header.name) }
            if scan.isEmpty { throw .statementMissing(header.name) }
            if scan.hasSeveralStatements { throw .severalStatements(header.name) }
            guard scan.highestParameter == header.parameters.count else {
                throw .parameterCount(
                    header.name, declared: header.parameters.count, used: scan.highestParameter)
            }
            return Statement(
                name: header.name, sql: String(decoding: sql.utf8.prefix(scan.end), as: UTF8.self),
                cardinality: header.cardinality, parameters: header.parameters)
        }
    }

    private static func sections(of file: String) throws(StatementFileFault) -> [Section] {
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

    /// Comments below the header are for the reader of the file; the server is not sent them.
    private static func isComment(_ line: Substring) -> Bool {
        let text = line.drop(while: \.isWhitespace)
        return text.isEmpty || text.hasPrefix("--")
    }
}
