import Glibc

/// The processes of one cluster in /proc.
///
/// A process belongs to the cluster if its account is the cluster's account and its command line contains the cluster's
/// name. The name is an argument of the postmaster and a part of its children's titles. The account is checked so that
/// a process of another user cannot pretend to be one of them.
struct ClusterProcesses {
    let clusterName: String
    let account: ClusterAccount
    /// The path of `postmaster.pid`.
    let pidFilePath: String

    /// The content of `postmaster.pid`.
    struct PIDFile: Equatable {
        let pid: Int32
        /// Whether the postmaster accepts connections.
        let isReady: Bool
    }

    /// The content of the file. Nil if it does not exist or is not yet complete.
    func readPIDFile() -> PIDFile? {
        SmallFile.read(pidFilePath).flatMap(Self.parse)
    }

    /// Line 1 is the process id, line 8 the state ("starting", "ready   ", "stopping").
    static func parse(_ text: String) -> PIDFile? {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first, let pid = Int32(first), pid > 1 else { return nil }
        return PIDFile(pid: pid, isReady: lines.count > 7 && lines[7].trimmingSpaces() == "ready")
    }

    /// The process id of the postmaster, if the process exists and belongs to this cluster.
    func postmaster() -> Int32? {
        guard let pid = readPIDFile()?.pid, belongs(pid) else { return nil }
        return pid
    }

    /// All running processes of the cluster.
    func all() -> [Int32] {
        children(of: "/proc").compactMap { Int32($0) }.filter(belongs)
    }

    /// Whether a process belongs to this cluster. A zombie process does not.
    func belongs(_ pid: Int32) -> Bool {
        guard ClusterDirectory.owner(of: "/proc/\(pid)") == account.userID,
            let line = SmallFile.read("/proc/\(pid)/cmdline")
        else { return false }
        return Self.isMember(commandLine: line, of: clusterName)
    }

    /// Whether a process of the cluster's account is exiting. Its memory and its command line are already released, but
    /// the process still exists.
    func isEnding(_ pid: Int32) -> Bool {
        guard ClusterDirectory.owner(of: "/proc/\(pid)") == account.userID,
            SmallFile.read("/proc/\(pid)/cmdline") == "", let status = SmallFile.read("/proc/\(pid)/stat"),
            let end = status.lastIndex(of: ")")
        else { return false }
        return !["Z", "X"].contains(status[end...].dropFirst(2).prefix(1))
    }

    /// Whether the command line belongs to a process of the cluster: `postgres␀-D␀…␀-c␀cluster_name=NAME␀…`, or the
    /// title `postgres: NAME: checkpointer`.
    static func isMember(commandLine line: String, of clusterName: String) -> Bool {
        line.split(separator: "\0").contains("cluster_name=\(clusterName)")
            || line.hasPrefix("postgres: \(clusterName): ")
    }
}
