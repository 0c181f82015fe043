/// Arrays of numbers without NULLs, such as the series of a walk: quicker than through optionals.
extension Parameter {
    /// `smallint[]`.
    package static func int2s(_ values: [Int16]) -> Parameter {
        series(.int2Array, of: .int2, values) { $0 }
    }

    /// `integer[]`.
    package static func int4s(_ values: [Int32]) -> Parameter {
        series(.int4Array, of: .int4, values) { $0 }
    }

    /// `bigint[]`.
    package static func int8s(_ values: [Int64]) -> Parameter {
        series(.int8Array, of: .int8, values) { $0 }
    }

    /// `double precision[]`; infinities and NaN pass as they are.
    package static func float8s(_ values: [Double]) -> Parameter {
        series(.float8Array, of: .float8, values) { $0.bitPattern }
    }

    private static func series<Value, Number: FixedWidthInteger>(
        _ type: OID, of element: OID, _ values: [Value], _ number: (Value) -> Number
    ) -> Parameter {
        var writer = ArrayWriter(element: element, count: values.count)
        for value in values { writer.append(number(value)) }
        return Parameter(type, writer.payload)
    }
}
