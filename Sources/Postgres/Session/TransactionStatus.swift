/// The transaction status of a session.
enum TransactionStatus: Hashable {
    case idle
    case open
    /// A statement failed. Only a rollback is possible.
    case failed
    /// A command is running, or there is no connection.
    case unknown
}
