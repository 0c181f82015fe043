import Glibc
import PrivateCluster
import SaunterTesting
import Testing

/// What is refused, in one clear line each, and never at the cost of data.
@Suite struct ClusterRefusalTests {
    @Test func `data of another major version are refused and named`() async throws {
        let scaffold = try ClusterScaffold()
        let first = try scaffold.cluster()
        _ = try await first.start()
        await first.stop()
        let major = try #require(text("\(scaffold.data)/PG_VERSION"))
        try write("9\n", to: "\(scaffold.data)/PG_VERSION")

        let fault = await #expect(throws: ClusterFault.self) { try await scaffold.cluster().start() }

        let line = try #require(fault).description
        #expect(line.contains("PostgreSQL 9,") && line.contains("are PostgreSQL \(major.prefix(2)):"))
        #expect(line.contains("install postgresql-9") && !line.contains("\n"))
        // Nothing was touched: with its own version back, it starts.
        try write(major, to: "\(scaffold.data)/PG_VERSION")
        let again = try scaffold.cluster()
        _ = try await again.start()
        await again.stop()
        try await scaffold.remove()
    }

    @Test func `the right programs are named when the chosen ones are wrong`() async throws {
        let scaffold = try ClusterScaffold()
        let first = try scaffold.cluster()
        _ = try await first.start()
        await first.stop()
        let programs = "\(scaffold.root)/programs"
        try await scaffold.makePrograms(at: programs, version: "99.1")

        var environment = PostgresBinaries.currentEnvironment()
        environment["SAUNTER_POSTGRES_BIN"] = programs
        let fault = await #expect(throws: ClusterFault.self) {
            try await scaffold.cluster(environment: environment).start()
        }

        let right = try await PostgresBinaries.find()[0]
        #expect(
            fault
                == .wrongVersion(
                    directory: scaffold.data, data: right.major, binaries: 99, elsewhere: right.directory))
        try await scaffold.remove()
    }

    @Test func `a second server on the same data is refused`() async throws {
        let scaffold = try ClusterScaffold()
        let first = try scaffold.cluster()
        let connection = try await first.start()

        let fault = await #expect(throws: ClusterFault.self) { try await scaffold.cluster().start() }

        #expect(fault == .alreadyServed(directory: scaffold.directory))
        #expect(try await ClusterScaffold.query("SELECT 1", on: connection) == "1")
        await first.stop()
        try await scaffold.remove()
    }

    @Test func `of several servers started at once on new data exactly one wins`() async throws {
        let scaffold = try ClusterScaffold()
        let clusters = try (0..<4).map { _ in try scaffold.cluster() }

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

        let won = outcomes.compactMap { try? $0.get() }
        #expect(won.count == 1)
        #expect(outcomes.count { $0 == .failure(.alreadyServed(directory: scaffold.directory)) } == 3)
        #expect(try await ClusterScaffold.query("SELECT 1", on: #require(won.first)) == "1")
        for cluster in clusters { await cluster.stop() }
        #expect(scaffold.postmaster == nil)
        try await scaffold.remove()
    }

    @Test func `a directory that Saunter did not complete is left alone`() async throws {
        let scaffold = try ClusterScaffold()
        try #require(mkdir(scaffold.directory, 0o700) == 0 && mkdir(scaffold.data, 0o700) == 0)
        try write("precious", to: "\(scaffold.data)/file")

        let account = try await ClusterAccount.forNewCluster()
        try #require(chown(scaffold.data, account.userID, account.groupID) == 0)
        let fault = await #expect(throws: ClusterFault.self) { try await scaffold.cluster().start() }

        #expect(fault?.description.contains("is not a complete cluster") == true)
        #expect(text("\(scaffold.data)/file") == "precious")
        try await scaffold.remove()
    }

    @Test func `a file in the way is named`() async throws {
        let scaffold = try ClusterScaffold(inside: "file/data")
        try write("", to: "\(scaffold.root)/file")

        let fault = await #expect(throws: ClusterFault.self) { try await scaffold.cluster().start() }

        #expect(fault?.description.hasPrefix("\(scaffold.root)/file") == true)
        try await scaffold.remove()
    }

    @Test func `a PostgreSQL that cannot start says why on one line`() async throws {
        let scaffold = try ClusterScaffold()
        let first = try scaffold.cluster()
        _ = try await first.start()
        await first.stop()
        try write("max_connections = 'many'\n", to: "\(scaffold.data)/postgresql.conf")

        let fault = await #expect(throws: ClusterFault.self) { try await scaffold.cluster().start() }

        let line = try #require(fault).description
        #expect(line.contains("max_connections") && !line.contains("\n"))
        try await scaffold.remove()
    }
}
