import Glibc
import PrivateCluster
import SaunterTesting
import Testing

/// Starts that are rejected. Each error is one line, and no data is changed.
@Suite struct ClusterRefusalTests {
    @Test func `data of another major version is rejected, and the error names both versions`() async throws {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        _ = try await first.start()
        await first.stop()
        let major = try #require(text("\(fixture.data)/PG_VERSION"))
        try write("9\n", to: "\(fixture.data)/PG_VERSION")

        let fault = await #expect(throws: ClusterFault.self) { try await fixture.cluster().start() }

        let line = try #require(fault).description
        #expect(line.contains("PostgreSQL 9,") && line.contains("are PostgreSQL \(major.prefix(2)):"))
        #expect(line.contains("install postgresql-9") && !line.contains("\n"))
        // The data is unchanged: the cluster starts again with the original version number.
        try write(major, to: "\(fixture.data)/PG_VERSION")
        let again = try fixture.cluster()
        _ = try await again.start()
        await again.stop()
        try await fixture.remove()
    }

    @Test func `if the chosen programs have the wrong version, the error names others`() async throws {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        _ = try await first.start()
        await first.stop()
        let programs = "\(fixture.root)/programs"
        try await fixture.makePrograms(at: programs, version: "99.1")

        var environment = PostgresBinaries.currentEnvironment()
        environment["SAUNTER_POSTGRES_BIN"] = programs
        let fault = await #expect(throws: ClusterFault.self) {
            try await fixture.cluster(environment: environment).start()
        }

        let right = try await PostgresBinaries.find()[0]
        #expect(
            fault
                == .wrongVersion(
                    directory: fixture.data, data: right.major, binaries: 99, matching: right.directory))
        try await fixture.remove()
    }

    @Test func `a second server on the same data directory is rejected`() async throws {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        let connection = try await first.start()

        let fault = await #expect(throws: ClusterFault.self) { try await fixture.cluster().start() }

        #expect(fault == .alreadyInUse(directory: fixture.directory))
        #expect(try await ClusterFixture.query("SELECT 1", on: connection) == "1")
        await first.stop()
        try await fixture.remove()
    }

    @Test func `if several servers start at once in a new data directory, exactly one succeeds`() async throws
    {
        let fixture = try ClusterFixture()
        let clusters = try (0..<4).map { _ in try fixture.cluster() }

        let outcomes = await withTaskGroup { group in
            for cluster in clusters {
                group.addTask { () -> Result<String, ClusterFault> in
                    do throws(ClusterFault) { return .success(try await cluster.start()) } catch {
                        return .failure(error)
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        let started = outcomes.compactMap { try? $0.get() }
        #expect(started.count == 1)
        #expect(outcomes.count { $0 == .failure(.alreadyInUse(directory: fixture.directory)) } == 3)
        #expect(try await ClusterFixture.query("SELECT 1", on: #require(started.first)) == "1")
        for cluster in clusters { await cluster.stop() }
        #expect(fixture.postmaster == nil)
        try await fixture.remove()
    }

    @Test func `a directory that is not a complete cluster is not changed`() async throws {
        let fixture = try ClusterFixture()
        try #require(mkdir(fixture.directory, 0o700) == 0 && mkdir(fixture.data, 0o700) == 0)
        try write("precious", to: "\(fixture.data)/file")

        let account = try await ClusterAccount.forNewCluster()
        try #require(chown(fixture.data, account.userID, account.groupID) == 0)
        let fault = await #expect(throws: ClusterFault.self) { try await fixture.cluster().start() }

        #expect(fault?.description.contains("is not a complete cluster") == true)
        #expect(text("\(fixture.data)/file") == "precious")
        try await fixture.remove()
    }

    @Test func `the error names a file that blocks the path of the data directory`() async throws {
        let fixture = try ClusterFixture(inside: "file/data")
        try write("", to: "\(fixture.root)/file")

        let fault = await #expect(throws: ClusterFault.self) { try await fixture.cluster().start() }

        #expect(fault?.description.hasPrefix("\(fixture.root)/file") == true)
        try await fixture.remove()
    }

    @Test func `if PostgreSQL cannot start, the error states the cause in one line`() async throws {
        let fixture = try ClusterFixture()
        let first = try fixture.cluster()
        _ = try await first.start()
        await first.stop()
        try write("max_connections = 'many'\n", to: "\(fixture.data)/postgresql.conf")

        let fault = await #expect(throws: ClusterFault.self) { try await fixture.cluster().start() }

        let line = try #require(fault).description
        #expect(line.contains("max_connections") && !line.contains("\n"))
        try await fixture.remove()
    }
}
