/// A Swift type that can be read from a value of a result.
package protocol PostgresDecodable: PostgresArrayElement {
    /// Nil when the value's type or bytes do not fit.
    static func decode(_ value: BinaryValue) -> Self?
}

/// What may stand in an array of a result: a decodable type, or an optional of one where elements may be
/// NULL.
package protocol PostgresArrayElement: Sendable {
    /// Reads one element, nil standing for NULL. Gives nil when the element does not fit.
    static func decodeElement(_ value: BinaryValue?) -> Self?
    /// Reads a whole value as an array of this element.
    static func decodeArray(_ value: BinaryValue) -> [Self]?
}

extension PostgresArrayElement {
    package static func decodeArray(_ value: BinaryValue) -> [Self]? {
        guard var reader = ArrayReader(value) else { return nil }
        var elements: [Self] = []
        elements.reserveCapacity(reader.count)
        for _ in 0..<reader.count {
            guard let next = reader.next(), let element = decodeElement(next) else { return nil }
            elements.append(element)
        }
        return elements
    }
}

extension PostgresDecodable {
    package static func decodeElement(_ value: BinaryValue?) -> Self? {
        value.flatMap(decode)
    }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresDecodable {
    package static func decodeElement(_ value: BinaryValue?) -> Wrapped?? {
        guard let value else { return .some(nil) }
        return Wrapped.decode(value).map { .some($0) }
    }
}

extension Array: PostgresArrayElement, PostgresDecodable where Element: PostgresArrayElement {
    package static func decode(_ value: BinaryValue) -> [Element]? {
        Element.decodeArray(value)
    }
}
