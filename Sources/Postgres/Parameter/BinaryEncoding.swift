#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Encodes single values in PostgreSQL's binary format, which the `send` and `recv` functions of the types define.
enum BinaryEncoding {
    /// Days from 1970-01-01 to 2000-01-01. PostgreSQL counts dates and times from 2000-01-01.
    static let epochDays: Int = 10_957
    /// The same time span as `epochDays`, in milliseconds.
    static let epochMilliseconds: Int64 = 946_684_800_000

    /// Appends UTF-8. If the text contains U+0000, which PostgreSQL cannot store, appends nothing and returns false.
    static func appendText(_ value: String, to bytes: inout [UInt8]) -> Bool {
        if value.utf8.contains(0) { return false }
        bytes.append(contentsOf: value.utf8)
        return true
    }

    /// Appends a version byte and the text. Rejects U+0000 as `appendText` does.
    static func appendJSONB(_ value: String, to bytes: inout [UInt8]) -> Bool {
        if value.utf8.contains(0) { return false }
        bytes.append(1)
        bytes.append(contentsOf: value.utf8)
        return true
    }

    /// Appends the number, most significant byte first.
    static func appendInteger<Number: FixedWidthInteger>(_ value: Number, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value.bigEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    static func appendFloat(_ value: Double, to bytes: inout [UInt8]) {
        appendInteger(value.bitPattern, to: &bytes)
    }

    static func appendBool(_ value: Bool, to bytes: inout [UInt8]) {
        bytes.append(value ? 1 : 0)
    }

    static func appendUUID(_ value: UUID, to bytes: inout [UInt8]) {
        unsafe withUnsafeBytes(of: value.uuid) { unsafe bytes.append(contentsOf: $0) }
    }

    static func appendBytes(_ value: [UInt8], to bytes: inout [UInt8]) {
        bytes.append(contentsOf: value)
    }

    /// Appends microseconds since 2000-01-01. Returns false if they do not fit into 64 bits.
    static func appendTimestamp(milliseconds: Int64, to bytes: inout [UInt8]) -> Bool {
        let (shifted, underflow) = milliseconds.subtractingReportingOverflow(epochMilliseconds)
        let (microseconds, overflow) = shifted.multipliedReportingOverflow(by: 1000)
        if underflow || overflow { return false }
        appendInteger(microseconds, to: &bytes)
        return true
    }

    /// Appends days since 2000-01-01. Returns false if they do not fit into 32 bits, or equal the smallest or largest
    /// value, which mean infinity.
    static func appendDate(days: Int, to bytes: inout [UInt8]) -> Bool {
        let (shifted, overflow) = days.subtractingReportingOverflow(epochDays)
        guard !overflow, let narrow = Int32(exactly: shifted), narrow != .min, narrow != .max else {
            return false
        }
        appendInteger(narrow, to: &bytes)
        return true
    }
}
