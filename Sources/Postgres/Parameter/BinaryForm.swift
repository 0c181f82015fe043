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

    /// Appends UTF-8. False, and nothing appended, when the text contains U+0000, which PostgreSQL cannot
    /// store.
    static func text(_ value: String, to bytes: inout [UInt8]) -> Bool {
        if value.utf8.contains(0) { return false }
        bytes.append(contentsOf: value.utf8)
        return true
    }

    /// `jsonb` is its text behind a version byte.
    static func jsonb(_ value: String, to bytes: inout [UInt8]) -> Bool {
        if value.utf8.contains(0) { return false }
        bytes.append(1)
        bytes.append(contentsOf: value.utf8)
        return true
    }

    /// Appends the number, most significant byte first.
    static func integer<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    static func float(_ value: Double, to bytes: inout [UInt8]) {
        integer(value.bitPattern, to: &bytes)
    }

    static func bool(_ value: Bool, to bytes: inout [UInt8]) {
        bytes.append(value ? 1 : 0)
    }

    static func uuid(_ value: UUID, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes.append(contentsOf: $0) }
    }

    static func raw(_ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: value)
    }

    /// Microseconds since 2000; false beyond the range of 64 bits.
    static func timestamp(milliseconds: Int64, to bytes: inout [UInt8]) -> Bool {
        let (shifted, underflow) = milliseconds.subtractingReportingOverflow(epochMilliseconds)
        let (microseconds, overflow) = shifted.multipliedReportingOverflow(by: 1000)
        if underflow || overflow { return false }
        integer(microseconds, to: &bytes)
        return true
    }

    /// Days since 2000; false beyond the range of 32 bits, whose two ends mean infinity.
    static func date(days: Int, to bytes: inout [UInt8]) -> Bool {
        let (shifted, overflow) = days.subtractingReportingOverflow(epochDays)
        guard !overflow, let narrow = Int32(exactly: shifted), narrow != .min, narrow != .max else {
            return false
        }
        integer(narrow, to: &bytes)
        return true
    }
}
