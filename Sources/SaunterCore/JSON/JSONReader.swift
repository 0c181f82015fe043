/// Why bytes are not a JSON text that Saunter takes.
package enum JSONFault: Error, Sendable, Hashable {
    /// Not JSON at all; nothing after this byte was read.
    case unreadable(offset: Int, reason: String)
    /// JSON, but with things in it that may not be stored: U+0000, a member named twice.
    case refused(Faults)
}

/// A strict reader (RFC 8259): UTF-8 only, no byte order mark, at most 32 levels deep, no member twice, no
/// U+0000. Foundation's reader takes all of these, keeps the first of two members and hands U+0000 on, where
/// C strings end.
package struct JSONReader {
    private static let maximumDepth = 32
    private static let maximumNumberLength = 40
    private static let maximumFaults = 100
    /// From so many members on, the names of an object are looked up rather than gone through.
    private static let longObject = 16
    /// In memory a value takes some forty bytes, in the text two: a body of nothing but zeros would cost twenty times its size. Ten times what
    /// the longest walk has.
    private static let maximumValues = 1_000_000

    private let bytes: [UInt8]
    private var at = 0
    private var values = 0
    /// Made into a pointer only when there is a fault.
    private var path: [Step] = []
    private var refused: [Fault] = []

    private enum Step {
        case member(String)
        case index(Int)
    }

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    package static func read(_ bytes: [UInt8]) throws(JSONFault) -> JSON {
        let (value, refused) = try readAll(bytes)
        guard refused.isEmpty else { throw .refused(Faults(refused)) }
        return value
    }

    /// Reads what is JSON, and names what may not be stored: for lists whose other members shall not pay for it.
    /// - Returns: the value, and at most a hundred faults, each with its place.
    package static func readAll(_ bytes: [UInt8]) throws(JSONFault) -> (value: JSON, refused: [Fault]) {
        var reader = JSONReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw reader.fault("a byte order mark stands before the text")
        }
        reader.skipSpace()
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.at == bytes.count else { throw reader.fault("text follows the value") }
        return (value, reader.refused)
    }

    /// So many faults are named, and no more: where there are as many, there may be others.
    package static var mostFaults: Int { maximumFaults }

    package static func read(_ text: String) throws(JSONFault) -> JSON {
        try read(Array(text.utf8))
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSON {
        values += 1
        guard values <= Self.maximumValues else {
            throw fault("the text has more than \(Self.maximumValues) values")
        }
        guard at < bytes.count else { throw fault("the text ends where a value should stand") }
        switch bytes[at] {
        case UInt8(ascii: "{") where depth == Self.maximumDepth,
            UInt8(ascii: "[") where depth == Self.maximumDepth:
            throw fault("nested deeper than \(Self.maximumDepth) levels")
        case UInt8(ascii: "{"): return .object(try object(depth: depth))
        case UInt8(ascii: "["): return .array(try array(depth: depth))
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return .number(try number())
        }
    }

    private mutating func object(depth: Int) throws(JSONFault) -> JSONObject {
        var members: [JSONObject.Member] = []
        var names: Set<[UInt8]> = []
        var isLong = false
        at += 1
        skipSpace()
        if take("}") { return JSONObject() }
        while true {
            guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
                throw fault("a member's name is expected")
            }
            let name = try string()
            path.append(.member(name))
            if !isLong, members.count == Self.longObject {
                isLong = true
                names = Set(members.map { Array($0.name.utf8) })
            }
            let isNew =
                isLong
                ? names.insert(Array(name.utf8)).inserted : !members.contains { $0.name.isSpelt(as: name) }
            if !isNew {
                refuse("duplicate_member", "This member is named twice in one object.")
            }
            skipSpace()
            guard take(":") else { throw fault("a colon is expected") }
            skipSpace()
            members.append(JSONObject.Member(name: name, value: try value(depth: depth + 1)))
            path.removeLast()
            skipSpace()
            if take("}") { return JSONObject(members) }
            guard take(",") else { throw fault("a comma or the object's end is expected") }
            skipSpace()
        }
    }

    private mutating func array(depth: Int) throws(JSONFault) -> [JSON] {
        var elements: [JSON] = []
        at += 1
        skipSpace()
        if take("]") { return [] }
        while true {
            path.append(.index(elements.count))
            elements.append(try value(depth: depth + 1))
            path.removeLast()
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw fault("a comma or the array's end is expected") }
            skipSpace()
        }
    }

    private mutating func number() throws(JSONFault) -> JSONNumber {
        let start = at
        _ = take("-")
        if !take("0") {
            guard skipDigits() > 0 else { throw fault("a value is expected") }
        }
        if take(".") {
            guard skipDigits() > 0 else { throw fault("a digit is expected after the decimal point") }
        }
        if take("e") || take("E") {
            if !take("-") { _ = take("+") }
            guard skipDigits() > 0 else { throw fault("a digit is expected in the exponent") }
        }
        guard at - start <= Self.maximumNumberLength else { throw fault("a number has too many digits") }
        return JSONNumber(checked: bytes[start..<at])
    }

    private mutating func string() throws(JSONFault) -> String {
        at += 1
        let start = at
        var seen: UInt8 = 0
        while at < bytes.count, bytes[at] != UInt8(ascii: "\""), bytes[at] != UInt8(ascii: "\\"),
            bytes[at] >= 0x20
        {
            seen |= bytes[at]
            at += 1
        }
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return try escapedString(from: start) }
        // ASCII is UTF-8 without a second look.
        let text =
            seen < 0x80 ? String(decoding: bytes[start..<at], as: UTF8.self) : try utf8(bytes[start..<at])
        at += 1
        return text
    }

    /// The slow way, for strings with escapes.
    private mutating func escapedString(from start: Int) throws(JSONFault) -> String {
        var buffer = Array(bytes[start..<at])
        while at < bytes.count {
            let byte = bytes[at]
            at += 1
            switch byte {
            case UInt8(ascii: "\""): return try utf8(buffer[...])
            case UInt8(ascii: "\\"): try escape(into: &buffer)
            case 0..<0x20: throw fault("a control character stands unescaped in a string")
            default: buffer.append(byte)
            }
        }
        throw fault("a string does not end")
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONFault) {
        guard at < bytes.count else { throw fault("a string does not end") }
        let byte = bytes[at]
        at += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer += String(Character(try scalar())).utf8
        default: throw fault("an unknown escape stands in a string")
        }
    }

    /// The scalar of `\uXXXX`, or of a surrogate pair.
    private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
        let first = try hexadecimal()
        if first == 0 { refuse("nul_character", "The character U+0000 cannot be stored.") }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else {
            throw fault("a lone surrogate")
        }
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("a lone surrogate") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONFault) -> UInt32 {
        guard at + 4 <= bytes.count else { throw fault("a string does not end") }
        var value: UInt32 = 0
        for _ in 0..<4 {
            let byte = bytes[at]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw fault("four hexadecimal digits are expected")
            }
            value = value << 4 | UInt32(digit)
            at += 1
        }
        return value
    }

    private func utf8(_ slice: ArraySlice<UInt8>) throws(JSONFault) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else { throw fault("not UTF-8") }
        return text
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONFault) -> JSON {
        let text = Array(word.description.utf8)
        guard bytes.count - at >= text.count, bytes[at..<at + text.count].elementsEqual(text) else {
            throw fault("a value is expected")
        }
        at += text.count
        return value
    }

    private mutating func skipDigits() -> Int {
        let start = at
        while at < bytes.count, (48...57).contains(bytes[at]) { at += 1 }
        return at - start
    }

    private mutating func skipSpace() {
        while at < bytes.count {
            switch bytes[at] {
            case 0x20, 0x0A, 0x0D, 0x09: at += 1
            default: return
            }
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }

    private mutating func refuse(_ code: String, _ detail: String) {
        guard refused.count < Self.maximumFaults else { return }
        let steps = path.map { step in
            switch step {
            case .member(let name): "/" + Fault.escape(name)
            case .index(let index): "/\(index)"
            }
        }
        let pointer = steps.joined()
        refused.append(Fault(pointer: pointer, code: code, detail: detail))
    }

    private func fault(_ reason: String) -> JSONFault {
        .unreadable(offset: at, reason: reason)
    }
}
