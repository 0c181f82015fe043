/// Where a session stands with transactions.
enum TransactionStatus: Hashable {
    case idle
    case open
    /// A statement failed: nothing but a rollback is possible.
    case failed
    /// Amid a command, or without a connection.
    case unknown
}
