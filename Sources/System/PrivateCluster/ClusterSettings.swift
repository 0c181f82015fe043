/// The PostgreSQL settings of a private cluster.
enum ClusterSettings {
    /// The name of the database. Its owner `superuser` is the only role that can log in.
    static let database = "saunter"
    static let superuser = "saunter"

    /// Arguments of the postmaster. They override `postgresql.conf`, because Saunter's guarantees must not depend on a
    /// file that the operator can edit. Sizes are in `ClusterSizes`; the operator can set them and the number of
    /// connections in that file.
    /// - Parameter isDurable: whether the data must survive a power cut.
    static func arguments(clusterName: String, isDurable: Bool) -> [String] {
        let synced = isDurable ? "on" : "off"
        // A cluster that is not durable exists for minutes, so it needs a short autovacuum interval. In a new database,
        // query plans scan whole tables until autovacuum has updated the table statistics.
        let naptime = isDurable ? [] : ["autovacuum_naptime=2s"]
        let settings = [
            // The only address is a socket in the data directory. The socket's path is relative, so that the server
            // does not reject a long path.
            "listen_addresses=", "unix_socket_directories=.", "unix_socket_permissions=0700", "port=5432",
            "cluster_name=\(clusterName)",
            // Acknowledged data survives a power cut.
            "fsync=\(synced)", "full_page_writes=\(synced)", "synchronous_commit=\(synced)",
            // If PostgreSQL crashes, for example after a failed fsync, all its processes exit. It must not restart by
            // itself, because after a failed fsync the page cache of Linux can contain pages that are not on disk.
            // Saunter evicts them before recovery (`CachedFiles`).
            "restart_after_crash=off",
            // Logs of one week, one file per day. Failed statements are not logged, because their texts contain values.
            // Saunter reports them without values.
            "logging_collector=on", "log_directory=log", "log_filename=postgresql-%a.log",
            "log_truncate_on_rotation=on", "log_rotation_age=1d", "log_rotation_size=0", "log_file_mode=0600",
            "log_destination=stderr", "log_min_messages=log", "log_min_error_statement=panic",
            "log_error_verbosity=terse", "log_statement=none", "log_checkpoints=off",
            "timezone=UTC", "log_timezone=UTC",
        ]
        return (settings + naptime).flatMap { ["-c", $0] }
    }

    /// The content of `pg_hba.conf`. The directory of the socket has mode 0700, so only its owner and root can connect.
    /// In addition, `peer` authentication asks the kernel for the client's account. This protects the cluster even if a
    /// backup or a chmod changed the mode. There is no password that could leak.
    static let hostBasedAuthentication = """
        # Written by Saunter. Only local connections, and only the accounts of pg_ident.conf.
        local all all peer map=\(database)

        """

    /// The content of `pg_ident.conf`. Root and the account that runs PostgreSQL can connect.
    static func identities(of account: ClusterAccount) -> String {
        """
        # Written by Saunter. Map, system account, role.
        \(database) root \(superuser)
        \(database) "\(account.name)" \(superuser)

        """
    }
}
