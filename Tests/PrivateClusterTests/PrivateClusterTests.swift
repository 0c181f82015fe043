import Glibc
import PrivateCluster
import SaunterTesting
import Testing

@Suite struct PrivateClusterTests {
    @Test func `a first start makes a cluster that keeps what it is told`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()

        let connection = try await cluster.start()

        let settings = [
            "data_checksums": "on", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
            "listen_addresses": "", "server_encoding": "UTF8", "unix_socket_permissions": "0700",
        ]
        for (name, value) in settings {
            #expect(try await ClusterScaffold.query("SHOW \(name)", on: connection) == value, "\(name)")
        }
        let collation = "SELECT datcollate FROM pg_database WHERE datname = current_database()"
        #expect(try await ClusterScaffold.query(collation, on: connection) == "C.UTF-8")
        #expect(
            try await ClusterScaffold.query("SELECT 'käse' || current_user", on: connection) == "käsesaunter")
        let postmaster = try #require(scaffold.postmaster)
        var status = stat()
        #expect(stat("/proc/\(postmaster)", &status) == 0 && status.st_uid != 0)
        #expect(stat(scaffold.data, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(stat(scaffold.directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
        await cluster.stop()
        #expect(!isAlive(postmaster))
        try await scaffold.remove()
    }

    @Test func `data are there after a stop and another start`() async throws {
        let scaffold = try ClusterScaffold()
        let first = try scaffold.cluster()
        let connection = try await first.start()
        _ = try await ClusterScaffold.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
        await first.stop()

        let second = try scaffold.cluster()
        let again = try await second.start()

        #expect(again == connection)
        #expect(try await ClusterScaffold.query("SELECT value FROM kept", on: again) == "42")
        await second.stop()
        try await scaffold.remove()
    }

    @Test(arguments: [
        "a/" + String(repeating: "long-", count: 40) + "/data", "a space, a comma 'and' \"quotes\" \\ $HOME",
    ])
    func `any path will do`(inside: String) async throws {
        let scaffold = try ClusterScaffold(inside: inside)
        let cluster = try scaffold.cluster()

        let connection = try await cluster.start()

        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        await cluster.stop()
        try await scaffold.remove()
    }

    @Test func `a stop from a cancelled task is a stop all the same`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()
        _ = try await cluster.start()
        let postmaster = try #require(scaffold.postmaster)

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await cluster.stop()
        }
        await task.value

        #expect(!isAlive(postmaster))
        #expect(text("\(scaffold.data)/postmaster.pid") == nil)
        try await scaffold.remove()
    }

    @Test func `open sessions do not hold up a stop`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()
        let session = Task { try await ClusterScaffold.query("SELECT pg_sleep(600)", on: connection) }
        try await eventually("the session sleeps") {
            try await ClusterScaffold.query(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'", on: connection)
                == "1"
        }

        let took = await ContinuousClock().measure { await cluster.stop() }

        // A stop that waits for sessions takes a minute, until it is made a harder one.
        #expect(took < .seconds(50))
        await #expect(throws: ClusterFault.self) { try await session.value }
        try await scaffold.remove()
    }

    @Test func `no value of a failed statement reaches the log`() async throws {
        let scaffold = try ClusterScaffold()
        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()

        await #expect(throws: ClusterFault.self) {
            try await ClusterScaffold.query("SELECT 'canary4711'::int", on: connection)
        }
        await cluster.stop()

        let found = try await Program("grep", ["-r", "canary4711", scaffold.directory]).run()
        #expect(found.fault == "exited(1)" && found.output.isEmpty)
        try await scaffold.remove()
    }

    @Test(.enabled(if: geteuid() == 0, "an ordinary user runs every test of this suite as one"))
    func `an ordinary user needs no root`() async throws {
        let scaffold = try ClusterScaffold()
        #expect(chown(scaffold.root, 65534, 65534) == 0)
        let root = scaffold.root

        await #expect(processExitsWith: .success) { [root = root as String] in
            try #require(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
            let scaffold = ClusterScaffold(root: root, directory: "\(root)/data")
            let cluster = try scaffold.cluster()
            let connection = try await cluster.start()
            try #require(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
            await cluster.stop()
        }

        var status = stat()
        #expect(stat(scaffold.data, &status) == 0 && status.st_uid == 65534)
        // Root takes the data as they are, as their owner.
        let cluster = try scaffold.cluster()
        let connection = try await cluster.start()
        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        let postmaster = try #require(scaffold.postmaster)
        #expect(stat("/proc/\(postmaster)", &status) == 0 && status.st_uid == 65534)
        await cluster.stop()
        try await scaffold.remove()
    }
}
