#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Nil is NULL everywhere.
extension Parameter {
    /// `text`. A string with U+0000 is refused when sent, never cut.
    package static func text(_ value: String?) -> Parameter {
        checked(.text, value, BinaryForm.text, otherwise: Self.noNul)
    }

    /// `uuid`.
    package static func uuid(_ value: UUID?) -> Parameter {
        plain(.uuid, value, BinaryForm.uuid)
    }

    /// `boolean`.
    package static func bool(_ value: Bool?) -> Parameter {
        plain(.bool, value, BinaryForm.bool)
    }

    /// `smallint`.
    package static func int2(_ value: Int16?) -> Parameter {
        plain(.int2, value, BinaryForm.integer)
    }

    /// `integer`.
    package static func int4(_ value: Int32?) -> Parameter {
        plain(.int4, value, BinaryForm.integer)
    }

    /// `bigint`.
    package static func int8(_ value: Int64?) -> Parameter {
        plain(.int8, value, BinaryForm.integer)
    }

    /// `double precision`; infinities and NaN pass as they are.
    package static func float8(_ value: Double?) -> Parameter {
        plain(.float8, value, BinaryForm.float)
    }

    /// `bytea`.
    package static func bytes(_ value: [UInt8]?) -> Parameter {
        Parameter(.bytea, value.map { .bytes($0) } ?? .null)
    }

    /// `json`, as text that the server checks. Text with U+0000 is refused.
    package static func json(_ value: String?) -> Parameter {
        checked(.json, value, BinaryForm.text, otherwise: Self.noNul)
    }

    /// `jsonb`, as text that the server parses. Text with U+0000 is refused.
    package static func jsonb(_ value: String?) -> Parameter {
        checked(.jsonb, value, BinaryForm.jsonb, otherwise: Self.noNul)
    }

    /// `timestamptz`, from Unix milliseconds in UTC. Beyond PostgreSQL's range it is refused.
    package static func timestamp(milliseconds: Int64?) -> Parameter {
        checked(.timestamptz, milliseconds, BinaryForm.timestamp, otherwise: Self.outOfRange)
    }

    /// `date`, from days since 1970-01-01. Beyond PostgreSQL's range it is refused.
    package static func date(days: Int?) -> Parameter {
        checked(.date, days, BinaryForm.date, otherwise: Self.outOfRange)
    }

    static let noNul = "a text with U+0000 cannot be stored"
    static let outOfRange = "a date or time out of range"

    private static func plain<Value>(
        _ type: OID, _ value: Value?, _ write: (Value, inout [UInt8]) -> Void
    ) -> Parameter {
        guard let value else { return Parameter(type, .null) }
        var bytes: [UInt8] = []
        write(value, &bytes)
        return Parameter(type, .bytes(bytes))
    }

    private static func checked<Value>(
        _ type: OID, _ value: Value?, _ write: (Value, inout [UInt8]) -> Bool, otherwise reason: String
    ) -> Parameter {
        guard let value else { return Parameter(type, .null) }
        var bytes: [UInt8] = []
        return Parameter(type, write(value, &bytes) ? .bytes(bytes) : .refused(reason))
    }
}
