import Glibc

/// How the cluster's socket is reached from this process.
///
/// A socket's path must fit into 107 bytes. Where the data directory's path is too long, or holds a comma,
/// which libpq takes for the end of a host, the address goes through this process's own open descriptor of
/// the directory. Unlike a link in /tmp nobody else can guess or replace it, and nothing is left behind.
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
        // By process id rather than "self", so that programs started from here (pg_dump) can use it too.
        connectionString = Self.connectionString(host: "/proc/\(getpid())/fd/\(opened)")
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// `O_PATH` of <fcntl.h>, which the import leaves out: a descriptor that names a place and reads nothing.
    private static let pathOnly: Int32 = 0o10000000

    static func connectionString(host: String) -> String {
        "host=\(quoted(host)) port=5432 user=\(ClusterSettings.superuser) dbname=\(ClusterSettings.database)"
    }

    /// A value of a connection string in quotes.
    static func quoted(_ value: String) -> String {
        var text = "'"
        for character in value.unicodeScalars {
            if character == "'" || character == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(character)
        }
        return text + "'"
    }
}
