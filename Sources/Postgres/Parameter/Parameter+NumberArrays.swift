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
