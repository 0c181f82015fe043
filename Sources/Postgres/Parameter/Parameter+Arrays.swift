#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One-dimensional arrays, for `unnest($1::uuid[], …)` and for array columns. A nil array and a nil element are NULL.
extension Parameter {
    /// `text[]`. A string with U+0000 is rejected when it is sent. It is never truncated.
    package static func texts(_ values: [String?]?) -> Parameter {
        encodeValidatedArray(
            .textArray, of: .text, values, otherwise: nulCharacterReason, BinaryEncoding.appendText)
    }

    /// `uuid[]`.
    package static func uuids(_ values: [UUID?]?) -> Parameter {
        encodeArray(.uuidArray, of: .uuid, values, BinaryEncoding.appendUUID)
    }

    /// `boolean[]`.
    package static func bools(_ values: [Bool?]?) -> Parameter {
        encodeArray(.boolArray, of: .bool, values, BinaryEncoding.appendBool)
    }

    /// `smallint[]`.
    package static func int2s(_ values: [Int16?]?) -> Parameter {
        encodeArray(.int2Array, of: .int2, values, BinaryEncoding.appendInteger)
    }

    /// `integer[]`.
    package static func int4s(_ values: [Int32?]?) -> Parameter {
        encodeArray(.int4Array, of: .int4, values, BinaryEncoding.appendInteger)
    }

    /// `bigint[]`.
    package static func int8s(_ values: [Int64?]?) -> Parameter {
        encodeArray(.int8Array, of: .int8, values, BinaryEncoding.appendInteger)
    }

    /// `double precision[]`.
    package static func float8s(_ values: [Double?]?) -> Parameter {
        encodeArray(.float8Array, of: .float8, values, BinaryEncoding.appendFloat)
    }

    /// `bytea[]`.
    package static func bytesArray(_ values: [[UInt8]?]?) -> Parameter {
        encodeArray(.byteaArray, of: .bytea, values, BinaryEncoding.appendBytes)
    }

    /// `timestamptz[]`, from Unix milliseconds in UTC.
    package static func timestamps(_ milliseconds: [Int64?]?) -> Parameter {
        encodeValidatedArray(
            .timestamptzArray, of: .timestamptz, milliseconds, otherwise: outOfRangeReason,
            BinaryEncoding.appendTimestamp)
    }

    /// `date[]`, from days since 1970-01-01.
    package static func dates(_ days: [Int?]?) -> Parameter {
        encodeValidatedArray(
            .dateArray, of: .date, days, otherwise: outOfRangeReason, BinaryEncoding.appendDate)
    }

    private static func encodeArray<Value>(
        _ type: OID, of element: OID, _ values: [Value?]?, _ write: (Value, inout [UInt8]) -> Void
    ) -> Parameter {
        encodeValidatedArray(type, of: element, values, otherwise: "") { value, bytes in
            write(value, &bytes)
            return true
        }
    }

    /// If `write` rejects an element, the parameter is invalid for `reason`.
    private static func encodeValidatedArray<Value>(
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
            guard writer.append({ write(value, &$0) }) else { return Parameter(type, .invalid(reason)) }
        }
        return Parameter(type, writer.payload)
    }
}

/// Arrays of numbers without NULLs, such as the series of a walk. They are encoded faster than arrays of optionals.
extension Parameter {
    /// `smallint[]`.
    package static func int2s(_ values: [Int16]) -> Parameter {
        encodeNumbers(.int2Array, of: .int2, values) { $0 }
    }

    /// `integer[]`.
    package static func int4s(_ values: [Int32]) -> Parameter {
        encodeNumbers(.int4Array, of: .int4, values) { $0 }
    }

    /// `bigint[]`.
    package static func int8s(_ values: [Int64]) -> Parameter {
        encodeNumbers(.int8Array, of: .int8, values) { $0 }
    }

    /// `double precision[]`, including infinities and NaN.
    package static func float8s(_ values: [Double]) -> Parameter {
        encodeNumbers(.float8Array, of: .float8, values) { $0.bitPattern }
    }

    private static func encodeNumbers<Value, Number: FixedWidthInteger>(
        _ type: OID, of element: OID, _ values: [Value], _ number: (Value) -> Number
    ) -> Parameter {
        var writer = ArrayWriter(element: element, count: values.count)
        for value in values { writer.append(number(value)) }
        return Parameter(type, writer.payload)
    }
}
