import Glibc

/// The paths of PostgreSQL's files in the data directory, and the state of these files.
struct ClusterDirectory: Sendable {
    /// The absolute path of Saunter's data directory.
    let base: String

    /// PostgreSQL's data directory. A complete cluster is renamed to this path.
    var data: String { "\(base)/postgres" }
    /// The last file that is written when a cluster is created. A cluster with this file is complete.
    var marker: String { "\(data)/\(Self.markerName)" }

    /// The standard error of the last postmaster, until PostgreSQL writes to its log.
    var startupOutput: String { "\(base)/postgres.locks/startup-output" }

    static let markerName = "saunter-cluster"
    static let markerText = "This PostgreSQL cluster was made by Saunter and is complete.\n"
    /// The prefix of the names of unfinished clusters.
    static let unfinishedPrefix = "postgres.new-"
    /// PostgreSQL's and libpq's limit for the path of a Unix socket.
    static let socketPathLimit = 107
    static let socketName = ".s.PGSQL.5432"

    /// The lock files.
    enum Lock: String {
        /// Held by the only server that uses the data directory.
        case server
        /// Shared by the server and all commands that use the cluster. The last user stops the cluster.
        case users
        /// Held while the cluster is created, started or stopped.
        case change
        /// Inherited by every process of PostgreSQL. It is free if and only if no such process exists.
        case alive
    }

    init(_ path: String) throws(ClusterFault) {
        guard !path.isEmpty, !path.contains("\0") else {
            throw .directoryUnusable(path: path, reason: "not a path")
        }
        base =
            path.hasPrefix("/")
            ? Self.withoutTrailingSlashes(path)
            : "\(Self.workingDirectory())/\(Self.withoutTrailingSlashes(path))"
    }

    func path(of lock: Lock) -> String { "\(base)/postgres.locks/\(lock.rawValue)" }

    /// Creates the data directory and the directory of the locks. New directories have mode 0700.
    func prepare() throws(ClusterFault) {
        var path = ""
        for part in base.split(separator: "/").map(String.init) + ["postgres.locks"] {
            path += "/\(part)"
            if mkdir(path, 0o700) != 0, errno != EEXIST, !Self.isDirectory(path) {
                throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
            }
        }
        // If root creates the locks, the owner of the data directory must be able to use them later without root.
        if geteuid() == 0, let owner = Self.owner(of: base), owner != 0, Self.owner(of: path) == 0 {
            _ = lchown(path, owner, gid_t.max)
        }
    }

    /// The account that runs PostgreSQL.
    ///
    /// 1. If there is a cluster: the owner of the cluster.
    /// 2. If this process runs as root, and another account owns the data directory: that account.
    /// 3. Otherwise the account for new clusters.
    func account() async throws(ClusterFault) -> ClusterAccount {
        if let owner = Self.owner(of: data) {
            guard owner == geteuid() || geteuid() == 0 else {
                let name = ClusterAccount.find(userID: owner)?.name ?? "user \(owner)"
                throw .directoryUnusable(
                    path: data, reason: "it belongs to \(name): run this command as \(name) or as root")
            }
            guard owner != 0, let account = ClusterAccount.find(userID: owner) else {
                throw .directoryUnusable(
                    path: data, reason: "its owner cannot run PostgreSQL (user \(owner))")
            }
            return account
        }
        if geteuid() == 0, let owner = Self.owner(of: base), owner != 0,
            let account = ClusterAccount.find(userID: owner)
        {
            return account
        }
        return try await ClusterAccount.forNewCluster()
    }

    /// The major version of the PostgreSQL that wrote the data. Nil if there is no cluster yet.
    ///
    /// Throws if the directory is not a complete cluster of Saunter. Such a directory is never changed, unless it is
    /// empty.
    func version() throws(ClusterFault) -> Int? {
        guard Self.owner(of: data) != nil else { return nil }
        guard access(marker, F_OK) == 0 else {
            if rmdir(data) == 0 { return nil }
            throw .directoryUnusable(
                path: data,
                reason:
                    "it is not a complete cluster of Saunter (\(Self.markerName) is missing); move it away")
        }
        guard let text = SmallFile.read("\(data)/PG_VERSION"), let major = Int(text.trimmingSpaces()) else {
            throw .directoryUnusable(path: data, reason: "PG_VERSION cannot be read")
        }
        return major
    }

    /// The name that all processes of this cluster show in their titles. It contains the device and the inode of the
    /// directory, and not its path. A moved directory keeps its name. A copied directory gets another name.
    func clusterName() throws(ClusterFault) -> String {
        var status = stat()
        guard stat(data, &status) == 0 else {
            throw .directoryUnusable(path: data, reason: SystemFault.text(errno))
        }
        return "saunter-\(String(status.st_dev, radix: 16))-\(String(status.st_ino, radix: 16))"
    }

    static func owner(of path: String) -> UInt32? {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_uid : nil
    }

    private static func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var rest = path[...]
        while rest.hasSuffix("/"), rest.count > 1 { rest.removeLast() }
        return String(rest)
    }

    private static func workingDirectory() -> String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}
