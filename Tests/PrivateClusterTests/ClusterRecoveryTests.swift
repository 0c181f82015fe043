import Glibc
import PrivateCluster
import SaunterTesting
import Testing

/// The cluster recovers after its processes or its server were killed.
@Suite struct ClusterRecoveryTests {
    @Test func `a killed postmaster is restarted with its data`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()
        let connection = try await cluster.start()
        _ = try await ClusterFixture.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)

        for _ in 1...3 {
            let killed = try #require(fixture.postmaster)
            kill(killed, SIGKILL)
            try await waitUntil("another postmaster answers") {
                guard let now = fixture.postmaster, now != killed else { return false }
                return try await fixture.acceptsConnections(connection)
            }
        }

        #expect(try await ClusterFixture.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        #expect(fixture.postmaster == nil)
        try await fixture.remove()
    }

    @Test func `PostgreSQL is restarted if a session is killed`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()
        let connection = try await cluster.start()
        _ = try await ClusterFixture.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
        let before = try #require(fixture.postmaster)
        let session = Task { try await ClusterFixture.query(ClusterFixture.endlessQuery, on: connection) }
        try await waitUntil("the session computes") { try await fixture.isComputing(connection) }
        let backend = try await ClusterFixture.query(
            "SELECT pid FROM pg_stat_activity WHERE query = '\(ClusterFixture.endlessQuery)'", on: connection)

        kill(try #require(Int32(backend)), SIGKILL)

        try await waitUntil("another postmaster answers") {
            guard let now = fixture.postmaster, now != before else { return false }
            return try await fixture.acceptsConnections(connection)
        }
        await #expect(throws: ClusterFault.self) { try await session.value }
        #expect(try await ClusterFixture.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        try await fixture.remove()
    }

    @Test func `a killed postmaster is restarted even if one of its sessions still computes`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()
        let connection = try await cluster.start()
        let session = Task { try await ClusterFixture.query(ClusterFixture.endlessQuery, on: connection) }
        try await waitUntil("the session computes") { try await fixture.isComputing(connection) }

        let killed = try #require(fixture.postmaster)
        kill(killed, SIGKILL)

        try await waitUntil("another postmaster answers") {
            guard let now = fixture.postmaster, now != killed else { return false }
            return try await fixture.acceptsConnections(connection)
        }
        await #expect(throws: ClusterFault.self) { try await session.value }
        await cluster.stop()
        try await fixture.remove()
    }

    @Test func `the next server uses the PostgreSQL that a killed server left running`() async throws {
        let fixture = try ClusterFixture()
        let (root, directory) = (fixture.root, fixture.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            let fixture = ClusterFixture(root: root, directory: directory)
            let connection = try await fixture.cluster().start()
            _ = try await ClusterFixture.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
            kill(getpid(), SIGKILL)
        }
        let orphan = try #require(fixture.postmaster)
        #expect(isAlive(orphan))

        let cluster = try fixture.cluster()
        let connection = try await cluster.start()

        #expect(fixture.postmaster == orphan)
        #expect(try await ClusterFixture.query("SELECT value FROM kept", on: connection) == "42")

        // The server also restarts a PostgreSQL that it did not start.
        kill(orphan, SIGKILL)
        try await waitUntil("another postmaster answers") {
            guard let now = fixture.postmaster, now != orphan else { return false }
            return try await fixture.acceptsConnections(connection)
        }
        #expect(try await ClusterFixture.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        #expect(fixture.postmaster == nil)
        try await fixture.remove()
    }

    @Test func `a server stops the PostgreSQL that a killed server left running`() async throws {
        let fixture = try ClusterFixture()
        let (root, directory) = (fixture.root, fixture.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            _ = try await ClusterFixture(root: root, directory: directory).cluster().start()
            kill(getpid(), SIGKILL)
        }
        let orphan = try #require(fixture.postmaster)

        let cluster = try fixture.cluster()
        _ = try await cluster.start()
        await cluster.stop()

        #expect(!isAlive(orphan))
        #expect(fixture.postmaster == nil)
        try await fixture.remove()
    }

    @Test func `a cluster starts after a kill of server and postmaster during a query`() async throws {
        let fixture = try ClusterFixture()
        let (root, directory) = (fixture.root, fixture.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            let fixture = ClusterFixture(root: root, directory: directory)
            let connection = try await fixture.cluster().start()
            _ = try await ClusterFixture.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
            // A session that computes does not notice the death of its postmaster.
            _ = Task { try await ClusterFixture.query(ClusterFixture.endlessQuery, on: connection) }
            try await waitUntil("the session computes") { try await fixture.isComputing(connection) }
            kill(try #require(fixture.postmaster), SIGKILL)
            kill(getpid(), SIGKILL)
        }

        let cluster = try fixture.cluster()
        let connection = try await cluster.start()

        #expect(try await ClusterFixture.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        try await fixture.remove()
    }

    @Test func `the creation of a cluster starts again after it was killed`() async throws {
        let fixture = try ClusterFixture()
        let (root, directory) = (fixture.root, fixture.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            let fixture = ClusterFixture(root: root, directory: directory)
            let start = Task { try await fixture.cluster().start() }
            try await waitUntil("the cluster is being created") { fixture.unfinishedClusters.count == 1 }
            kill(getpid(), SIGKILL)
            _ = try await start.value
        }
        #expect(fixture.unfinishedClusters.count == 1)
        #expect(access(fixture.data, F_OK) != 0)

        let cluster = try fixture.cluster()
        let connection = try await cluster.start()

        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        #expect(fixture.unfinishedClusters.isEmpty)
        await cluster.stop()
        try await fixture.remove()
    }

    @Test func `a stale postmaster.pid with the id of another process is ignored`() async throws {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        _ = try await first.start()
        let pidFile = try #require(text("\(fixture.data)/postmaster.pid"))
        let postmaster = try #require(fixture.postmaster)
        await first.stop()
        let rest = pidFile.drop { $0 != "\n" }
        try write("\(getpid())\(rest)", to: "\(fixture.data)/postmaster.pid")

        let second = try fixture.cluster()
        let connection = try await second.start()

        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        #expect(fixture.postmaster != postmaster)
        await second.stop()
        try await fixture.remove()
    }
}
