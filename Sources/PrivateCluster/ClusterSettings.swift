/// What a private cluster is told about itself.
enum ClusterSettings {
    /// The database and its owner; there is no other login.
    static let database = "saunter"
    static let superuser = "saunter"

    /// Settings given on the command line, which outrank `postgresql.conf`: what Saunter promises must not
    /// depend on a file that somebody edited. Memory and connections stay the operator's choice, in that
    /// file.
    /// - Parameter isLasting: whether what it holds must survive a power cut.
    static func arguments(clusterName: String, isLasting: Bool) -> [String] {
        let synced = isLasting ? "on" : "off"
        // What lives for minutes is looked through often: on a new database plans read whole tables until it knows how large they have become.
        let naptime = isLasting ? [] : ["autovacuum_naptime=2s"]
        let settings = [
            // Reachable through a socket in the data directory only. The socket's path is relative, so that
            // its length does not matter to the server.
            "listen_addresses=", "unix_socket_directories=.", "unix_socket_permissions=0700", "port=5432",
            "cluster_name=\(clusterName)",
            // An acknowledged answer survives a power cut.
            "fsync=\(synced)", "full_page_writes=\(synced)", "synchronous_commit=\(synced)",
            // A PostgreSQL that gives up, as it does when fsync fails, ends as a whole: it must not begin
            // anew by itself before what is in memory only is forgotten (`CachedFiles`).
            "restart_after_crash=off",
            // A week of logs, one file a day. Errors of statements are left out, for their texts quote
            // values: Saunter reports them itself, without values.
            "logging_collector=on", "log_directory=log", "log_filename=postgresql-%a.log",
            "log_truncate_on_rotation=on", "log_rotation_age=1d", "log_rotation_size=0", "log_file_mode=0600",
            "log_destination=stderr", "log_min_messages=log", "log_min_error_statement=panic",
            "log_error_verbosity=terse", "log_statement=none", "log_checkpoints=off",
            "timezone=UTC", "log_timezone=UTC",
        ]
        return (settings + naptime).flatMap { ["-c", $0] }
    }

    /// `pg_hba.conf`. The directory of the socket (mode 0700) keeps everybody out but its owner and root;
    /// asking the kernel who is at the other end holds even when a backup or a chmod loosened that mode.
    /// There is no password that could leak.
    static let hostBasedAuthentication = """
        # Written by Saunter. Only local connections, and only the accounts of pg_ident.conf.
        local all all peer map=\(database)

        """

    /// `pg_ident.conf`: root and the account that runs PostgreSQL may connect.
    static func identities(of account: ClusterAccount) -> String {
        """
        # Written by Saunter. Map, system account, role.
        \(database) root \(superuser)
        \(database) "\(account.name)" \(superuser)

        """
    }
}
