import Testing

@testable import SaunterServer

@Suite struct InflaterTests {
    private static let text = Array(String(repeating: "all work and no play ", count: 20_000).utf8)

    /// - Parameter size: of the pieces in which it arrives.
    private static func inflated(_ bytes: [UInt8], size: Int) throws -> (bytes: [UInt8], isWhole: Bool) {
        let inflater = try Inflater()
        var output: [UInt8] = []
        var start = 0
        while start < bytes.count {
            try inflater.add(Array(bytes[start..<min(start + size, bytes.count)])) { piece throws(Problem) in
                output += piece
            }
            start += size
        }
        return (output, inflater.isWhole)
    }

    @Test(arguments: [1, 7, 1000, 1 << 20]) func `what comes in pieces is what was compressed`(_ size: Int)
        throws
    {
        let small = try #require(Deflation.gzip(Self.text))
        let result = try Self.inflated(small, size: size)

        #expect(result.bytes == Self.text)
        #expect(result.isWhole)
    }

    @Test func `what is cut short is not whole, and what is no gzip or goes on is refused`() throws {
        let small = try #require(Deflation.gzip(Self.text))

        #expect(try !Self.inflated(Array(small.dropLast(5)), size: 100).isWhole)
        for broken in [small + [0], Array("{}".utf8), [0x1F, 0x8B, 0xFF] + small] {
            #expect(throws: Problem.self) { try Self.inflated(broken, size: 1 << 20) }
        }
        #expect(throws: Problem.self) { try Self.inflated(small + [0], size: small.count) }
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func `members that follow each other are one text, wherever they are cut`(_ size: Int) throws {
        let small = try #require(Deflation.gzip(Self.text))
        let empty = try #require(Deflation.gzip([]))
        let result = try Self.inflated(small + empty + small, size: size)

        #expect(result.bytes == Self.text + Self.text)
        #expect(result.isWhole)
        #expect(try !Self.inflated(small + small.prefix(12), size: size).isWhole)
        #expect(throws: Problem.self) { try Self.inflated(small + empty + [0], size: size) }
    }

    @Test func `whoever takes can end it before all is inflated`() throws {
        let bomb = try #require(Deflation.gzip([UInt8](repeating: 0x20, count: 50_000_000)))
        let inflater = try Inflater()
        var count = 0

        #expect(throws: Problem.self) {
            try inflater.add(bomb) { piece throws(Problem) in
                count += piece.count
                guard count <= 1_000_000 else { throw Problem(.bodyTooLarge) }
            }
        }
        #expect(count <= 1_100_000)
    }

    @Test func `pieces that are flushed can be read as soon as they arrive`() throws {
        let (deflation, inflater) = (Deflation(), try Inflater())
        for line in ["one\n", "two\n", "three\n"] {
            let small = try #require(deflation.add(Array(line.utf8), isLast: false, flushes: true))
            var read: [UInt8] = []
            try inflater.add(small) { piece throws(Problem) in read += piece }
            #expect(String(decoding: read, as: UTF8.self) == line)
        }
    }
}
