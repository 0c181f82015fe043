import Glibc

/// The data directory as far as PostgreSQL is concerned: which file lies where, and what state it is in.
struct ClusterDirectory: Sendable {
    /// The absolute path of Saunter's data directory.
    let base: String

    /// PostgreSQL's own data; appears by a rename once it is complete.
    var data: String { "\(base)/postgres" }
    /// Written last when a cluster is made: what has it is complete.
    var marker: String { "\(data)/\(Self.markerName)" }

    /// What the last postmaster said before its log took over.
    var words: String { "\(base)/postgres.locks/words" }

    static let markerName = "saunter-cluster"
    static let markerText = "This PostgreSQL cluster was made by Saunter and is complete.\n"
    /// How the names of unfinished clusters begin.
    static let unfinished = "postgres.new-"
    /// PostgreSQL's and libpq's limit for the path of a Unix socket.
    static let socketPathLimit = 107
    static let socketName = ".s.PGSQL.5432"

    /// The four locks. `server`: there is one server at a time. `users`: shared by everybody who works with
    /// the cluster, so that the last one stops it. `change`: held while the cluster is made, started or
    /// stopped. `alive`: inherited by every process of PostgreSQL, so that it is free if and only if none
    /// is left.
    enum Lock: String, CaseIterable {
        case server, users, change, alive
    }

    init(_ path: String) throws(ClusterFault) {
        guard !path.isEmpty, !path.contains("\0") else {
            throw .directoryUnusable(path: path, reason: "not a path")
        }
        base =
            path.hasPrefix("/")
            ? Self.withoutSlash(path) : "\(Self.workingDirectory())/\(Self.withoutSlash(path))"
    }

    func path(of lock: Lock) -> String { "\(base)/postgres.locks/\(lock.rawValue)" }

    /// Makes the data directory and its locks' directory; readable by their owner alone where they are new.
    func prepare() throws(ClusterFault) {
        var path = ""
        for part in base.split(separator: "/").map(String.init) + ["postgres.locks"] {
            path += "/\(part)"
            if mkdir(path, 0o700) != 0, errno != EEXIST, !Self.isDirectory(path) {
                throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
            }
        }
        // Under root, the account that owns the data directory must still reach its locks without root.
        if geteuid() == 0, let owner = Self.owner(of: base), owner != 0, Self.owner(of: path) == 0 {
            _ = lchown(path, owner, gid_t.max)
        }
    }

    /// The account that runs PostgreSQL here: whom the data belong to; for new data whom the data directory
    /// belongs to under root, or else the account for new clusters.
    func account() async throws(ClusterFault) -> ClusterAccount {
        if let owner = Self.owner(of: data) {
            guard owner == geteuid() || geteuid() == 0 else {
                let name = ClusterAccount.find(userID: owner)?.name ?? "user \(owner)"
                throw .directoryUnusable(
                    path: data, reason: "it belongs to \(name): run this as \(name) or as root")
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

    /// The major version that the data were written by; nil when there are no data yet.
    ///
    /// Refuses what is there but was not made completely by Saunter: such data are never touched.
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

    /// A name that all processes of this cluster carry in their titles. It holds the identity of the
    /// directory itself, not of its path: a moved directory keeps its name, a copied one gets another.
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

    private static func withoutSlash(_ path: String) -> String {
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
