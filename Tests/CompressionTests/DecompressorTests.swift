import Testing

import Compression

@Suite struct DecompressorTests {
    private static let text = Array(String(repeating: "all work and no play ", count: 20_000).utf8)

    /// Decompresses gzip that arrives in pieces of `size` bytes.
    private static func decompress(_ bytes: [UInt8], size: Int) throws -> (bytes: [UInt8], isAtEnd: Bool) {
        let decompressor = try Decompressor(.gzip)
        var output: [UInt8] = []
        var start = 0
        while start < bytes.count {
            try decompressor.add(Array(bytes[start..<min(start + size, bytes.count)])) { output += $0 }
            start += size
        }
        return (output, decompressor.isAtEnd)
    }

    @Test func `members that follow each other are one text, within one limit`() throws {
        let members = try ["one, ", "", "two"].flatMap { try Compressor.compress(Array($0.utf8), .gzip) }

        #expect(try Decompressor.decompress(members, .gzip, limit: 8) == Array("one, two".utf8))
        #expect(throws: CompressionFault.tooLarge) { try Decompressor.decompress(members, .gzip, limit: 7) }
        for more in [[0], [0x1F], [0, 0, 0, 0], Array("{}".utf8), Array(members.prefix(12))] as [[UInt8]] {
            #expect(throws: CompressionFault.damaged) {
                try Decompressor.decompress(members + more, .gzip, limit: 100)
            }
        }
    }

    @Test func `no byte may follow a zlib stream`() throws {
        let compressed = try Compressor.compress(Self.text, .zlib)

        #expect(throws: CompressionFault.damaged) {
            try Decompressor.decompress(compressed + [0x1F], .zlib, limit: Self.text.count)
        }
    }

    @Test func `one byte above the limit is rejected`() throws {
        let compressed = try Compressor.compress([UInt8](repeating: 1, count: 1000), .gzip)

        #expect(throws: CompressionFault.tooLarge) {
            try Decompressor.decompress(compressed, .gzip, limit: 999)
        }
    }

    @Test func `shortened or damaged bytes are rejected, and the limit holds`() throws {
        let bytes = Array("a text that is compressed, some more of it".utf8)
        let complete = try Compressor.compress(bytes, .gzip)

        for count in 0..<complete.count {
            #expect(throws: CompressionFault.damaged) {
                try Decompressor.decompress(Array(complete.prefix(count)), .gzip, limit: 1000)
            }
        }
        for index in complete.indices {
            var damaged = complete
            damaged[index] ^= 0xFF
            let result = try? Decompressor.decompress(damaged, .gzip, limit: 1000)
            #expect((result?.count ?? 0) <= 1000)
        }
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func `the size of the pieces makes no difference`(_ size: Int) throws {
        let result = try Self.decompress(Compressor.compress(Self.text, .gzip), size: size)

        #expect(result.bytes == Self.text)
        #expect(result.isAtEnd)
    }

    @Test func `a shortened stream has no end, and other bytes before or after it are rejected`() throws {
        let compressed = try Compressor.compress(Self.text, .gzip)

        #expect(try !Self.decompress(Array(compressed.dropLast(5)), size: 100).isAtEnd)
        for damaged in [compressed + [0], Array("{}".utf8), [0x1F, 0x8B, 0xFF] + compressed] {
            #expect(throws: CompressionFault.damaged) { try Self.decompress(damaged, size: 1 << 20) }
        }
        #expect(throws: CompressionFault.damaged) {
            try Self.decompress(compressed + [0], size: compressed.count)
        }
    }

    @Test(arguments: [1, 7, 1000, 1 << 20])
    func `a stream may have several members, divided anywhere into pieces`(_ size: Int) throws {
        let compressed = try Compressor.compress(Self.text, .gzip)
        let empty = try Compressor.compress([], .gzip)
        let result = try Self.decompress(compressed + empty + compressed, size: size)

        #expect(result.bytes == Self.text + Self.text)
        #expect(result.isAtEnd)
        #expect(try !Self.decompress(compressed + compressed.prefix(12), size: size).isAtEnd)
        #expect(throws: CompressionFault.damaged) {
            try Self.decompress(compressed + empty + [0], size: size)
        }
    }

    @Test func `the receiver can stop the work before everything is decompressed`() throws {
        let bomb = try Compressor.compress([UInt8](repeating: 0x20, count: 50_000_000), .gzip)
        let decompressor = try Decompressor(.gzip)
        var count = 0

        #expect(throws: CompressionFault.tooLarge) {
            try decompressor.add(bomb) { piece in
                count += piece.count
                guard count <= 1_000_000 else { throw CompressionFault.tooLarge }
            }
        }
        #expect(count <= 1_100_000)
    }
}
