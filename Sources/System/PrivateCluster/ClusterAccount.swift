import Glibc

/// The system account that runs PostgreSQL.
package struct ClusterAccount: Sendable, Hashable {
    /// The name of the account in the operating system.
    package let name: String
    /// The numeric id of the user.
    package let userID: UInt32
    /// The numeric id of the user's group.
    package let groupID: UInt32

    /// The account of this process.
    package static func current() throws(ClusterFault) -> ClusterAccount {
        guard let account = find(userID: geteuid()) else {
            throw .accountMissing(
                reason: "user id \(geteuid()) has no entry in /etc/passwd, which initdb requires")
        }
        return account
    }

    /// The account with this name, or nil.
    package static func find(name: String) -> ClusterAccount? {
        lookUp { entry, buffer, size, found in getpwnam_r(name, entry, buffer, size, found) }
    }

    /// The account with this user id, or nil.
    package static func find(userID: UInt32) -> ClusterAccount? {
        lookUp { entry, buffer, size, found in getpwuid_r(userID, entry, buffer, size, found) }
    }

    /// The account for a new cluster.
    ///
    /// 1. If this process does not run as root: the account of this process.
    /// 2. Otherwise `postgres`, if it exists.
    /// 3. Otherwise `saunter`, which is created if it does not exist.
    package static func forNewCluster() async throws(ClusterFault) -> ClusterAccount {
        guard geteuid() == 0 else { return try current() }
        for name in ["postgres", "saunter"] {
            if let account = find(name: name), account.userID != 0 { return account }
        }
        let result = try await Program(
            "useradd",
            ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin", "saunter"]
        ).run()
        if let account = find(name: "saunter"), account.userID != 0 { return account }
        throw .accountMissing(
            reason: "useradd saunter: \(result.fault ?? "no such user") \(result.error.trimmingSpaces())")
    }

    private typealias Lookup = (
        UnsafeMutablePointer<passwd>, UnsafeMutablePointer<CChar>, Int,
        UnsafeMutablePointer<UnsafeMutablePointer<passwd>?>
    ) -> Int32

    /// Reads one entry of the user database. The buffer grows up to 1 MiB if the entry does not fit.
    private static func lookUp(_ lookup: Lookup) -> ClusterAccount? {
        var size = 4096
        while size <= 1 << 20 {
            var entry = passwd()
            var found: UnsafeMutablePointer<passwd>?
            var name = ""
            let status = withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer -> Int32 in
                guard let start = buffer.baseAddress else { return ENOMEM }
                let status = lookup(&entry, start, size, &found)
                if status == 0, found != nil { name = String(cString: entry.pw_name) }
                return status
            }
            if status == ERANGE {
                size *= 4
                continue
            }
            guard status == 0, found != nil else { return nil }
            return ClusterAccount(name: name, userID: entry.pw_uid, groupID: entry.pw_gid)
        }
        return nil
    }
}
