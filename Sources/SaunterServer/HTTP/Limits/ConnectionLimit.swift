import Glibc

/// The maximum number of open connections. Each connection uses a file descriptor of the process. Without this limit
/// PostgreSQL connections and exports could get none. Connections above the limit wait in the kernel's queue.
enum ConnectionLimit {
    private static let maximum = 20_000
    /// The number of file descriptors for the database, exports, mail and libraries.
    private static let reserve = 256

    /// Raises the process's limit of file descriptors as far as the system allows.
    /// - Returns: the maximum number of connections.
    static func raise() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return reserve }
        let wanted = min(limit.rlim_max, rlim_t(maximum + reserve))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            // If this fails, the old limit stays active; it is read again below.
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return reserve }
        }
        return connections(descriptors: Int(clamping: limit.rlim_cur))
    }

    /// The maximum number of connections for a limit of file descriptors: all but the reserve, from 64 to 20,000.
    static func connections(descriptors: Int) -> Int {
        max(64, min(maximum, descriptors - reserve))
    }
}
