/// An error that the server reported for a statement.
package struct ServerFault: Sendable, Hashable {
    /// The SQLSTATE code.
    package let state: SQLState
    /// The violated constraint.
    package let constraint: String?
    /// The schema of the table or type that caused the error.
    package let schema: String?
    /// The table that caused the error.
    package let table: String?
    /// The column that caused the error.
    package let column: String?
    /// The domain of the constraint or the data type of a value, if the server names one.
    package let dataType: String?
    /// The position of the error in the SQL text, in characters. The first character is 1.
    package let position: Int?
    /// The primary message. It can quote a value of a participant. Do not show it to any user, and do not log it.
    package let message: String
    /// The DETAIL of the server. It usually quotes values ("Key (email)=(…) already exists"). Do not show it to any
    /// user, and do not log it.
    package let detail: String?
    /// Whether the server ended the connection with this error (severity FATAL or PANIC).
    package let isFatal: Bool
    /// The function in the source of the server that raised the error. Unlike the message, it is never translated.
    package let sourceFunction: String?

    /// Creates an error of the server. nil means that the server did not send the field.
    package init(
        state: SQLState, constraint: String? = nil, schema: String? = nil, table: String? = nil,
        column: String? = nil, dataType: String? = nil, position: Int? = nil, message: String = "",
        detail: String? = nil, isFatal: Bool = false, sourceFunction: String? = nil
    ) {
        self.state = state
        self.constraint = constraint
        self.schema = schema
        self.table = table
        self.column = column
        self.dataType = dataType
        self.position = position
        self.message = message
        self.detail = detail
        self.isFatal = isFatal
        self.sourceFunction = sourceFunction
    }

    /// Whether the columns of a prepared statement changed because a table was altered. The server did not run the
    /// statement. It succeeds after it is prepared again.
    package var isStalePlan: Bool {
        state == .featureNotSupported && sourceFunction == "RevalidateCachedQuery"
    }

    /// Whether the server rejected a write because it is read-only. The cause is a statement, or `BEGIN READ WRITE` on
    /// a standby. The server changed nothing.
    var isWriteRejection: Bool {
        state == .readOnlySQLTransaction || (state == .featureNotSupported && !isStalePlan)
    }
}

extension ServerFault: CustomStringConvertible {
    /// The classes whose primary message contains only names of the schema and conditions of the server. Other classes,
    /// such as 22 (data exceptions), quote the invalid value.
    private static let classesWithoutValues: Set<String> = [
        "08", "0A", "23", "25", "26", "40", "42", "53", "54", "55", "57", "58",
    ]

    /// Safe for logs. Contains codes and names of the schema. Contains the message only if it cannot quote a value.
    package var description: String {
        var parts = ["server error \(state)"]
        if let constraint { parts.append("constraint \(constraint)") }
        if let table { parts.append("table \(schema.map { $0 + "." } ?? "")\(table)") }
        if let column { parts.append("column \(column)") }
        if let dataType { parts.append("type \(dataType)") }
        if let position { parts.append("at character \(position)") }
        let head = parts.joined(separator: ", ")
        return Self.classesWithoutValues.contains(state.classCode) ? "\(head): \(message)" : head
    }
}
