import Glibc

extension ReadinessCheck {
    /// Whether there is room where exports and a private PostgreSQL lie: below it, PostgreSQL is about to stop, and a load balancer should
    /// go elsewhere while what was accepted is still safe.
    /// - Parameter bytes: what has to be free for an unprivileged user.
    static func diskRoom(at path: String, bytes: UInt64 = 64 << 20) -> ReadinessCheck {
        ReadinessCheck("disk") {
            var space = statvfs()
            guard statvfs(path, &space) == 0 else { return "the data directory cannot be looked at" }
            let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
            return free < bytes ? "less than \(bytes >> 20) MiB are free" : nil
        }
    }
}
