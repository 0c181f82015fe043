#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension String: PostgresDecodable {
    /// Reads the text types, `json`, `jsonb`, and user-defined types that the server sends as text (enums, `citext`).
    package static func decode(_ value: BinaryValue) -> String? {
        switch value.type {
        case .text, .varchar, .bpchar, .name, .json, .unknown: value.text()
        case .jsonb: value.integer(at: 0, as: UInt8.self) == 1 ? value.text(from: 1) : nil
        case let type where type.rawValue >= OID.firstUserDefined:
            value.text().flatMap { $0.utf8.contains(0) ? nil : $0 }
        default: nil
        }
    }
}

extension UUID: PostgresDecodable {
    /// Reads `uuid`.
    package static func decode(_ value: BinaryValue) -> UUID? {
        guard value.type == .uuid, value.count == 16 else { return nil }
        return unsafe UUID(uuid: value.bytes.loadUnaligned(as: uuid_t.self))
    }
}

extension Bool: PostgresDecodable {
    /// Reads `bool`.
    package static func decode(_ value: BinaryValue) -> Bool? {
        value.type == .bool ? value.exactInteger(UInt8.self).map { $0 != 0 } : nil
    }
}

extension Double: PostgresDecodable {
    /// Reads floats, integers (the nearest double) and `numeric` (correctly rounded).
    package static func decode(_ value: BinaryValue) -> Double? {
        switch value.type {
        case .float8: value.exactInteger(UInt64.self).map(Double.init(bitPattern:))
        case .float4: value.exactInteger(UInt32.self).map { Double(Float(bitPattern: $0)) }
        case .numeric: NumericReader(value).flatMap { Double($0.text) }
        default: Int64.decode(value).map(Double.init)
        }
    }
}

extension Int64: PostgresDecodable {
    /// Reads every integer type.
    package static func decode(_ value: BinaryValue) -> Int64? {
        switch value.type {
        case .int8: value.exactInteger(Int64.self)
        case .int4: value.exactInteger(Int32.self).map(Int64.init)
        case .int2: value.exactInteger(Int16.self).map(Int64.init)
        case .oid: value.exactInteger(UInt32.self).map(Int64.init)
        default: nil
        }
    }
}

extension Int: PostgresDecodable {
    /// Reads every integer type.
    package static func decode(_ value: BinaryValue) -> Int? {
        Int64.decode(value).flatMap(Int.init(exactly:))
    }
}

extension Int32: PostgresDecodable {
    /// Reads every integer type. Nil if the number does not fit.
    package static func decode(_ value: BinaryValue) -> Int32? {
        Int64.decode(value).flatMap(Int32.init(exactly:))
    }
}

extension Int16: PostgresDecodable {
    /// Reads every integer type. Nil if the number does not fit.
    package static func decode(_ value: BinaryValue) -> Int16? {
        Int64.decode(value).flatMap(Int16.init(exactly:))
    }
}

/// Exists only so that `[UInt8]` reads a `bytea`. PostgreSQL has no one-byte integer.
extension UInt8: PostgresArrayElement {
    /// Always nil.
    package static func decodeElement(_ value: BinaryValue?) -> UInt8? {
        nil
    }

    /// Reads `bytea`.
    package static func decodeArray(_ value: BinaryValue) -> [UInt8]? {
        value.type == .bytea ? value.copy : nil
    }
}
