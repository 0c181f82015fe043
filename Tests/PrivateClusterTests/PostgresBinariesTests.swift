import PrivateCluster
import SaunterTesting
import Testing

@Suite struct PostgresBinariesTests {
    @Test func `Debian's directories are searched, the newest comes first`() async throws {
        let scaffold = try ClusterScaffold()
        for version in ["9", "15", "101"] {
            try await scaffold.makePrograms(
                at: "\(scaffold.root)/\(version)/bin", version: "\(version).3 (Debian 1)")
        }
        try await scaffold.makePrograms(at: "\(scaffold.root)/broken/bin", version: "none")

        let found = try await PostgresBinaries.find(environment: [:], root: scaffold.root)

        #expect(found.map(\.major) == [101, 15, 9])
        #expect(PostgresBinaries.choose(from: found, data: 15)?.major == 15)
        #expect(PostgresBinaries.choose(from: found, data: nil)?.major == 101)
        #expect(PostgresBinaries.choose(from: found, data: 7)?.major == 101)
        try await scaffold.remove()
    }

    @Test func `the path is searched too`() async throws {
        let scaffold = try ClusterScaffold()
        try await scaffold.makePrograms(at: "\(scaffold.root)/bin", version: "17devel")

        let found = try await PostgresBinaries.find(
            environment: ["PATH": "relative:\(scaffold.root)/bin"], root: "/nowhere")

        #expect(found.map(\.major) == [17])
        try await scaffold.remove()
    }

    @Test func `a chosen directory is the only one looked at`() async throws {
        let scaffold = try ClusterScaffold()

        let fault = await #expect(throws: ClusterFault.self) {
            try await PostgresBinaries.find(environment: ["SAUNTER_POSTGRES_BIN": scaffold.root])
        }

        #expect(fault == .binariesUnusable(directory: scaffold.root, reason: "there is no program postgres"))
        try await scaffold.remove()
    }

    @Test func `no PostgreSQL at all is one clear line`() async throws {
        let fault = await #expect(throws: ClusterFault.self) {
            try await PostgresBinaries.find(environment: [:], root: "/nowhere")
        }

        #expect(fault?.description.contains("install the package postgresql") == true)
    }
}
