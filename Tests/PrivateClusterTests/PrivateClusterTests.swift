import Glibc
import PrivateCluster
import SaunterTesting
import Testing

@Suite struct PrivateClusterTests {
    @Test func `the first start creates a durable cluster that only its owner can access`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()

        let connection = try await cluster.start()

        let settings = [
            "data_checksums": "on", "fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
            "listen_addresses": "", "server_encoding": "UTF8", "unix_socket_permissions": "0700",
        ]
        for (name, value) in settings {
            #expect(try await ClusterFixture.query("SHOW \(name)", on: connection) == value, "\(name)")
        }
        let collation = "SELECT datcollate FROM pg_database WHERE datname = current_database()"
        #expect(try await ClusterFixture.query(collation, on: connection) == "C.UTF-8")
        #expect(
            try await ClusterFixture.query("SELECT 'käse' || current_user", on: connection) == "käsesaunter")
        let postmaster = try #require(fixture.postmaster)
        var status = stat()
        #expect(stat("/proc/\(postmaster)", &status) == 0 && status.st_uid != 0)
        #expect(stat(fixture.data, &status) == 0 && status.st_mode & 0o777 == 0o700)
        #expect(stat(fixture.directory, &status) == 0 && status.st_mode & 0o777 == 0o700)
        await cluster.stop()
        #expect(!isAlive(postmaster))
        try await fixture.remove()
    }

    @Test func `data is kept after a stop and another start`() async throws {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        let connection = try await first.start()
        _ = try await ClusterFixture.query("CREATE TABLE kept AS SELECT 42 AS value", on: connection)
        await first.stop()

        let second = try fixture.cluster()
        let again = try await second.start()

        #expect(again == connection)
        #expect(try await ClusterFixture.query("SELECT value FROM kept", on: again) == "42")
        await second.stop()
        try await fixture.remove()
    }

    @Test(arguments: [
        "a/" + String(repeating: "long-", count: 40) + "/data", "a space, a comma 'and' \"quotes\" \\ $HOME",
    ])
    func `the path of the data directory can be long and contain special characters`(inside: String)
        async throws
    {
        let fixture = try ClusterFixture(inside: inside)
        let cluster = try fixture.cluster()

        let connection = try await cluster.start()

        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        await cluster.stop()
        try await fixture.remove()
    }

    @Test func `a stop from a cancelled task stops the cluster cleanly`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()
        _ = try await cluster.start()
        let postmaster = try #require(fixture.postmaster)

        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await cluster.stop()
        }
        await task.value

        #expect(!isAlive(postmaster))
        #expect(text("\(fixture.data)/postmaster.pid") == nil)
        try await fixture.remove()
    }

    @Test func `a stop does not wait for open sessions`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()
        let connection = try await cluster.start()
        let session = Task { try await ClusterFixture.query("SELECT pg_sleep(600)", on: connection) }
        try await waitUntil("the session sleeps") {
            try await ClusterFixture.query(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'", on: connection)
                == "1"
        }

        let duration = await ContinuousClock().measure { await cluster.stop() }

        // A shutdown that waits for sessions would take a minute, until the immediate shutdown.
        #expect(duration < .seconds(50))
        await #expect(throws: ClusterFault.self) { try await session.value }
        try await fixture.remove()
    }

    @Test func `the log contains no value of a failed statement`() async throws {
        let fixture = try ClusterFixture()
        let cluster = try fixture.cluster()
        let connection = try await cluster.start()

        await #expect(throws: ClusterFault.self) {
            try await ClusterFixture.query("SELECT 'canary4711'::int", on: connection)
        }
        await cluster.stop()

        let found = try await Program("grep", ["-r", "canary4711", fixture.directory]).run()
        #expect(found.fault == "exited(1)" && found.output.isEmpty)
        try await fixture.remove()
    }

    @Test(
        .enabled(if: geteuid() == 0, "without root, all tests of this suite already run as an ordinary user"))
    func `an ordinary user can run a cluster, and root later runs it as its owner`() async throws {
        let fixture = try ClusterFixture()
        #expect(chown(fixture.root, 65534, 65534) == 0)
        let root = fixture.root

        await #expect(processExitsWith: .success) { [root = root as String] in
            try #require(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
            let fixture = ClusterFixture(root: root, directory: "\(root)/data")
            let cluster = try fixture.cluster()
            let connection = try await cluster.start()
            try #require(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
            await cluster.stop()
        }

        var status = stat()
        #expect(stat(fixture.data, &status) == 0 && status.st_uid == 65534)
        // Root runs PostgreSQL as the owner of the data.
        let cluster = try fixture.cluster()
        let connection = try await cluster.start()
        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        let postmaster = try #require(fixture.postmaster)
        #expect(stat("/proc/\(postmaster)", &status) == 0 && status.st_uid == 65534)
        await cluster.stop()
        try await fixture.remove()
    }
}
