/// What a transaction sees of others; PostgreSQL's levels.
package enum Isolation: String, Sendable, Hashable, CaseIterable {
    /// Each statement sees what was committed before it.
    case readCommitted = "READ COMMITTED"
    /// All statements see what was committed before the first.
    case repeatableRead = "REPEATABLE READ"
    /// As if transactions ran one after another; may fail with `SQLState.serializationFailure` and must then
    /// be repeated.
    case serializable = "SERIALIZABLE"
}
