import Testing

@testable import SaunterParquet

@Suite struct RunLengthHybridTests {
    @Test(
        arguments: [
            // The example in the format specification.
            ([0, 1, 2, 3, 4, 5, 6, 7], 3, "03 88 C6 FA"),
            ([], 3, ""),
            // A short run is packed, and the group is padded with zeros.
            ([1, 1, 1, 1, 1], 1, "03 1F"),
            ([1, 0, 1], 2, "03 11 00"),
            // Eight equal values are a run, and so are 100.
            ([4, 4, 4, 4, 4, 4, 4, 4], 3, "10 04"),
            (Array(repeating: 4, count: 100), 3, "C8 01 04"),
            (Array(repeating: 300, count: 8), 9, "10 2C 01"),
            // The group before a run is completed with values of the run.
            ([1, 1, 1] + Array(repeating: 0, count: 20), 1, "03 07 1E 00"),
            // The rest of the run is too short, so all values are packed.
            ([1, 1, 1] + Array(repeating: 0, count: 12), 1, "05 07 00"),
            (Array(repeating: 0, count: 16) + [1, 2], 2, "20 00 03 09 00"),
            (
                [UInt32.max, 0, 1], 32,
                "03" + " FF FF FF FF 00 00 00 00 01 00 00 00" + String(repeating: " 00", count: 20)
            ),
        ] as [([UInt32], Int, String)])
    func `runs and packed groups equal a calculation by hand`(values: [UInt32], width: Int, hex: String) {
        var bytes: [UInt8] = []
        RunLengthHybrid.append(values, width: width, to: &bytes)

        #expect(bytes == ParquetFile.hex(hex))
    }

    @Test(
        arguments: [(0, 1), (1, 1), (2, 2), (3, 2), (4, 3), (255, 8), (256, 9), (UInt32.max, 32)]
            as [(UInt32, Int)])
    func `the width is the number of bits of the largest number`(greatest: UInt32, width: Int) {
        #expect(RunLengthHybrid.width(greatest: greatest) == width)
    }

    @Test(arguments: 1...32) func `all written values can be read`(width: Int) {
        var seed = UInt64(width)
        func next(below bound: UInt64) -> UInt64 {
            seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return seed >> 33 % max(bound, 1)
        }
        for _ in 0..<40 {
            var values: [UInt32] = []
            for _ in 0..<next(below: 12) {
                let value = UInt32(truncatingIfNeeded: next(below: 1 << UInt64(width)))
                values += Array(repeating: value, count: Int(next(below: 20)))
            }
            var bytes: [UInt8] = []
            RunLengthHybrid.append(values, width: width, to: &bytes)

            #expect(Self.read(bytes, width: width).prefix(values.count) == values[...])
        }
    }

    /// Decodes bit by bit, as the specification describes.
    private static func read(_ bytes: [UInt8], width: Int) -> [UInt32] {
        var values: [UInt32] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            var header = Int(first & 0x7F)
            var shift = 7
            var byte = first
            while byte > 0x7F, let more = rest.popFirst() {
                header |= Int(more & 0x7F) << shift
                shift += 7
                byte = more
            }
            if header & 1 == 0 {
                let size = (width + 7) / 8
                let value = rest.prefix(size).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
                rest = rest.dropFirst(size)
                values += Array(repeating: value, count: header >> 1)
            } else {
                let packed = Array(rest.prefix((header >> 1) * width))
                rest = rest.dropFirst(packed.count)
                for index in 0..<(header >> 1) * 8 {
                    var value: UInt32 = 0
                    for bit in 0..<width
                    where packed[(index * width + bit) / 8] >> ((index * width + bit) % 8) & 1 == 1 {
                        value |= 1 << bit
                    }
                    values.append(value)
                }
            }
        }
        return values
    }
}
