import Glibc
import SaunterTesting
import Testing

@testable import PrivateCluster

@Suite struct CachedFilesTests {
    @Test(arguments: [
        ("in production", true), ("in crash recovery", true), ("shutting down", true), ("starting up", true),
        ("shut down", false), ("shut down in recovery", false),
    ])
    func `a log is read after everything but an orderly stop`(_ state: String, _ isRead: Bool) {
        let control =
            "pg_control version number:  1300\nDatabase cluster state:   \(state)\nLatest:  1/3000028\n"

        #expect(CachedFiles.isRecovering(control: control) == isRead)
    }

    @Test func `what nothing is known of is recovered`() {
        #expect(CachedFiles.isRecovering(control: ""))
    }

    @Test func `nothing of a cluster stays in memory, also behind links`() async throws {
        // Not where everything is memory, as it may be in /tmp.
        let made = try await Program("mktemp", ["-d", "/var/tmp/saunter-test-XXXXXX"]).succeed()
        let root = String(made.prefix { $0 != "\n" })
        let data = "\(root)/postgres"
        try await Program(
            "sh",
            [
                "-c",
                """
                cd "$0" && mkdir -p postgres/base/1 postgres/pg_tblspc log other elsewhere && ln -s ../log postgres/pg_wal &&
                    ln -s ../../other postgres/pg_tblspc/17 && ln -s ../elsewhere postgres/unknown
                """, root,
            ]
        ).succeed()
        let files = ["postgres/PG_VERSION", "postgres/base/1/2", "log/000000010000000000000001", "other/3"]
        for file in files + ["elsewhere/4"] {
            try write(String(repeating: "x", count: 50_000), to: "\(root)/\(file)")
        }
        #expect(files.allSatisfy { (resident("\(root)/\($0)") ?? 0) > 0 })

        #expect(try CachedFiles(data: data).forget() == 0)

        #expect(files.map { resident("\(root)/\($0)") } == [0, 0, 0, 0])
        #expect((resident("\(root)/elsewhere/4") ?? 0) > 0)
        try await Program("rm", ["-rf", "--", root]).succeed()
    }

    @Test func `what cannot be opened is no reason to begin`() async throws {
        let root = try TemporaryDirectory.make()
        #expect(throws: ClusterFault.self) { try CachedFiles(data: "\(root)/missing").forget() }
        try await Program("rm", ["-rf", "--", root]).succeed()
    }

    /// How many pages of a file are in memory; nil when it cannot be told.
    private func resident(_ path: String) -> Int? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard let place = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), place != MAP_FAILED else {
            return nil
        }
        defer { munmap(place, size) }
        var pages = [UInt8](repeating: 0, count: (size + 4095) / 4096)
        guard mincore(place, size, &pages) == 0 else { return nil }
        return pages.count { $0 & 1 == 1 }
    }
}
