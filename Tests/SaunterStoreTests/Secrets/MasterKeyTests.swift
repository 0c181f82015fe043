import Foundation
import Testing

@testable import SaunterStore

@Suite struct MasterKeyTests {
    /// Runs the test in a temporary folder.
    private func inTemporaryFolder(_ work: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "master-key-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try work(folder.path)
    }

    private func write(_ bytes: [UInt8], to path: String, mode: Int = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    @Test func `the first start creates a key, and later starts read it`() throws {
        try inTemporaryFolder { folder in
            let first = try MasterKey.loadOrMake(at: folder + "/key")

            #expect(first.count == 32)
            #expect(try MasterKey.loadOrMake(at: folder + "/key") == first)
            #expect(try MasterKey.load(from: folder + "/key") == first)
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/key")
            #expect((attributes[.posixPermissions] as? Int) == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test func `servers that start at the same time use one key`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "master-key-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }

        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<16 { group.addTask { try MasterKey.loadOrMake(at: folder + "/key") } }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }

        #expect(keys.count == 1)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
    }

    @Test func `a key written in hexadecimal digits is read`() throws {
        try inTemporaryFolder { folder in
            try write(
                Array(String(repeating: "0aF", count: 21).utf8) + Array("0\n".utf8), to: folder + "/key")

            #expect(try MasterKey.load(from: folder + "/key").prefix(3) == [0x0A, 0xF0, 0xAF])
        }
    }

    @Test(arguments: [
        [], [UInt8](repeating: 7, count: 31), [UInt8](repeating: 7, count: 33), Array("zz".utf8),
        [UInt8](repeating: UInt8(ascii: "g"), count: 64), [UInt8](repeating: UInt8(ascii: "+"), count: 64),
    ])
    func `a damaged key is rejected and never replaced`(_ bytes: [UInt8]) throws {
        try inTemporaryFolder { folder in
            try write(bytes, to: folder + "/key")

            #expect(throws: MasterKeyFault.self) { _ = try MasterKey.loadOrMake(at: folder + "/key") }
            #expect(try Data(contentsOf: URL(filePath: folder + "/key")) == Data(bytes))
        }
    }

    @Test func `a key that all users can read is rejected with advice`() throws {
        try inTemporaryFolder { folder in
            try write([UInt8](repeating: 7, count: 32), to: folder + "/key", mode: 0o644)

            let fault = #expect(throws: MasterKeyFault.self) { try MasterKey.load(from: folder + "/key") }
            #expect(fault?.description.contains("chmod 600") == true)
        }
    }

    @Test func `the fault of a missing folder is one line`() {
        let fault = #expect(throws: MasterKeyFault.self) {
            try MasterKey.loadOrMake(at: "/nowhere/at/all/key")
        }

        #expect(
            fault?.description
                == "The master key /nowhere/at/all/key cannot be created: No such file or directory.")
    }

    @Test func `a folder at the path of the key is rejected`() throws {
        try inTemporaryFolder { folder in
            #expect(throws: MasterKeyFault.self) { _ = try MasterKey.loadOrMake(at: folder) }
        }
    }
}
