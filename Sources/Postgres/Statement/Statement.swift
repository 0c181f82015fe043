/// An SQL statement with a name for logs and metrics. Prepared once per connection, on first use.
package struct Statement: Sendable, Hashable {
    /// How many rows a statement gives, as its author states it.
    package enum Cardinality: String, Sendable, Hashable, CaseIterable {
        case many
        case one
        case exec
    }

    /// A parameter as declared in the header of a statement file: `now timestamptz`.
    package struct DeclaredParameter: Sendable, Hashable {
        /// As written.
        package let name: String
        /// The type as written, for instance `uuid[]` or `double precision`.
        package let type: String

        /// A parameter of this name and type.
        package init(name: String, type: String) {
            self.name = name
            self.type = type
        }
    }

    /// For logs and metrics.
    package let name: String
    /// One statement, with `$1`, `$2`, … for its parameters.
    package let sql: String
    /// Nil for a statement that was not read from a statement file.
    package let cardinality: Cardinality?
    /// Empty for a statement that was not read from a statement file.
    package let parameters: [DeclaredParameter]

    /// A statement written in place.
    package init(name: String, sql: String) {
        self.init(name: name, sql: sql, cardinality: nil, parameters: [])
    }

    /// A statement with what its header declares.
    package init(name: String, sql: String, cardinality: Cardinality?, parameters: [DeclaredParameter]) {
        self.name = name
        self.sql = sql
        self.cardinality = cardinality
        self.parameters = parameters
    }
}
