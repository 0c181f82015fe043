import Glibc
import PrivateCluster
import SaunterTesting
import Testing

/// Servers and commands that use one cluster together.
@Suite struct ClusterSharingTests {
    @Test func `a command joins the server's cluster and leaves it running`() async throws {
        let scaffold = try ClusterScaffold()
        let server = try scaffold.cluster()
        let command = try scaffold.cluster()
        let connection = try await server.start()
        let postmaster = scaffold.postmaster

        let joined = try await command.join()
        #expect(joined == connection)
        await command.stop()

        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        #expect(scaffold.postmaster == postmaster)
        await server.stop()
        #expect(scaffold.postmaster == nil)
        try await scaffold.remove()
    }

    @Test func `without a server a command has the cluster for its own life`() async throws {
        let scaffold = try ClusterScaffold()
        let command = try scaffold.cluster()

        let connection = try await command.join()
        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        let postmaster = try #require(scaffold.postmaster)
        await command.stop()

        #expect(!isAlive(postmaster))
        try await scaffold.remove()
    }

    @Test func `the last of many commands stops the cluster, none before`() async throws {
        let scaffold = try ClusterScaffold()
        let commands = try (0..<5).map { _ in try scaffold.cluster() }

        try await withThrowingTaskGroup { group in
            for command in commands { group.addTask { _ = try await command.join() } }
            try await group.waitForAll()
        }
        let postmaster = try #require(scaffold.postmaster)
        for command in commands.dropLast() { await command.stop() }
        #expect(isAlive(postmaster))
        await commands[4].stop()

        #expect(!isAlive(postmaster))
        try await scaffold.remove()
    }

    @Test func `a server that stops leaves the cluster to a command at work`() async throws {
        let scaffold = try ClusterScaffold()
        let server = try scaffold.cluster()
        let command = try scaffold.cluster()
        _ = try await server.start()
        let connection = try await command.join()
        let postmaster = try #require(scaffold.postmaster)

        await server.stop()
        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        await command.stop()

        try await eventually("the postmaster ends") { !isAlive(postmaster) }
        #expect(scaffold.postmaster == nil)
        try await scaffold.remove()
    }

    @Test func `a server may start while a command has the cluster`() async throws {
        let scaffold = try ClusterScaffold()
        let server = try scaffold.cluster()
        let command = try scaffold.cluster()
        _ = try await command.join()
        let postmaster = try #require(scaffold.postmaster)

        let connection = try await server.start()
        await command.stop()

        #expect(isAlive(postmaster))
        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        await server.stop()
        #expect(!isAlive(postmaster))
        try await scaffold.remove()
    }
}
