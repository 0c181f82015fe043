import Glibc

/// The address of the cluster's socket for this process.
///
/// The path of a socket has at most 107 bytes, and libpq treats a comma as the end of a host. If the path of the data
/// directory is too long or contains a comma, the address refers to an open descriptor of the directory in this
/// process. Unlike a link in /tmp, no other user can guess or replace this address, and no file remains.
struct ClusterAddress: ~Copyable {
    /// For libpq, in key=value form.
    let connectionString: String
    private let descriptor: Int32

    init(of directory: ClusterDirectory) throws(ClusterFault) {
        let path = directory.data
        let length = path.utf8.count + 1 + ClusterDirectory.socketName.utf8.count
        guard length > ClusterDirectory.socketPathLimit || path.contains(",") else {
            descriptor = -1
            connectionString = Self.connectionString(host: path)
            return
        }
        let opened = open(path, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard opened >= 0 else { throw .directoryUnusable(path: path, reason: SystemFault.text(errno)) }
        descriptor = opened
        // The path contains the process id, and not "self", so that child processes (pg_dump) can use it, too.
        connectionString = Self.connectionString(host: "/proc/\(getpid())/fd/\(opened)")
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// `O_PATH` of <fcntl.h>: the descriptor identifies a path but cannot read. Swift does not import this constant.
    private static let pathOnly: Int32 = 0o10000000

    static func connectionString(host: String) -> String {
        "host=\(quoted(host)) port=5432 user=\(ClusterSettings.superuser) dbname=\(ClusterSettings.database)"
    }

    /// A quoted value of a connection string.
    static func quoted(_ value: String) -> String {
        var text = "'"
        for character in value.unicodeScalars {
            if character == "'" || character == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(character)
        }
        return text + "'"
    }
}
