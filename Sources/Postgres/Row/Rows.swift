/// The rows of a result, held as the server sent them and decoded when read.
package struct Rows: Sendable, RandomAccessCollection {
    let answer: Answer
    let layout: ColumnLayout
    let statement: String?
    /// How many rows were inserted, updated, deleted or selected.
    package let affected: Int

    init(answer: Answer, layout: ColumnLayout, statement: String?) {
        self.answer = answer
        self.layout = layout
        self.statement = statement
        affected = answer.affected
        endIndex = answer.count
    }

    /// Rows count from 0.
    package let startIndex = 0
    /// The number of rows.
    package let endIndex: Int

    /// A row. An index out of range is a mistake of the caller's, as with an array.
    package subscript(position: Int) -> Row {
        precondition(indices.contains(position), "row index out of range")
        return Row(answer: answer, layout: layout, statement: statement, index: position)
    }

    /// The only row; any other number of rows is an error.
    package func one() throws(DatabaseError) -> Row {
        guard count == 1 else { throw wrongCount("exactly one row") }
        return self[0]
    }

    /// The only row or nil; more rows are an error.
    package func oneOrNone() throws(DatabaseError) -> Row? {
        guard count <= 1 else { throw wrongCount("at most one row") }
        return first
    }

    /// Refuses any other number of rows touched than the caller counts on.
    package func expectAffected(_ expected: Int) throws(DatabaseError) {
        guard affected == expected else {
            throw DatabaseError(.rowCount(expected: "\(expected)", got: affected), statement: statement)
        }
    }

    private func wrongCount(_ expected: String) -> DatabaseError {
        DatabaseError(.rowCount(expected: expected, got: count), statement: statement)
    }
}
