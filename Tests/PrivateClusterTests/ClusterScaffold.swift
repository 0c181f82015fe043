import Glibc
import Logging
import PrivateCluster
import SaunterTesting

/// A data directory of one test, and what a test does with the cluster in it.
struct ClusterScaffold: Sendable {
    /// The root of everything, removed by `remove`.
    let root: String
    /// Saunter's data directory.
    let directory: String

    /// `inside` is the data directory's path below the temporary one.
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

    /// Removes everything; a postmaster that a failed test left is ended first.
    func remove() async throws {
        if let pid = postmaster, isAlive(pid) {
            kill(pid, SIGQUIT)
            try await eventually("the postmaster ends") { !isAlive(pid) }
        }
        try await Program("rm", ["-rf", "--", root]).succeed()
    }

    /// The postmaster's process id, by PostgreSQL's own record.
    var postmaster: Int32? {
        text("\(data)/postmaster.pid").flatMap { Int32($0.prefix { $0 != "\n" }) }
    }

    /// Names of clusters that were begun and not finished.
    var unfinished: [String] {
        children(of: directory).filter { $0.hasPrefix("postgres.new-") }
    }

    /// Whether a connection is served at this moment.
    func answers(_ connection: String) async throws -> Bool {
        try await PostgresBinaries.find()[0].program("psql", ["-X", "-d", connection, "-c", "SELECT 1"])
            .run().fault == nil
    }

    /// A statement that computes for hours and looks at nothing else meanwhile.
    static let endless = "SELECT count(*) FROM generate_series(1, 300000) a, generate_series(1, 300000) b"

    /// Whether a session computes it.
    func computes(_ connection: String) async throws -> Bool {
        try await Self.query(
            """
            SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = '\(Self.endless)'
                AND wait_event IS NULL
            """, on: connection) == "1"
    }

    /// A directory with programs that say they are of that version, and can do nothing else.
    ///
    /// A shell writes them: a file that this process has open for writing cannot be run while another test
    /// is starting a child, which holds it open too.
    func makePrograms(at path: String, version: String) async throws {
        let script = """
            mkdir -p "$1" && cd "$1" && for name in postgres initdb; do
                printf '#!/bin/sh\\necho "%s (PostgreSQL) %s"\\n' $name "$2" >$name && chmod 755 $name || exit 1
            done
            """
        try await Program("sh", ["-c", script, "sh", path, version]).succeed()
    }

    /// The first column of the first row, as text.
    static func query(_ sql: String, on connection: String) async throws -> String {
        let text = try await PostgresBinaries.find()[0].program(
            "psql", ["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-d", connection, "-c", sql]
        ).succeed()
        return String(text.prefix { $0 != "\n" })
    }
}

/// The text of a file, or nil.
func text(_ path: String) -> String? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 16)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
}

/// Writes a file.
func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw TestingFault(step: "fopen \(path)", errno: errno) }
    defer { fclose(file) }
    guard fputs(text, file) >= 0 else { throw TestingFault(step: "fputs \(path)", errno: errno) }
}

/// Whether a process lives; one that is dead but not yet waited for does not.
func isAlive(_ pid: Int32) -> Bool {
    guard let status = text("/proc/\(pid)/stat"), let end = status.lastIndex(of: ")") else { return false }
    return !status[end...].hasPrefix(") Z")
}

/// Waits until something that another process does has happened.
func eventually(
    _ what: String, within limit: Duration = .seconds(120), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw TestingFault("never: \(what)") }
        try await Task.sleep(for: .milliseconds(20))
    }
}
