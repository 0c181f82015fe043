import Glibc
import Logging

/// Makes a cluster so that it is there completely or not at all.
///
/// It grows in a directory beside its place; a marker is written last and a rename puts it into place. A
/// run that was killed leaves only the directory beside it, which the next run removes.
struct ClusterMaking {
    let directory: ClusterDirectory
    let binaries: PostgresBinaries
    let account: ClusterAccount
    let logger: Logger

    func run() async throws(ClusterFault) {
        await removeUnfinished()
        let place = try makePlace()
        do {
            try await fill(place)
            try putIntoPlace(place)
        } catch {
            await remove(place)
            throw error
        }
        logger.info("made a PostgreSQL cluster", metadata: ["directory": "\(directory.data)"])
    }

    private func removeUnfinished() async {
        for name in children(of: directory.base) where name.hasPrefix(ClusterDirectory.unfinished) {
            logger.notice(
                "removing a PostgreSQL cluster that was never finished", metadata: ["name": "\(name)"])
            await remove("\(directory.base)/\(name)")
        }
    }

    private func remove(_ path: String) async {
        do {
            try await Program("rm", ["-rf", "--", path]).succeed()
        } catch {
            // It costs room and nothing else; the next run tries again.
            logger.warning("an unfinished cluster could not be removed", metadata: ["fault": "\(error)"])
        }
    }

    private func makePlace() throws(ClusterFault) -> String {
        var template = Array("\(directory.base)/\(ClusterDirectory.unfinished)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw .directoryUnusable(path: directory.base, reason: SystemFault.text(errno))
        }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard account.userID == geteuid() || lchown(path, account.userID, account.groupID) == 0 else {
            throw .directoryUnusable(path: path, reason: SystemFault.text(errno))
        }
        return path
    }

    private func fill(_ place: String) async throws(ClusterFault) {
        var initdb = binaries.program(
            "initdb",
            [
                "-U", ClusterSettings.superuser, "--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums",
                "--auth=peer", "--no-instructions",
            ])
        initdb.dataDirectory = place
        initdb.account = account
        try await initdb.succeed()

        // The database is made without a server, so that a finished cluster always has it.
        var single = binaries.program("postgres", ["--single", "-c", "log_checkpoints=off", "template1"])
        single.dataDirectory = place
        single.account = account
        let ending = try await single.run(input: "CREATE DATABASE \(ClusterSettings.database)\n")
        // A single server ends with status 0 even when its statement failed.
        guard ending.fault == nil, !ending.error.contains("ERROR:") else {
            throw .programFailed(
                program: "postgres --single", reason: ending.fault ?? "refused", output: ending.error)
        }
    }

    private func putIntoPlace(_ place: String) throws(ClusterFault) {
        try SmallFile.write(
            ClusterSettings.hostBasedAuthentication, to: "\(place)/pg_hba.conf", owner: account)
        try SmallFile.write(
            ClusterSettings.identities(of: account), to: "\(place)/pg_ident.conf", owner: account)
        try SmallFile.write(
            ClusterDirectory.markerText, to: "\(place)/\(ClusterDirectory.markerName)", owner: account)
        try SmallFile.syncDirectory(place)
        guard rename(place, directory.data) == 0 else {
            throw .directoryUnusable(path: directory.data, reason: SystemFault.text(errno))
        }
        try SmallFile.syncDirectory(directory.base)
    }
}
