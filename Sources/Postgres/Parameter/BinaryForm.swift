#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How single values look in PostgreSQL's binary wire form (the types' `send` and `recv` functions).
enum BinaryForm {
    /// 2000-01-01 less 1970-01-01: PostgreSQL counts dates and times from the former.
    static let epochDays: Int = 10_957
    static let epochMilliseconds: Int64 = 946_684_800_000

    /// Nil when the text contains U+0000, which PostgreSQL cannot store.
    static func text(_ value: String) -> [UInt8]? {
        let bytes = Array(value.utf8)
        return bytes.contains(0) ? nil : bytes
    }

    /// `jsonb` is its text behind a version byte.
    static func jsonb(_ value: String) -> [UInt8]? {
        text(value).map { [1] + $0 }
    }

    static func integer(_ value: some FixedWidthInteger) -> [UInt8] {
        var bytes: [UInt8] = []
        append(value, to: &bytes)
        return bytes
    }

    static func uuid(_ value: UUID) -> [UInt8] {
        let b = value.uuid
        return [
            b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15,
        ]
    }

    /// Microseconds since 2000; nil beyond the range of 64 bits.
    static func timestamp(milliseconds: Int64) -> [UInt8]? {
        let (shifted, underflow) = milliseconds.subtractingReportingOverflow(epochMilliseconds)
        let (microseconds, overflow) = shifted.multipliedReportingOverflow(by: 1000)
        return underflow || overflow ? nil : integer(microseconds)
    }

    /// Days since 2000; nil beyond the range of 32 bits, whose two ends mean infinity.
    static func date(days: Int) -> [UInt8]? {
        let (shifted, overflow) = days.subtractingReportingOverflow(epochDays)
        guard !overflow, let narrow = Int32(exactly: shifted), narrow != .min, narrow != .max else { return nil }
        return integer(narrow)
    }

    /// Appends the number, most significant byte first.
    static func append<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
        for shift in stride(from: Number.bitWidth - 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> Number(shift)))
        }
    }
}
