/// A NOTICE or WARNING of the server.
struct Notice {
    let state: SQLState
    let sourceFunction: String?
    let message: String

    /// The server stopped waiting for the synchronous standby: what it then calls a success is committed on
    /// the primary alone (syncrep.c). Told by the raising function, as messages are translated; by the
    /// message for servers built without source positions.
    var saysCommitIsUnconfirmed: Bool {
        if sourceFunction == "SyncRepWaitForLSN" { return true }
        let codes: [SQLState] = [.warning, .adminShutdown]
        return codes.contains(state)
            && (message.hasPrefix("canceling wait for synchronous replication")
                || message.hasPrefix("canceling the wait for synchronous replication"))
    }
}
