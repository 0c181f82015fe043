import SaunterCore
import Testing

/// A case of a table is shown as JSON text.
extension JSON: CustomTestStringConvertible {
    package var testDescription: String { text }
}

extension JSON {
    /// The object with these members replaced or added.
    func with(_ changes: JSON) -> JSON {
        guard var object else { return self }
        for member in changes.object ?? [:] { object[member.name] = member.value }
        return .object(object)
    }

    /// The object without a member.
    func without(_ name: String) -> JSON {
        guard var object else { return self }
        object[name] = nil
        return .object(object)
    }

    /// The array with another element at the index.
    func replacing(_ index: Int, with value: JSON) -> JSON {
        guard var elements = array else { return self }
        elements[index] = value
        return .array(elements)
    }

    /// The text with sorted members, to compare objects whose members may have another order.
    var canonicalText: String { String(decoding: canonicalBytes, as: UTF8.self) }
}
