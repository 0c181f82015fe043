import Testing

import Compression

@Suite struct CompressorTests {
    @Test(arguments: [0, 1, 1000, 65_536, 300_000], [CompressionFormat.gzip, .zlib])
    func `decompressing returns the bytes that were compressed`(_ count: Int, _ format: CompressionFormat)
        throws
    {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 7) }

        let compressed = try Compressor.compress(bytes, format)

        #expect(try Decompressor.decompress(compressed, format, limit: count) == bytes)
    }

    @Test func `pieces form one stream`() throws {
        let compressor = try Compressor(.gzip)

        let first = try compressor.add(Array("one, ".utf8), flush: .none)
        let rest = try compressor.add(Array("two".utf8), flush: .finish)

        #expect(try Decompressor.decompress(first + rest, .gzip, limit: 100) == Array("one, two".utf8))
    }

    @Test func `the bytes do not depend on the pieces`() throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let compressor = try Compressor(.gzip)

        var pieces: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 7919) {
            pieces += try compressor.add(Array(bytes[start..<min(start + 7919, bytes.count)]), flush: .none)
        }
        pieces += try compressor.add([], flush: .finish)

        #expect(try pieces == Compressor.compress(bytes, .gzip))
    }

    @Test func `the gzip header contains no time and no name, and the system can be set to unknown`() throws {
        let header = try Compressor(.gzip, system: .unknown).add([], flush: .finish).prefix(10)

        #expect(Array(header) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        #expect(try Compressor.compress([], .gzip).prefix(9) == header.prefix(9))
    }

    @Test func `pieces that are flushed can be decompressed as soon as they arrive`() throws {
        let (compressor, decompressor) = (try Compressor(.gzip), try Decompressor(.gzip))
        for line in ["one\n", "two\n", "three\n"] {
            let compressed = try compressor.add(Array(line.utf8), flush: .sync)
            var read: [UInt8] = []
            try decompressor.add(compressed) { read += $0 }
            #expect(String(decoding: read, as: UTF8.self) == line)
        }
    }

    @Test func `CRC32 has the published check value`() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: []) == 0)
    }
}
