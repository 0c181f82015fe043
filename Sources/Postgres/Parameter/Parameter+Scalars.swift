#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Scalar values. Nil is always NULL.
extension Parameter {
    /// `text`. A string with U+0000 is rejected when it is sent. It is never truncated.
    package static func text(_ value: String?) -> Parameter {
        encodeValidated(.text, value, BinaryEncoding.appendText, otherwise: Self.nulCharacterReason)
    }

    /// `uuid`.
    package static func uuid(_ value: UUID?) -> Parameter {
        encode(.uuid, value, BinaryEncoding.appendUUID)
    }

    /// `boolean`.
    package static func bool(_ value: Bool?) -> Parameter {
        encode(.bool, value, BinaryEncoding.appendBool)
    }

    /// `smallint`.
    package static func int2(_ value: Int16?) -> Parameter {
        encode(.int2, value, BinaryEncoding.appendInteger)
    }

    /// `integer`.
    package static func int4(_ value: Int32?) -> Parameter {
        encode(.int4, value, BinaryEncoding.appendInteger)
    }

    /// `bigint`.
    package static func int8(_ value: Int64?) -> Parameter {
        encode(.int8, value, BinaryEncoding.appendInteger)
    }

    /// `double precision`, including infinities and NaN.
    package static func float8(_ value: Double?) -> Parameter {
        encode(.float8, value, BinaryEncoding.appendFloat)
    }

    /// `bytea`.
    package static func bytes(_ value: [UInt8]?) -> Parameter {
        Parameter(.bytea, value.map { .bytes($0) } ?? .null)
    }

    /// `json`, as text that the server validates. Text with U+0000 is rejected when it is sent.
    package static func json(_ value: String?) -> Parameter {
        encodeValidated(.json, value, BinaryEncoding.appendText, otherwise: Self.nulCharacterReason)
    }

    /// `jsonb`, as text that the server parses. Text with U+0000 is rejected when it is sent.
    package static func jsonb(_ value: String?) -> Parameter {
        encodeValidated(.jsonb, value, BinaryEncoding.appendJSONB, otherwise: Self.nulCharacterReason)
    }

    /// `timestamptz`, from Unix milliseconds in UTC. A value that the binary format cannot hold is rejected when it is
    /// sent.
    package static func timestamp(milliseconds: Int64?) -> Parameter {
        encodeValidated(
            .timestamptz, milliseconds, BinaryEncoding.appendTimestamp, otherwise: Self.outOfRangeReason)
    }

    /// `date`, from days since 1970-01-01. A value that the binary format cannot hold is rejected when it is sent.
    package static func date(days: Int?) -> Parameter {
        encodeValidated(.date, days, BinaryEncoding.appendDate, otherwise: Self.outOfRangeReason)
    }

    static let nulCharacterReason = "a text with U+0000 cannot be stored"
    static let outOfRangeReason = "the date or time is out of range"

    private static func encode<Value>(
        _ type: OID, _ value: Value?, _ write: (Value, inout [UInt8]) -> Void
    ) -> Parameter {
        guard let value else { return Parameter(type, .null) }
        var bytes: [UInt8] = []
        write(value, &bytes)
        return Parameter(type, .bytes(bytes))
    }

    /// If `write` rejects the value, the parameter is invalid for `reason`.
    private static func encodeValidated<Value>(
        _ type: OID, _ value: Value?, _ write: (Value, inout [UInt8]) -> Bool, otherwise reason: String
    ) -> Parameter {
        guard let value else { return Parameter(type, .null) }
        var bytes: [UInt8] = []
        return Parameter(type, write(value, &bytes) ? .bytes(bytes) : .invalid(reason))
    }
}
