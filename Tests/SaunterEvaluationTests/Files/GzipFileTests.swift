import Foundation
import Testing

@testable import SaunterEvaluation

@Suite struct GzipFileTests {
    private static func written(_ pieces: [[UInt8]]) throws -> (
        file: DatasetFile, bytes: [UInt8], text: String
    ) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: "x.csv.gz")
        var file = try GzipFile(into: OutputFile(path: "x.csv.gz", at: url, isTable: false))
        for piece in pieces { try file.write(piece) }
        let made = try file.close()
        let unpacked = try Program.run("gzip", ["-dc", url.path])
        #expect(unpacked.status == 0)
        return (made, try Array(Data(contentsOf: url)), unpacked.output)
    }

    @Test func `gzip decompresses the written text for every split into pieces`() throws {
        let text = "a,b\n" + (0..<50_000).map { "\($0),\"x\ny\"\n" }.joined()
        let bytes = Array(text.utf8)
        let whole = try Self.written([bytes])
        let pieces = try Self.written(
            stride(from: 0, to: bytes.count, by: 7919).map { Array(bytes[$0..<min($0 + 7919, bytes.count)]) })

        #expect(whole.text == text && pieces.text == text)
        #expect(whole.bytes == pieces.bytes)
        #expect(whole.file.rows == 50_000 && whole.file.bytes == whole.bytes.count)
    }

    @Test func `the header has no time, name or system`() throws {
        let header = Array(try Self.written([Array("a\n1\n".utf8)]).bytes.prefix(10))
        #expect(header == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
    }

    @Test func `a table without rows has only a header`() throws {
        let made = try Self.written([Array("a,b\n".utf8)])
        #expect(made.text == "a,b\n" && made.file.rows == 0)
    }
}
