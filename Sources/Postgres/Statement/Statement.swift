/// An SQL statement with a name for logs and metrics. Each connection prepares it when it first uses it.
package struct Statement: Sendable, Hashable {
    /// How many rows a statement returns, as its header declares.
    package enum Cardinality: String, Sendable, Hashable, CaseIterable {
        case many
        case one
        /// No rows.
        case exec
    }

    /// A parameter that the header of a statement declares: `now timestamptz`.
    package struct DeclaredParameter: Sendable, Hashable {
        /// The name in the header.
        package let name: String
        /// The type in the header, for example `uuid[]` or `double precision`.
        package let type: String

        /// Creates a declared parameter.
        package init(name: String, type: String) {
            self.name = name
            self.type = type
        }
    }

    /// The name in logs and metrics.
    package let name: String
    /// One statement with `$1`, `$2`, … for its parameters. Statement files use names. `parse(file:)` replaces the
    /// names with numbers.
    package let sql: String
    /// Nil for a statement that was not read from a statement file.
    package let cardinality: Cardinality?
    /// Empty for a statement that was not read from a statement file.
    package let parameters: [DeclaredParameter]

    /// Creates a statement that is written in Swift code.
    package init(name: String, sql: String) {
        self.init(name: name, sql: sql, cardinality: nil, parameters: [])
    }

    /// Creates a statement with the declarations of its header.
    package init(name: String, sql: String, cardinality: Cardinality?, parameters: [DeclaredParameter]) {
        self.name = name
        self.sql = sql
        self.cardinality = cardinality
        self.parameters = parameters
    }
}
