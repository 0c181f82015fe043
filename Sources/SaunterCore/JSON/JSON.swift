/// A JSON value as it came over the wire: numbers keep their digits, members keep their order.
package enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    package static func int(_ value: Int) -> JSON { .number(JSONNumber(value)) }

    /// Null for a number that JSON cannot write (NaN, infinities).
    package static func double(_ value: Double) -> JSON {
        value.isFinite ? .number(JSONNumber(value)) : .null
    }

    package static func optional<T>(_ value: T?, _ write: (T) -> JSON) -> JSON {
        value.map(write) ?? .null
    }

    package subscript(member: String) -> JSON? {
        guard case .object(let object) = self else { return nil }
        return object[member]
    }

    package var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// About how many bytes it takes in memory.
    package var weight: Int {
        switch self {
        case .null, .bool, .number: 40
        case .string(let text): 40 + text.utf8.count
        case .array(let elements): elements.reduce(40) { $0 + $1.weight }
        case .object(let object): object.members.reduce(40) { $0 + 24 + $1.name.utf8.count + $1.value.weight }
        }
    }

    package var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var int: Int? {
        guard case .number(let value) = self else { return nil }
        return value.int
    }

    package var double: Double? {
        guard case .number(let value) = self else { return nil }
        return value.double
    }

    package var array: [JSON]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    package var object: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }
}

extension String {
    /// Whether both have the same bytes. Texts that Unicode takes for one may differ in them, never the other way round, and most differ at
    /// a glance.
    func isSpelt(as other: String) -> Bool {
        guard self == other, utf8.count == other.utf8.count else { return false }
        let hasSameBytes = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) }
        }
        return (hasSameBytes ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

/// Members in the order of the text. Names are compared by their UTF-8 bytes, never by Unicode equivalence.
package struct JSONObject: Sendable, Hashable, ExpressibleByDictionaryLiteral, Sequence {
    package private(set) var members: [Member]

    package struct Member: Sendable, Hashable {
        package var name: String
        package var value: JSON

        package init(name: String, value: JSON) {
            self.name = name
            self.value = value
        }
    }

    package init(_ members: [Member] = []) {
        self.members = members
    }

    package init(dictionaryLiteral elements: (String, JSON)...) {
        members = elements.map { Member(name: $0.0, value: $0.1) }
    }

    package subscript(name: String) -> JSON? {
        get { members.first { $0.name.isSpelt(as: name) }?.value }
        set {
            let place = members.firstIndex { $0.name.isSpelt(as: name) }
            switch (place, newValue) {
            case (let place?, let value?): members[place].value = value
            case (let place?, nil): members.remove(at: place)
            case (nil, let value?): members.append(Member(name: name, value: value))
            case (nil, nil): break
            }
        }
    }

    package var names: [String] { members.map(\.name) }
    package var isEmpty: Bool { members.isEmpty }
    package var count: Int { members.count }

    package func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByNilLiteral,
    ExpressibleByFloatLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int) { self = .int(value) }
    package init(floatLiteral value: Double) { self = .double(value) }
    package init(nilLiteral: ()) { self = .null }
}
