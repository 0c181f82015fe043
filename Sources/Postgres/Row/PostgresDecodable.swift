/// A Swift type that can be decoded from a value of a result.
package protocol PostgresDecodable: PostgresArrayElement {
    /// Decodes a value. Nil if its type or its bytes do not fit.
    static func decode(_ value: BinaryValue) -> Self?
}

/// A Swift type of the elements of an array in a result: a decodable type, or its optional if elements can be NULL.
package protocol PostgresArrayElement: Sendable {
    /// Decodes one element. The argument nil is NULL. The result nil means that the element does not fit.
    static func decodeElement(_ value: BinaryValue?) -> Self?
    /// Decodes a complete value as an array of this element type. Nil if it does not fit.
    static func decodeArray(_ value: BinaryValue) -> [Self]?
}

extension PostgresArrayElement {
    /// Decodes each element. Nil if the value is not an array of one dimension, or if an element does not fit.
    package static func decodeArray(_ value: BinaryValue) -> [Self]? {
        ArrayReader.decodeAll(value, decodeElement)
    }
}

extension PostgresDecodable {
    /// Nil also for NULL.
    package static func decodeElement(_ value: BinaryValue?) -> Self? {
        value.flatMap(decode)
    }
}

extension Optional: PostgresArrayElement where Wrapped: PostgresDecodable {
    /// NULL becomes nil inside the result; a value that does not fit makes the result nil.
    package static func decodeElement(_ value: BinaryValue?) -> Wrapped?? {
        guard let value else { return .some(nil) }
        return Wrapped.decode(value).map { .some($0) }
    }
}

extension Array: PostgresArrayElement, PostgresDecodable where Element: PostgresArrayElement {
    /// Decodes an array of the element type.
    package static func decode(_ value: BinaryValue) -> [Element]? {
        Element.decodeArray(value)
    }
}
