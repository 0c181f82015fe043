/// A notice of the server, for example a NOTICE or a WARNING.
struct Notice {
    let state: SQLState
    let sourceFunction: String?
    let message: String

    /// Whether the server stopped waiting for the synchronous standby. The server then reports success, although the
    /// commit is on the primary only (syncrep.c).
    ///
    /// The check uses the name of the function that raised the notice, because messages are translated. Some servers
    /// are built without source positions. For them, the check uses the message.
    var reportsUnconfirmedCommit: Bool {
        if sourceFunction == "SyncRepWaitForLSN" { return true }
        let codes: [SQLState] = [.warning, .adminShutdown]
        return codes.contains(state)
            && (message.hasPrefix("canceling wait for synchronous replication")
                || message.hasPrefix("canceling the wait for synchronous replication"))
    }
}
