import Glibc
import Logging
import PrivateCluster
import SaunterTesting

/// The data directory of one test, and operations on the cluster in it.
struct ClusterFixture: Sendable {
    /// The temporary directory that contains all files of the test. `remove` deletes it.
    let root: String
    /// Saunter's data directory.
    let directory: String

    /// - Parameter inside: the path of the data directory, relative to the temporary directory.
    init(inside: String = "data") throws {
        root = try TemporaryDirectory.make()
        directory = "\(root)/\(inside)"
    }

    init(root: String, directory: String) {
        self.root = root
        self.directory = directory
    }

    var data: String { "\(directory)/postgres" }

    func cluster(environment: [String: String]? = nil) throws -> PrivateCluster {
        var logger = Logger(label: "test.cluster") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        return try PrivateCluster(
            directory: directory, logger: logger,
            environment: environment ?? PostgresBinaries.currentEnvironment())
    }

    /// Removes all files. If a failed test left a postmaster running, it is stopped first.
    func remove() async throws {
        if let pid = postmaster, isAlive(pid) {
            kill(pid, SIGQUIT)
            try await waitUntil("the postmaster ends") { !isAlive(pid) }
        }
        try await Program("rm", ["-rf", "--", root]).runOrThrow()
    }

    /// The process id of the postmaster, from `postmaster.pid`.
    var postmaster: Int32? {
        text("\(data)/postmaster.pid").flatMap { Int32($0.prefix { $0 != "\n" }) }
    }

    /// Names of clusters whose creation was interrupted.
    var unfinishedClusters: [String] {
        children(of: directory).filter { $0.hasPrefix("postgres.new-") }
    }

    /// Whether PostgreSQL accepts connections now.
    func acceptsConnections(_ connection: String) async throws -> Bool {
        try await PostgresBinaries.find()[0].program("psql", ["-X", "-d", connection, "-c", "SELECT 1"])
            .run().fault == nil
    }

    /// A query that computes for hours and does not notice other events.
    static let endlessQuery =
        "SELECT count(*) FROM generate_series(1, 300000) a, generate_series(1, 300000) b"

    /// Whether a session computes `endlessQuery`.
    func isComputing(_ connection: String) async throws -> Bool {
        try await Self.query(
            """
            SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '\(Self.endlessQuery)'
                AND wait_event IS NULL
            """, on: connection) == "1"
    }

    /// Makes a directory with fake programs, which only print this version.
    ///
    /// A shell writes the programs. If this process wrote them, a child that another test starts at the same time could
    /// inherit the open file, and a file that is open for writing cannot be run.
    func makePrograms(at path: String, version: String) async throws {
        let script = """
            mkdir -p "$1" && cd "$1" && for name in postgres initdb; do
                printf '#!/bin/sh\\necho "%s (PostgreSQL) %s"\\n' $name "$2" >$name && chmod 755 $name || exit 1
            done
            """
        try await Program("sh", ["-c", script, "sh", path, version]).runOrThrow()
    }

    /// Runs a query, and returns the first column of the first row as text.
    static func query(_ sql: String, on connection: String) async throws -> String {
        let text = try await PostgresBinaries.find()[0].program(
            "psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connection, "-c", sql]
        ).runOrThrow()
        return String(text.prefix { $0 != "\n" })
    }
}

/// The text of a file, at most 64 KiB. Nil if it cannot be opened.
func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}

/// Creates or replaces a file.
func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw TestingFault(step: "fopen \(path)", errno: errno) }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { throw TestingFault(step: "fputs \(path)", errno: errno) }
}

/// Whether a process is running. A zombie is not.
func isAlive(_ pid: Int32) -> Bool {
    guard let status = text("/proc/\(pid)/stat"), let end = status.lastIndex(of: ")") else { return false }
    return !status[end...].hasPrefix(") Z")
}

/// Waits until a condition is met. Another process causes it.
func waitUntil(
    _ description: String, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            throw TestingFault("timeout while waiting until \(description)")
        }
        try await Task.sleep(for: .milliseconds(20))
    }
}
