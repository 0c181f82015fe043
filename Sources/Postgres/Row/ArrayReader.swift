/// Reads PostgreSQL's binary form of a one-dimensional array, element by element.
struct ArrayReader {
    private let value: BinaryValue
    private let element: OID
    private var offset = 20
    let count: Int

    /// Refuses arrays of more than one dimension and lengths that the bytes cannot hold.
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

    /// The next element: an optional of an optional, of which the inner nil is NULL and the outer one says
    /// that the bytes end too soon.
    mutating func next() -> BinaryValue?? {
        guard let length = value.integer(at: offset, as: Int32.self) else { return nil }
        offset += 4
        guard length >= 0 else { return .some(nil) }
        guard let slice = value.slice(at: offset, count: Int(length), type: element) else { return nil }
        offset += Int(length)
        return slice
    }

    /// Known array types, and those of users' types, whose element type the bytes tell.
    private static func isArray(_ type: OID) -> Bool {
        builtIn.contains(type) || type.rawValue >= OID.firstOfUsers
    }

    private static let builtIn: Set<OID> = [
        .jsonArray, .boolArray, .byteaArray, .nameArray, .int2Array, .int4Array, .textArray, .varcharArray,
        .int8Array, .float4Array, .float8Array, .dateArray, .timestamptzArray, .numericArray, .uuidArray,
        .jsonbArray,
    ]
}
