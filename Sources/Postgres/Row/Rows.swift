/// The rows of a result. They stay in the format of the server and are decoded when they are read.
package struct Rows: Sendable, RandomAccessCollection {
    let result: ServerResult
    let layout: ColumnLayout
    let statement: String?
    /// The number of rows that were inserted, updated, deleted or selected.
    package let affected: Int

    init(result: ServerResult, layout: ColumnLayout, statement: String?) {
        self.result = result
        self.layout = layout
        self.statement = statement
        affected = result.affectedRowCount
        endIndex = result.count
    }

    /// Row indices start at 0.
    package let startIndex = 0
    /// The number of rows.
    package let endIndex: Int

    /// The row at an index. An index out of range stops the program, as in an array.
    package subscript(position: Int) -> Row {
        precondition(indices.contains(position), "row index out of range")
        return Row(result: result, layout: layout, statement: statement, index: position)
    }

    /// The only row. Any other number of rows is an error.
    package func one() throws(DatabaseError) -> Row {
        guard count == 1 else { throw wrongCount("exactly one row") }
        return self[0]
    }

    /// The only row, or nil if there is none. More rows are an error.
    package func oneOrNone() throws(DatabaseError) -> Row? {
        guard count <= 1 else { throw wrongCount("at most one row") }
        return first
    }

    private func wrongCount(_ expected: String) -> DatabaseError {
        DatabaseError(.rowCount(expected: expected, got: count), statement: statement)
    }
}
