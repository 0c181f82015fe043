/// The isolation levels of PostgreSQL: which changes of other transactions a transaction sees.
package enum Isolation: String, Sendable, Hashable, CaseIterable {
    /// Each statement sees the changes that were committed before the statement.
    case readCommitted = "READ COMMITTED"
    /// All statements see the changes that were committed before the first statement.
    case repeatableRead = "REPEATABLE READ"
    /// Transactions have the same effect as if they ran one after another. A transaction can fail with
    /// `SQLState.serializationFailure`. The caller must then retry it.
    case serializable = "SERIALIZABLE"
}
