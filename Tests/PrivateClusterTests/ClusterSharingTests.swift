import Glibc
import PrivateCluster
import SaunterTesting
import Testing

/// A server and commands use one cluster together.
@Suite struct ClusterSharingTests {
    @Test func `a command uses the server's cluster and does not stop it`() async throws {
        let fixture = try ClusterFixture()
        let server = try fixture.cluster()
        let command = try fixture.cluster()
        let connection = try await server.start()
        let postmaster = fixture.postmaster

        let joined = try await command.join()
        #expect(joined == connection)
        await command.stop()

        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        #expect(fixture.postmaster == postmaster)
        await server.stop()
        #expect(fixture.postmaster == nil)
        try await fixture.remove()
    }

    @Test func `without a server, a command starts the cluster and stops it at the end`() async throws {
        let fixture = try ClusterFixture()
        let command = try fixture.cluster()

        let connection = try await command.join()
        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        let postmaster = try #require(fixture.postmaster)
        await command.stop()

        #expect(!isAlive(postmaster))
        try await fixture.remove()
    }

    @Test func `only the last of several commands stops the cluster`() async throws {
        let fixture = try ClusterFixture()
        let commands = try (0..<5).map { _ in try fixture.cluster() }

        try await withThrowingTaskGroup { group in
            for command in commands { group.addTask { _ = try await command.join() } }
            try await group.waitForAll()
        }
        let postmaster = try #require(fixture.postmaster)
        for command in commands.dropLast() { await command.stop() }
        #expect(isAlive(postmaster))
        await commands[4].stop()

        #expect(!isAlive(postmaster))
        try await fixture.remove()
    }

    @Test func `a server that stops does not stop the cluster while a command uses it`() async throws {
        let fixture = try ClusterFixture()
        let server = try fixture.cluster()
        let command = try fixture.cluster()
        _ = try await server.start()
        let connection = try await command.join()
        let postmaster = try #require(fixture.postmaster)

        await server.stop()
        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        await command.stop()

        try await waitUntil("the postmaster ends") { !isAlive(postmaster) }
        #expect(fixture.postmaster == nil)
        try await fixture.remove()
    }

    @Test func `a server can start while a command uses the cluster`() async throws {
        let fixture = try ClusterFixture()
        let server = try fixture.cluster()
        let command = try fixture.cluster()
        _ = try await command.join()
        let postmaster = try #require(fixture.postmaster)

        let connection = try await server.start()
        await command.stop()

        #expect(isAlive(postmaster))
        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        await server.stop()
        #expect(!isAlive(postmaster))
        try await fixture.remove()
    }
}
