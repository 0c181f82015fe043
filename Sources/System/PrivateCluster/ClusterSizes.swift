import Glibc

/// Sizes of memory and of the write-ahead log for one machine. PostgreSQL's own defaults fit a machine of 1 GB.
struct ClusterSizes: Hashable {
    /// A quarter of the memory, from 128 MiB to 2 GiB, in MiB. PostgreSQL writes the administration of all of it at the
    /// start, about 2 %.
    let sharedBuffers: Int
    /// Half of the memory, at least 256 MiB, in MiB. The planner assumes that the system caches as much.
    let effectiveCache: Int
    /// A twentieth of the file system, from 1 to 8 GiB, in MiB. A larger log needs fewer checkpoints, and after each
    /// checkpoint every changed page is written to the log as a whole.
    let maximumLog: Int

    /// - Parameters:
    ///   - memory: bytes that all processes together may use.
    ///   - disk: the size of the file system in bytes.
    init(memory: Int, disk: Int) {
        let memory = memory >> 20
        sharedBuffers = min(max(memory / 4, 128), 2048)
        effectiveCache = max(memory / 2, 256)
        maximumLog = min(max((disk >> 20) / 20, 1024), 8192)
    }

    /// The sizes for this machine, or for its container if that has a limit.
    /// - Parameter directory: a directory on the file system of the cluster.
    static func current(for directory: String) -> ClusterSizes {
        let machine = sysconf(Int32(_SC_PHYS_PAGES)) * sysconf(Int32(_SC_PAGESIZE))
        // Version 2 and version 1 of control groups. Without a limit, the file is missing, contains no number or a
        // number that is larger than the memory.
        let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
            .compactMap { SmallFile.read($0).flatMap { Int($0.trimmingSpaces()) } }
        var system = statvfs()
        let isKnown = statvfs(directory, &system) == 0
        return ClusterSizes(
            memory: limits.reduce(machine, min),
            disk: isKnown ? Int(clamping: UInt64(system.f_blocks) * UInt64(system.f_frsize)) : 0)
    }

    /// The content of `saunter-sizes.conf`, which is written before each start.
    var text: String {
        """
        # Written by Saunter at each start, by the memory and the disk of this machine. To choose another value, set it
        # in postgresql.conf.
        shared_buffers = \(sharedBuffers)MB
        effective_cache_size = \(effectiveCache)MB
        max_wal_size = \(maximumLog)MB
        min_wal_size = \(maximumLog / 4)MB

        """
    }

    /// The name of the file in PostgreSQL's data directory.
    static let fileName = "saunter-sizes.conf"

    /// The settings that `initdb` writes into `postgresql.conf` and this type replaces.
    private static let replaced = ["shared_buffers", "max_wal_size", "min_wal_size"]

    /// The content of `postgresql.conf` for a new cluster. It begins with Saunter's values, so that each line of the
    /// operator overrides them.
    /// - Parameters:
    ///   - text: the file as `initdb` wrote it.
    ///   - compression: the value of `wal_compression`.
    static func configuration(from text: String, compression: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            replaced.contains { line.hasPrefix("\($0) =") } ? "#\(line)" : String(line)
        }
        return """
            # Written by Saunter for a new cluster. Lines below override these.
            include_if_exists = '\(fileName)'
            wal_compression = \(compression)
            checkpoint_timeout = 15min

            \(lines.joined(separator: "\n"))
            """
    }
}
