import Glibc
import PrivateCluster
import SaunterTesting
import Testing

@Suite struct TestClusterTests {
    @Test func `a test database is a copy of its template and can be dropped`() async throws {
        let template = try await TestCluster.makeDatabase()
        _ = try await ClusterFixture.query(
            "CREATE TABLE kept AS SELECT 42 AS value", on: template.connectionString)

        let database = try await TestCluster.makeDatabase(template: template.name)

        #expect(
            try await ClusterFixture.query("SELECT value FROM kept", on: database.connectionString) == "42")
        try await database.drop()
        try await template.drop()
        await #expect(throws: ClusterFault.self) {
            try await ClusterFixture.query("SELECT 1", on: database.connectionString)
        }
    }

    @Test func `the cluster is stopped and removed if the test process is killed`() async throws {
        let note = try TemporaryDirectory.make()

        await #expect(processExitsWith: .signal(SIGKILL)) { [note = note as String] in
            unsetenv("SAUNTER_TEST_DATABASE_URL")
            let connection = try await TestCluster.connectionString()
            let directory = try #require(connection.split(separator: " ").first).dropFirst("host=".count)
            let postmaster = try #require(
                text("\(directory)/data/postmaster.pid")?.split(separator: "\n").first)
            try write("\(directory)\n\(postmaster)", to: "\(note)/note")
            kill(getpid(), SIGKILL)
        }

        let lines = try #require(text("\(note)/note")).split(separator: "\n").map(String.init)
        let postmaster = try #require(Int32(lines[1]))
        try await waitUntil("the postmaster ends") { !isAlive(postmaster) }
        try await waitUntil("the directory is removed") { access(lines[0], F_OK) != 0 }
        try await Program("rm", ["-rf", "--", note]).runOrThrow()
    }

    @Test func `the cluster inherits no descriptor of the test process except the watchdog's pipe`()
        async throws
    {
        await #expect(processExitsWith: .success) {
            unsetenv("SAUNTER_TEST_DATABASE_URL")
            // This pipe is not close-on-exec, like some sockets of tests.
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            let inode = try #require(identity("/proc/self/fd/\(ends[0])"))
            let connection = try await TestCluster.connectionString()
            let directory = try #require(connection.split(separator: " ").first).dropFirst("host=".count)
            let postmaster = try #require(
                text("\(directory)/data/postmaster.pid")?.split(separator: "\n").first)
            let inherited = children(of: "/proc/\(postmaster)/fd").compactMap {
                identity("/proc/\(postmaster)/fd/\($0)")
            }
            try #require(!inherited.isEmpty && !inherited.contains(inode))
        }
    }
}

/// The device and the inode, which identify an open file.
private func identity(_ path: String) -> [UInt64]? {
    var status = stat()
    return stat(path, &status) == 0 ? [UInt64(status.st_dev), UInt64(status.st_ino)] : nil
}
