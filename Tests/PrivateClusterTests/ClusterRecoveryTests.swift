import Glibc
import PrivateCluster
import SaunterTesting
import Testing

/// What a kill leaves behind, and what the next start makes of it.
@Suite struct ClusterRecoveryTests {
    @Test func `a killed postmaster comes back by itself with its data`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()
        _ = try await ClusterScaffold.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)

        for _ in 1...3 {
            let killed = try #require(scaffold.postmaster)
            kill(killed, SIGKILL)
            try await eventually("another postmaster answers") {
                guard let now = scaffold.postmaster, now != killed else { return false }
                return try await scaffold.answers(connection)
            }
        }

        #expect(try await ClusterScaffold.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        #expect(scaffold.postmaster == nil)
        try await scaffold.remove()
    }

    @Test func `a session that dies takes PostgreSQL with it, which comes back by itself`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()
        _ = try await ClusterScaffold.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
        let before = try #require(scaffold.postmaster)
        let session = Task { try await ClusterScaffold.query(ClusterScaffold.endless, on: connection) }
        try await eventually("the session computes") { try await scaffold.computes(connection) }
        let backend = try await ClusterScaffold.query(
            "SELECT pid FROM pg_stat_activity WHERE query = '\(ClusterScaffold.endless)'", on: connection)

        kill(try #require(Int32(backend)), SIGKILL)

        try await eventually("another postmaster answers") {
            guard let now = scaffold.postmaster, now != before else { return false }
            return try await scaffold.answers(connection)
        }
        await #expect(throws: ClusterFault.self) { try await session.value }
        #expect(try await ClusterScaffold.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        try await scaffold.remove()
    }

    @Test func `a killed postmaster comes back though a session of it computes on`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()
        let session = Task { try await ClusterScaffold.query(ClusterScaffold.endless, on: connection) }
        try await eventually("the session computes") { try await scaffold.computes(connection) }

        let killed = try #require(scaffold.postmaster)
        kill(killed, SIGKILL)

        try await eventually("another postmaster answers") {
            guard let now = scaffold.postmaster, now != killed else { return false }
            return try await scaffold.answers(connection)
        }
        await #expect(throws: ClusterFault.self) { try await session.value }
        await cluster.stop()
        try await scaffold.remove()
    }

    @Test func `a killed server's PostgreSQL is adopted by the next one`() async throws {
        let scaffold = try ClusterScaffold()
        let (root, directory) = (scaffold.root, scaffold.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            let scaffold = ClusterScaffold(root: root, directory: directory)
            let connection = try await scaffold.cluster().start()
            _ = try await ClusterScaffold.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
            kill(getpid(), SIGKILL)
        }
        let orphan = try #require(scaffold.postmaster)
        #expect(isAlive(orphan))

        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()

        #expect(scaffold.postmaster == orphan)
        #expect(try await ClusterScaffold.query("SELECT value FROM kept", on: connection) == "42")

        // An adopted one is looked after like one's own.
        kill(orphan, SIGKILL)
        try await eventually("another postmaster answers") {
            guard let now = scaffold.postmaster, now != orphan else { return false }
            return try await scaffold.answers(connection)
        }
        #expect(try await ClusterScaffold.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        #expect(scaffold.postmaster == nil)
        try await scaffold.remove()
    }

    @Test func `an adopted PostgreSQL is stopped in the end`() async throws {
        let scaffold = try ClusterScaffold()
        let (root, directory) = (scaffold.root, scaffold.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            _ = try await ClusterScaffold(root: root, directory: directory).cluster().start()
            kill(getpid(), SIGKILL)
        }
        let orphan = try #require(scaffold.postmaster)

        let cluster = try scaffold.cluster()
        _ = try await cluster.start()
        await cluster.stop()

        #expect(!isAlive(orphan))
        #expect(scaffold.postmaster == nil)
        try await scaffold.remove()
    }

    @Test func `server and postmaster killed while a session is busy`() async throws {
        let scaffold = try ClusterScaffold()
        let (root, directory) = (scaffold.root, scaffold.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            let scaffold = ClusterScaffold(root: root, directory: directory)
            let connection = try await scaffold.cluster().start()
            _ = try await ClusterScaffold.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
            // A session that computes does not notice that its postmaster is gone.
            _ = Task { try await ClusterScaffold.query(ClusterScaffold.endless, on: connection) }
            try await eventually("the session computes") { try await scaffold.computes(connection) }
            kill(try #require(scaffold.postmaster), SIGKILL)
            kill(getpid(), SIGKILL)
        }

        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()

        #expect(try await ClusterScaffold.query("SELECT value FROM kept", on: connection) == "42")
        await cluster.stop()
        try await scaffold.remove()
    }

    @Test func `a first start that was killed half way is begun anew`() async throws {
        let scaffold = try ClusterScaffold()
        let (root, directory) = (scaffold.root, scaffold.directory)
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [root = root as String, directory = directory as String] in
            let scaffold = ClusterScaffold(root: root, directory: directory)
            let start = Task { try await scaffold.cluster().start() }
            try await eventually("the cluster is being made") { scaffold.unfinished.count == 1 }
            kill(getpid(), SIGKILL)
            _ = try await start.value
        }
        #expect(scaffold.unfinished.count == 1)
        #expect(access(scaffold.data, F_OK) != 0)

        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()

        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        #expect(scaffold.unfinished.isEmpty)
        await cluster.stop()
        try await scaffold.remove()
    }

    @Test func `a record whose number another process has by now is no hindrance`() async throws {
        let scaffold = try ClusterScaffold()
        let first = try scaffold.cluster()
        _ = try await first.start()
        let record = try #require(text("\(scaffold.data)/postmaster.pid"))
        let postmaster = try #require(scaffold.postmaster)
        await first.stop()
        let rest = record.drop { $0 != "\n" }
        try write("\(getpid())\(rest)", to: "\(scaffold.data)/postmaster.pid")

        let second = try scaffold.cluster()
        let connection = try await second.start()

        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        #expect(scaffold.postmaster != postmaster)
        await second.stop()
        try await scaffold.remove()
    }
}
