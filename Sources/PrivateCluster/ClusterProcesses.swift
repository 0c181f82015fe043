import Glibc

/// The processes of one cluster, as /proc shows them.
///
/// They are known by the cluster's name, which stands in the command line of the postmaster and in the
/// titles of its children, and by their account, so that no stranger can pass for one of them.
struct ClusterProcesses {
    let clusterName: String
    let account: ClusterAccount
    /// PostgreSQL's own record of its postmaster.
    let pidFile: String

    /// What `postmaster.pid` says: the process, and whether it takes connections.
    struct Record: Equatable {
        let pid: Int32
        let isReady: Bool
    }

    /// The record, or nil when there is none or it is not yet complete.
    func record() -> Record? {
        SmallFile.read(pidFile).flatMap(Self.parse)
    }

    /// Line 1 is the process id, line 8 the state ("starting", "ready   ", "stopping").
    static func parse(_ text: String) -> Record? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let pid = Int32(first), pid > 1 else { return nil }
        return Record(pid: pid, isReady: lines.count > 7 && lines[7].trimmingSpaces() == "ready")
    }

    /// The postmaster, if it lives and is truly this cluster's.
    func postmaster() -> Int32? {
        guard let pid = record()?.pid, belongs(pid) else { return nil }
        return pid
    }

    /// Every living process of the cluster.
    func all() -> [Int32] {
        children(of: "/proc").compactMap { Int32($0) }.filter(belongs)
    }

    /// Whether a process is one of this cluster's. A dead one that nobody has waited for is not.
    func belongs(_ pid: Int32) -> Bool {
        guard ClusterDirectory.owner(of: "/proc/\(pid)") == account.userID,
            let line = SmallFile.read("/proc/\(pid)/cmdline")
        else { return false }
        return Self.isMember(commandLine: line, of: clusterName)
    }

    /// Whether a process of the cluster is on its way out: it has lost its memory, and with it its command
    /// line, but has not ended yet.
    func isEnding(_ pid: Int32) -> Bool {
        guard ClusterDirectory.owner(of: "/proc/\(pid)") == account.userID,
            SmallFile.read("/proc/\(pid)/cmdline") == "", let status = SmallFile.read("/proc/\(pid)/stat"),
            let end = status.lastIndex(of: ")")
        else { return false }
        return !["Z", "X"].contains(status[end...].dropFirst(2).prefix(1))
    }

    /// `postgres␀-D␀…␀-c␀cluster_name=NAME␀…` or the title `postgres: NAME: checkpointer`.
    static func isMember(commandLine line: String, of clusterName: String) -> Bool {
        line.split(separator: "\0").contains("cluster_name=\(clusterName)")
            || line.hasPrefix("postgres: \(clusterName): ")
    }
}
