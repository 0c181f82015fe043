@testable import SaunterRecordings

/// Writes FIT files for tests, with code that is independent of the reader.
struct FITWriter {
    /// A field of a message: number, base type and value.
    struct Field {
        let number: UInt8
        let type: UInt8
        let bytes: [UInt8]

        static func u8(_ number: UInt8, _ value: UInt8, enumeration: Bool = false) -> Field {
            Field(number: number, type: enumeration ? 0x00 : 0x02, bytes: [value])
        }

        static func u16(_ number: UInt8, _ value: UInt16) -> Field {
            Field(number: number, type: 0x84, bytes: littleEndian(UInt64(value), 2))
        }

        static func u32(_ number: UInt8, _ value: UInt32) -> Field {
            Field(number: number, type: 0x86, bytes: littleEndian(UInt64(value), 4))
        }

        static func float(_ number: UInt8, _ value: Float) -> Field {
            Field(number: number, type: 0x88, bytes: littleEndian(UInt64(value.bitPattern), 4))
        }

        static func text(_ number: UInt8, _ value: String) -> Field {
            Field(number: number, type: 0x07, bytes: Array(value.utf8) + [0])
        }

        private static func littleEndian(_ value: UInt64, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        }
    }

    var isBigEndian = false
    private(set) var bytes: [UInt8] = []

    /// 2026-05-01T08:00:00Z in seconds of the FIT epoch.
    static let start: UInt32 = 1_777_622_400 - 631_065_600

    private func ordered(_ field: Field) -> [UInt8] {
        isBigEndian && field.type != 0x07 ? field.bytes.reversed() : field.bytes
    }

    /// Appends a definition and the message.
    mutating func add(
        _ message: UInt16, local: UInt8 = 0, _ fields: [Field], developer: [(Field, UInt8)] = []
    ) {
        bytes.append(0x40 | (developer.isEmpty ? 0 : 0x20) | local)
        bytes += [0, isBigEndian ? 1 : 0]
        let number = [UInt8(message & 0xFF), UInt8(message >> 8)]
        bytes += isBigEndian ? number.reversed() : number
        bytes.append(UInt8(fields.count))
        for field in fields { bytes += [field.number, UInt8(field.bytes.count), field.type] }
        if !developer.isEmpty {
            bytes.append(UInt8(developer.count))
            for (field, index) in developer { bytes += [field.number, UInt8(field.bytes.count), index] }
        }
        addRepeated(local: local, fields + developer.map(\.0))
    }

    /// Appends another message of the same definition.
    mutating func addRepeated(local: UInt8 = 0, _ fields: [Field]) {
        bytes.append(local)
        for field in fields { bytes += ordered(field) }
    }

    /// Appends another message with five time bits in its header.
    mutating func compressed(local: UInt8, offset: UInt8, _ fields: [Field]) {
        bytes.append(0x80 | local << 5 | offset & 0x1F)
        for field in fields { bytes += ordered(field) }
    }

    mutating func timer(_ type: UInt8, at second: UInt32, local: UInt8 = 1) {
        add(
            21, local: local,
            [.u32(253, Self.start + second), .u8(0, 0, enumeration: true), .u8(1, type, enumeration: true)])
    }

    /// The file with header and checksums.
    func file(headerLength: Int = 14) -> [UInt8] { Self.file(bytes, headerLength: headerLength) }

    static func file(_ messages: [UInt8], headerLength: Int = 14) -> [UInt8] {
        let length = (0..<4).map { UInt8(truncatingIfNeeded: messages.count >> (8 * $0)) }
        var header = [UInt8(headerLength), 0x20, 0x54, 0x08] + length + Array(".FIT".utf8)
        if headerLength == 14 { header += checksum(header) }
        return header + messages + checksum(header + messages)
    }

    /// The checksum bit by bit, unlike the table of the reader.
    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        var sum: UInt16 = 0
        for byte in bytes {
            sum ^= UInt16(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xA001 : sum >> 1 }
        }
        return [UInt8(sum & 0xFF), UInt8(sum >> 8)]
    }

    /// A walk of 100 s with a pause of 30 s.
    static func walk(isBigEndian: Bool = false) -> FITWriter {
        var writer = FITWriter(isBigEndian: isBigEndian)
        writer.add(0, [.u8(0, 4, enumeration: true), .u16(1, 1), .u16(2, 1836), .u32(4, start)])
        writer.add(23, [.u32(253, start), .u8(0, 0), .u16(4, 1836), .u16(5, 1520), .text(27, "Strider 5")])
        writer.timer(0, at: 0)
        for second in stride(from: UInt32(0), through: 40, by: 10) {
            writer.record(second, beats: UInt8(90 + second), centimetres: second * 140)
        }
        writer.timer(4, at: 40)
        writer.timer(0, at: 70)
        for second in stride(from: UInt32(70), through: 100, by: 10) {
            writer.record(second, beats: UInt8(60 + second), centimetres: (second - 30) * 140)
        }
        writer.timer(4, at: 100)
        writer.add(
            18, local: 3,
            [
                .u32(253, start + 100), .u32(2, start), .u32(7, 100_000), .u32(8, 70_000), .u32(9, 9800),
                .u16(11, 6),
                .u8(16, 121), .u8(17, 160),
            ])
        return writer
    }

    mutating func record(_ second: UInt32, beats: UInt8, centimetres: UInt32) {
        add(
            20, local: 2,
            [.u32(253, Self.start + second), .u8(3, beats), .u32(5, centimetres), .u16(6, 1400)])
    }
}
