import Foundation
import SaunterTesting
import Testing

@testable import SaunterEvaluation

@Suite struct ZipStreamTests {
    @Test func `other programs read the archive, and every file has its bytes`() throws {
        let noise = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let files: [(name: String, bytes: [UInt8])] = [
            ("index.html", Array("<p>Grüße</p>".utf8)), ("empty.json", []), ("folder/lärm.json", noise),
        ]
        let zip = try ZipStream()
        var archive: [UInt8] = []
        for file in files {
            try zip.beginFile(file.name)
            for start in stride(from: 0, to: file.bytes.count, by: 70_000) {
                try zip.add(file.bytes[start..<min(start + 70_000, file.bytes.count)])
                archive += zip.takeBytes()
            }
        }
        try zip.finish()
        archive += zip.takeBytes()

        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).zip")
        defer { try? FileManager.default.removeItem(at: path) }
        try Data(archive).write(to: path)
        let check = """
            import sys, zipfile, hashlib
            with zipfile.ZipFile(sys.argv[1]) as z:
                assert z.testzip() is None
                for i in z.infolist(): print(i.filename, hashlib.sha256(z.read(i)).hexdigest(), i.date_time[0])
            """
        let output = try run("python3", ["-c", check, path.path])
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.map { $0.split(separator: " ").first.map(String.init) } == files.map(\.name))
        #expect(zip.takeBytes() == [])
    }

    @Test func `finished bytes are handed over piece by piece`() throws {
        let zip = try ZipStream()
        try zip.beginFile("noise")
        var greatest = 0
        for round in 0..<64 {
            let piece = (0..<65_536).map { UInt8(truncatingIfNeeded: ($0 &+ round) &* 2_654_435_761 >> 9) }
            try zip.add(piece)
            greatest = max(greatest, zip.takeBytes().count)
        }
        #expect(greatest < 300_000)
        try zip.finish()
    }

    private func run(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return String(decoding: data, as: UTF8.self)
    }
}
