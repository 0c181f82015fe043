import Foundation
import Testing

@testable import SaunterEvaluation

@Suite struct ZipArchiveTests {
    @Test func `the same files give the same archive, regardless of their age and order`() throws {
        try inTemporaryFolder { folder in
            try write(["b.txt": "two", "a/c.txt": "one"], to: folder + "/first")
            try write(["a/c.txt": "one", "b.txt": "two"], to: folder + "/second")
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1), .posixPermissions: 0o600],
                ofItemAtPath: folder + "/second/b.txt")

            try ZipArchive.write(folder + "/first", as: "x", to: folder + "/1.zip")
            try ZipArchive.write(folder + "/second", as: "x", to: folder + "/2.zip")

            let first = try Data(contentsOf: URL(filePath: folder + "/1.zip"))
            #expect(try first == Data(contentsOf: URL(filePath: folder + "/2.zip")))
        }
    }

    @Test func `another program unpacks the files unchanged`() throws {
        try inTemporaryFolder { folder in
            let big = String(repeating: "0123456789abcdef", count: 100_000)
            try write(["data/ü.csv": "x\n", "big.txt": big, "empty": ""], to: folder + "/in")
            try ZipArchive.write(folder + "/in", as: "set", to: folder + "/out.zip")

            let outcome = try Program.run(
                Program.python, ["-m", "zipfile", "-e", folder + "/out.zip", folder + "/unpacked"])

            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(try String(contentsOfFile: folder + "/unpacked/set/big.txt", encoding: .utf8) == big)
            #expect(try String(contentsOfFile: folder + "/unpacked/set/data/ü.csv", encoding: .utf8) == "x\n")
            #expect(try String(contentsOfFile: folder + "/unpacked/set/empty", encoding: .utf8) == "")
            #expect(try Data(contentsOf: URL(filePath: folder + "/out.zip")).count < 100_000)
        }
    }

    @Test func `an existing archive is not overwritten, and an error leaves no file`() throws {
        try inTemporaryFolder { folder in
            try write(["a": "1", "there.zip": "old"], to: folder)
            #expect(throws: DatasetFault.fileInUse(folder + "/there.zip")) {
                try ZipArchive.write(folder, as: "x", to: folder + "/there.zip")
            }
            #expect(throws: (any Error).self) {
                try ZipArchive.write(folder + "/nowhere", as: "x", to: folder + "/new.zip")
            }
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a", "there.zip"])
        }
    }

    @Test func `a stopped archive leaves no file`() throws {
        try inTemporaryFolder { folder in
            try write(["a/x": "1"], to: folder)
            #expect(throws: CancellationError.self) {
                try ZipArchive.write(folder + "/a", as: "x", to: folder + "/new.zip") { true }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["a"])
        }
    }

    private func inTemporaryFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "zip-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try body(folder)
    }

    private func write(_ files: [String: String], to folder: String) throws {
        for (path, text) in files {
            let url = URL(filePath: "\(folder)/\(path)")
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
    }
}
