#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One-dimensional arrays, for `unnest($1::uuid[], …)` and for array columns. Nil is NULL, as array and as
/// element.
extension Parameter {
    /// `text[]`. A string with U+0000 is refused when sent, never cut.
    package static func texts(_ values: [String?]?) -> Parameter {
        checked(.textArray, of: .text, values, otherwise: noNul, BinaryForm.text)
    }

    /// `uuid[]`.
    package static func uuids(_ values: [UUID?]?) -> Parameter {
        plain(.uuidArray, of: .uuid, values, BinaryForm.uuid)
    }

    /// `boolean[]`.
    package static func bools(_ values: [Bool?]?) -> Parameter {
        plain(.boolArray, of: .bool, values, BinaryForm.bool)
    }

    /// `smallint[]`.
    package static func int2s(_ values: [Int16?]?) -> Parameter {
        plain(.int2Array, of: .int2, values, BinaryForm.integer)
    }

    /// `integer[]`.
    package static func int4s(_ values: [Int32?]?) -> Parameter {
        plain(.int4Array, of: .int4, values, BinaryForm.integer)
    }

    /// `bigint[]`.
    package static func int8s(_ values: [Int64?]?) -> Parameter {
        plain(.int8Array, of: .int8, values, BinaryForm.integer)
    }

    /// `double precision[]`.
    package static func float8s(_ values: [Double?]?) -> Parameter {
        plain(.float8Array, of: .float8, values, BinaryForm.float)
    }

    /// `bytea[]`.
    package static func bytesArray(_ values: [[UInt8]?]?) -> Parameter {
        plain(.byteaArray, of: .bytea, values, BinaryForm.raw)
    }

    /// `json[]`, each as text that the server checks.
    package static func jsons(_ values: [String?]?) -> Parameter {
        checked(.jsonArray, of: .json, values, otherwise: noNul, BinaryForm.text)
    }

    /// `jsonb[]`, each as text that the server parses.
    package static func jsonbs(_ values: [String?]?) -> Parameter {
        checked(.jsonbArray, of: .jsonb, values, otherwise: noNul, BinaryForm.jsonb)
    }

    /// `timestamptz[]`, from Unix milliseconds in UTC.
    package static func timestamps(_ milliseconds: [Int64?]?) -> Parameter {
        checked(
            .timestamptzArray, of: .timestamptz, milliseconds, otherwise: outOfRange, BinaryForm.timestamp)
    }

    /// `date[]`, from days since 1970-01-01.
    package static func dates(_ days: [Int?]?) -> Parameter {
        checked(.dateArray, of: .date, days, otherwise: outOfRange, BinaryForm.date)
    }

    private static func plain<Value>(
        _ type: OID, of element: OID, _ values: [Value?]?, _ write: (Value, inout [UInt8]) -> Void
    ) -> Parameter {
        checked(type, of: element, values, otherwise: "") { value, bytes in
            write(value, &bytes)
            return true
        }
    }

    private static func checked<Value>(
        _ type: OID, of element: OID, _ values: [Value?]?, otherwise reason: String,
        _ write: (Value, inout [UInt8]) -> Bool
    ) -> Parameter {
        guard let values else { return Parameter(type, .null) }
        var writer = ArrayWriter(element: element, count: values.count)
        for value in values {
            guard let value else {
                writer.appendNull()
                continue
            }
            guard writer.append({ write(value, &$0) }) else { return Parameter(type, .refused(reason)) }
        }
        return Parameter(type, writer.payload)
    }
}
