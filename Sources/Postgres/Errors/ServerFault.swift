/// What the server said about a statement that it refused.
package struct ServerFault: Sendable, Hashable {
    /// The code.
    package let state: SQLState
    /// The constraint that was violated.
    package let constraint: String?
    /// The schema of the table or type at fault.
    package let schema: String?
    /// The table at fault.
    package let table: String?
    /// The column at fault.
    package let column: String?
    /// The constraint's domain or a value's data type, where the server names one.
    package let dataType: String?
    /// Where in the SQL text the fault stands, counted in characters from 1.
    package let position: Int?
    /// The primary message. It may quote a participant's value: show it to nobody and log it nowhere.
    package let message: String
    /// The server's DETAIL, which does quote values ("Key (email)=(…) already exists"). As `message`, only
    /// more so.
    package let detail: String?
    /// The server ended the connection with this fault (severity FATAL or PANIC).
    package let isFatal: Bool
    /// The function of the server's source that raised the fault: unlike the message it is never translated.
    package let sourceFunction: String?

    /// A fault with what is known of it.
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

    /// A table changed under a prepared statement, so that its result would have another shape. Nothing was
    /// run, and the statement works when it is prepared anew.
    package var isStalePlan: Bool {
        state == .featureNotSupported && sourceFunction == "RevalidateCachedQuery"
    }

    /// Something was to be written where nothing may be: by a statement, or by `BEGIN READ WRITE` on a standby.
    /// Nothing was done.
    var refusesWriting: Bool {
        state == .readOnlySQLTransaction || (state == .featureNotSupported && !isStalePlan)
    }
}

extension ServerFault: CustomStringConvertible {
    /// Classes whose primary message names only objects of the schema and conditions of the server. Class 22
    /// (data exceptions), for one, quotes the offending value.
    private static let classesWithoutValues: Set<String> = [
        "08", "0A", "23", "25", "26", "40", "42", "53", "54", "55", "57", "58",
    ]

    /// Safe for logs: codes and names of the schema, and the message only where it cannot quote a value.
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
