/// Reads a one-dimensional array in PostgreSQL's binary format, one element at a time.
struct ArrayReader {
    private let value: BinaryValue
    private let element: OID
    private var offset = 20
    let count: Int

    /// Nil if the array has more than one dimension, or more elements than the bytes can hold.
    init?(_ value: BinaryValue) {
        guard Self.isArray(value.type), let dimensions = value.integer(at: 0, as: Int32.self),
            let element = value.integer(at: 8, as: UInt32.self)
        else { return nil }
        self.value = value
        self.element = OID(element)
        switch dimensions {
        case 0:
            count = 0
        case 1:
            guard let length = value.integer(at: 12, as: Int32.self), length >= 0,
                Int(length) <= (value.count - 20) / 4
            else { return nil }
            count = Int(length)
        default:
            return nil
        }
    }

    /// Reads the next element. The outer nil means that the bytes end too early. The inner nil is NULL.
    mutating func next() -> BinaryValue?? {
        guard let length = value.integer(at: offset, as: Int32.self) else { return nil }
        offset += 4
        guard length >= 0 else { return .some(nil) }
        guard let slice = value.slice(at: offset, count: Int(length), type: element) else { return nil }
        offset += Int(length)
        return slice
    }

    /// Decodes all elements of an array. `decode` gets nil for NULL. Nil if the value is not an array of one dimension,
    /// or if `decode` returns nil for an element.
    @inline(__always)
    static func decodeAll<Element>(
        _ value: BinaryValue, _ decode: (BinaryValue?) -> Element?
    ) -> [Element]? {
        guard var reader = ArrayReader(value) else { return nil }
        var elements: [Element] = []
        elements.reserveCapacity(reader.count)
        for _ in 0..<reader.count {
            guard let next = reader.next(), let element = decode(next) else { return nil }
            elements.append(element)
        }
        return elements
    }

    /// Whether a value of this type can be an array. User-defined types are accepted, because the bytes state the
    /// element type.
    private static func isArray(_ type: OID) -> Bool {
        switch type {
        case .jsonArray, .boolArray, .byteaArray, .nameArray, .int2Array, .int4Array, .textArray,
            .varcharArray, .int8Array, .float4Array, .float8Array, .dateArray, .timestamptzArray,
            .numericArray, .uuidArray, .jsonbArray:
            true
        default: type.rawValue >= OID.firstUserDefined
        }
    }
}
