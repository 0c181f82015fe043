import Glibc

/// How many connections are held at once. Each takes a file descriptor of the process; when they run out, PostgreSQL and exports could open
/// none either, so new connections wait in the kernel's queue before that.
enum ConnectionBound {
    private static let most = 20_000
    /// For the database, exports, mail and libraries.
    private static let reserve = 256

    /// Asks the system for as many descriptors as it gives, and leaves a reserve.
    static func claim() -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return reserve }
        let wanted = min(limit.rlim_max, rlim_t(most + reserve))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            // Refused, the old limit holds, which is read again.
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return reserve }
        }
        return bound(descriptors: Int(clamping: limit.rlim_cur))
    }

    /// At most 20,000, and never so few that nobody is served.
    static func bound(descriptors: Int) -> Int {
        max(64, min(most, descriptors - reserve))
    }
}
