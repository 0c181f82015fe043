import PrivateCluster
import SaunterTesting
import Testing

@Suite struct PostgresBinariesTests {
    @Test func `Debian's directories are searched, and the newest version is first`() async throws {
        let fixture = try ClusterFixture()
        for version in ["9", "15", "101"] {
            try await fixture.makePrograms(
                at: "\(fixture.root)/\(version)/bin", version: "\(version).3 (Debian 1)")
        }
        try await fixture.makePrograms(at: "\(fixture.root)/broken/bin", version: "none")

        let found = try await PostgresBinaries.find(environment: [:], root: fixture.root)

        #expect(found.map(\.major) == [101, 15, 9])
        #expect(PostgresBinaries.choose(from: found, data: 15)?.major == 15)
        #expect(PostgresBinaries.choose(from: found, data: nil)?.major == 101)
        #expect(PostgresBinaries.choose(from: found, data: 7)?.major == 101)
        try await fixture.remove()
    }

    @Test func `the absolute directories of PATH are searched, too`() async throws {
        let fixture = try ClusterFixture()
        try await fixture.makePrograms(at: "\(fixture.root)/bin", version: "17devel")

        let found = try await PostgresBinaries.find(
            environment: ["PATH": "relative:\(fixture.root)/bin"], root: "/nowhere")

        #expect(found.map(\.major) == [17])
        try await fixture.remove()
    }

    @Test func `only the chosen directory is searched`() async throws {
        let fixture = try ClusterFixture()

        let fault = await #expect(throws: ClusterFault.self) {
            try await PostgresBinaries.find(environment: ["SAUNTER_POSTGRES_BIN": fixture.root])
        }

        #expect(fault == .binariesUnusable(directory: fixture.root, reason: "there is no program postgres"))
        try await fixture.remove()
    }

    @Test func `if no PostgreSQL is found, the error names the package to install`() async throws {
        let fault = await #expect(throws: ClusterFault.self) {
            try await PostgresBinaries.find(environment: [:], root: "/nowhere")
        }

        #expect(fault?.description.contains("install the package postgresql") == true)
    }
}
