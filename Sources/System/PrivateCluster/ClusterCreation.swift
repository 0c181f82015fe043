import Glibc
import Logging

/// Creates a cluster atomically: the cluster is complete, or it does not exist.
///
/// The cluster is created in a temporary directory beside its final path. The marker file is written last. Then the
/// directory is renamed. If the process is killed, only the temporary directory remains, and the next run removes it.
struct ClusterCreation {
    let directory: ClusterDirectory
    let binaries: PostgresBinaries
    let account: ClusterAccount
    let logger: Logger

    func run() async throws(ClusterFault) {
        await removeUnfinished()
        let path = try makeTemporaryDirectory()
        do {
            try await initialise(path)
            try await complete(path)
        } catch {
            await remove(path)
            throw error
        }
        logger.info("created a PostgreSQL cluster", metadata: ["directory": "\(directory.data)"])
    }

    private func removeUnfinished() async {
        for name in children(of: directory.base) where name.hasPrefix(ClusterDirectory.unfinishedPrefix) {
            logger.notice(
                "removing an unfinished PostgreSQL cluster", metadata: ["name": "\(name)"])
            await remove("\(directory.base)/\(name)")
        }
    }

    private func remove(_ path: String) async {
        do {
            try await Program("rm", ["-rf", "--", path]).runOrThrow()
        } catch {
            // This only wastes disk space, and the next run tries again.
            logger.warning("an unfinished cluster could not be removed", metadata: ["fault": "\(error)"])
        }
    }

    private func makeTemporaryDirectory() throws(ClusterFault) -> String {
        var template = Array("\(directory.base)/\(ClusterDirectory.unfinishedPrefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .directoryUnusable(path: directory.base, reason: SystemFault.text(errno))
        }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard account.userID == geteuid() || lchown(path, account.userID, account.groupID) == 0 else {
            throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
        }
        return path
    }

    private func initialise(_ path: String) async throws(ClusterFault) {
        var initdb = binaries.program(
            "initdb",
            [
                "-U", ClusterSettings.superuser, "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums",
                "--auth=peer", "--no-instructions",
            ])
        initdb.dataDirectory = path
        initdb.account = account
        try await initdb.runOrThrow()

        // The database is created in single-user mode, so that a complete cluster always has it.
        var single = binaries.program("postgres", ["--single", "-c", "log_checkpoints=off", "template1"])
        single.dataDirectory = path
        single.account = account
        let outcome = try await single.run(input: "CREATE DATABASE \(ClusterSettings.database)\n")
        // In single-user mode, PostgreSQL exits with status 0 even if the statement failed.
        guard outcome.fault == nil, !outcome.error.contains("ERROR:") else {
            throw .programFailed(
                program: "postgres --single", reason: outcome.fault ?? "the statement failed",
                output: outcome.error)
        }
    }

    /// `lz4` if this PostgreSQL was built with it, otherwise PostgreSQL's own method, which needs more time.
    private func logCompression(_ path: String) async throws(ClusterFault) -> String {
        var program = binaries.program("postgres", ["-C", "wal_compression", "-c", "wal_compression=lz4"])
        program.dataDirectory = path
        program.account = account
        return try await program.run().fault == nil ? "lz4" : "on"
    }

    /// Writes Saunter's files and moves the directory to its final path.
    private func complete(_ path: String) async throws(ClusterFault) {
        let configuration = "\(path)/postgresql.conf"
        guard let text = SmallFile.read(configuration) else {
            throw .directoryUnusable(path: configuration, reason: SystemFault.text(errno))
        }
        try SmallFile.write(
            ClusterSizes.configuration(from: text, compression: try await logCompression(path)),
            to: configuration, owner: account)
        try SmallFile.write(
            ClusterSettings.hostBasedAuthentication, to: "\(path)/pg_hba.conf", owner: account)
        try SmallFile.write(
            ClusterSettings.identities(of: account), to: "\(path)/pg_ident.conf", owner: account)
        try SmallFile.write(
            ClusterDirectory.markerText, to: "\(path)/\(ClusterDirectory.markerName)", owner: account)
        try SmallFile.syncDirectory(path)
        guard rename(path, directory.data) == 0 else {
            throw .directoryUnusable(path: directory.data, reason: SystemFault.text(errno))
        }
        try SmallFile.syncDirectory(directory.base)
    }
}
