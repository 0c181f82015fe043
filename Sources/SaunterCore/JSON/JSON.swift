/// A JSON value as the client sent it: numbers keep their digits, and members keep their order.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// A whole number.
    package static func int(_ value: Int) -> JSON { .number(JSONNumber(value)) }

    /// A number; null for NaN and infinities, which JSON cannot represent.
    package static func double(_ value: Double) -> JSON {
        value.isFinite ? .number(JSONNumber(value)) : .null
    }

    /// The encoded value, or null if there is none.
    @inlinable package static func optional<T>(_ value: T?, _ write: (T) -> JSON) -> JSON {
        value.map(write) ?? .null
    }

    /// The member of this name; nil if there is none, and nil for a value that is not an object.
    package subscript(member: String) -> JSON? {
        guard case .object(let object) = self else { return nil }
        return object[member]
    }

    /// Whether this is JSON's null.
    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// An estimate of the memory that the value uses, in bytes.
    package var estimatedMemory: Int {
        switch self {
        case .null, .bool, .number: 40
        case .string(let text): 40 + text.utf8.count
        case .array(let elements): elements.reduce(40) { $0 + $1.estimatedMemory }
        case .object(let object):
            object.members.reduce(40) { $0 + 24 + $1.name.utf8.count + $1.value.estimatedMemory }
        }
    }

    /// The boolean; nil for any other value.
    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The string; nil for any other value.
    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The whole number within ±(2^53 − 1); nil for any other value. See `JSONNumber.int`.
    package var int: Int? {
        guard case .number(let value) = self else { return nil }
        return value.int
    }

    /// The nearest finite double; nil for any other value. See `JSONNumber.double`.
    package var double: Double? {
        guard case .number(let value) = self else { return nil }
        return value.double
    }

    /// The elements; nil for any other value.
    package var array: [JSON]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    /// The members; nil for any other value.
    package var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}

extension String {
    /// Whether both strings have the same UTF-8 bytes. Swift's `==` uses Unicode equivalence, so equal strings can have
    /// different bytes. The comparison with `==` comes first because most strings differ, and it is fast for them.
    func isByteEqual(to other: String) -> Bool {
        guard self == other, utf8.count == other.utf8.count else { return false }
        let hasSameBytes = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) }
        }
        return (hasSameBytes ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// The members of an object, in the order of the text. Names are compared by their UTF-8 bytes, not by Unicode
/// equivalence.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence {
    /// All members, in order.
    package private(set) var members: [Member]

    /// One member: a name and its value.
    package struct Member: Sendable, Hashable {
        /// The name.
        package var name: String
        /// The value.
        package var value: JSON

        /// Creates a member.
        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    /// Creates an object with these members.
    package init(_ members: [Member] = []) {
        self.members = members
    }

    /// Creates an object with the members in the order of the literal.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    /// The value of the first member with this name. Setting nil removes the member, and a new name is appended.
    package subscript(name: String) -> JSON? {
        get { members.first { $0.name.isByteEqual(to: name) }?.value }
        set {
            let index = members.firstIndex { $0.name.isByteEqual(to: name) }
            switch (index, newValue) {
            case (let index?, let value?): members[index].value = value
            case (let index?, nil): members.remove(at: index)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    /// The names of all members, in order.
    package var names: [String] { members.map(\.name) }
    /// Whether there are no members.
    package var isEmpty: Bool { members.isEmpty }
    /// The number of members, with duplicates.
    package var count: Int { members.count }

    /// Iterates over the members in their order.
    package func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral,
    ExpressibleByFloatLiteral
{
    /// Creates a string.
    package init(stringLiteral value: String) { self = .string(value) }
    /// Creates an array.
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    /// Creates an object with the members in the order of the literal.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
    /// Creates true or false.
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates a whole number.
    package init(integerLiteral value: Int) { self = .int(value) }
    /// Creates a number; null for NaN and infinities.
    package init(floatLiteral value: Double) { self = .double(value) }
    /// Creates null.
    package init(nilLiteral: ()) { self = .null }
}

extension JSONObject {
    /// Adds a member, unless its value is nil. An optional member without a value is absent, not null.
    mutating func add(_ name: String, _ value: JSON?) {
        if let value { self[name] = value }
    }

    /// Creates an object from a dictionary, sorted by the bytes of the names. Equal dictionaries therefore produce
    /// equal texts.
    init<Value>(sorting dictionary: [String: Value], _ write: (Value) -> JSON) {
        self.init(
            dictionary.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { Member(name: $0.key, value: write($0.value)) })
    }
}
