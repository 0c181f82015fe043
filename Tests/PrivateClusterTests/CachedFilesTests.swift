import Glibc
import SaunterTesting
import Testing

@testable import PrivateCluster

@Suite struct CachedFilesTests {
    @Test(arguments: [
        ("in production", true), ("in crash recovery", true), ("shutting down", true), ("starting up", true),
        ("shut down", false), ("shut down in recovery", false),
    ])
    func `a cluster needs recovery unless its shutdown was clean`(_ state: String, _ isNeeded: Bool) {
        let controlData =
            "pg_control version number:  1300\nDatabase cluster state:   \(state)\nLatest:  1/3000028\n"

        #expect(CachedFiles.needsRecovery(controlData: controlData) == isNeeded)
    }

    @Test func `a cluster in an unknown state needs recovery`() {
        #expect(CachedFiles.needsRecovery(controlData: ""))
    }

    @Test func `all files of a cluster are evicted, also behind links to the WAL and tablespaces`()
        async throws
    {
        // The files are not in /tmp, because files on a tmpfs are always in memory.
        let output = try await Program("mktemp", ["-d", "/var/tmp/saunter-test-XXXXXX"]).runOrThrow()
        let root = String(output.prefix { $0 != "\n" })
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
        ).runOrThrow()
        let files = ["postgres/PG_VERSION", "postgres/base/1/2", "log/000000010000000000000001", "other/3"]
        for file in files + ["elsewhere/4"] {
            try write(String(repeating: "x", count: 50_000), to: "\(root)/\(file)")
        }
        #expect(files.allSatisfy { (residentPages("\(root)/\($0)") ?? 0) > 0 })

        #expect(try CachedFiles(data: data).evict() == 0)

        #expect(files.map { residentPages("\(root)/\($0)") } == [0, 0, 0, 0])
        #expect((residentPages("\(root)/elsewhere/4") ?? 0) > 0)
        try await Program("rm", ["-rf", "--", root]).runOrThrow()
    }

    @Test func `eviction fails if a file cannot be opened`() async throws {
        let root = try TemporaryDirectory.make()
        #expect(throws: ClusterFault.self) { try CachedFiles(data: "\(root)/missing").evict() }
        try await Program("rm", ["-rf", "--", root]).runOrThrow()
    }

    /// The number of pages of a file that are in memory. Nil if the system calls fail.
    private func residentPages(_ path: String) -> Int? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard let mapping = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, 0), mapping != MAP_FAILED
        else {
            return nil
        }
        defer { munmap(mapping, size) }
        var pages = [UInt8](repeating: 0, count: (size + 4095) / 4096)
        guard mincore(mapping, size, &pages) == 0 else { return nil }
        return pages.count { $0 & 1 == 1 }
    }
}
