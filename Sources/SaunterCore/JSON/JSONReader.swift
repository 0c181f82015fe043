/// Why `JSONReader` rejects an input.
package enum JSONFault: Error, Sendable, Hashable {
    /// The input is not JSON. The reader stopped at this byte offset.
    case unreadable(offset: Int, reason: String)
    /// The input is JSON, but contains U+0000 or an object that names a member twice. Saunter does not store these.
    case rejected(Faults)
}

/// A strict JSON reader (RFC 8259). It accepts UTF-8 only, and at most 32 levels of nesting. It rejects a byte order
/// mark, duplicate members and U+0000. Foundation's reader accepts all of these: it keeps the first of two duplicate
/// members, and passes U+0000 on, where C strings end.
package struct JSONReader {
    private static let maximumDepth = 32
    private static let maximumNumberLength = 40
    /// The maximum number of faults that one input reports. If an input has this number of faults, it may have more.
    package static let maximumFaults = 100
    /// From this number of members on, the reader detects duplicate names with a set instead of a linear search.
    private static let longObject = 16
    /// The maximum number of values in one text. A value uses about 40 bytes in memory, but can take 2 bytes in the
    /// text, so a body of zeros would grow twentyfold. The limit is ten times the size of the longest walk.
    private static let maximumValues = 1_000_000

    private let bytes: [UInt8]
    /// The index of the next byte.
    private var offset = 0
    private var values = 0
    /// The path to the current value. It becomes a JSON Pointer only if there is a fault.
    private var path: [PointerStep] = []
    private var rejected: [Fault] = []

    private init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Parses a complete JSON text.
    package static func read(_ bytes: [UInt8]) throws(JSONFault) -> JSON {
        let (value, rejected) = try readAll(bytes)
        guard rejected.isEmpty else { throw .rejected(Faults(rejected)) }
        return value
    }

    /// Parses a complete JSON text, and reports the parts that Saunter does not store. A batch upload uses it: a fault
    /// in one record does not reject the other records.
    /// - Returns: the value, and at most `maximumFaults` faults with their pointers.
    package static func readAll(_ bytes: [UInt8]) throws(JSONFault) -> (value: JSON, rejected: [Fault]) {
        var reader = JSONReader(bytes)
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            throw reader.fault("the text begins with a byte order mark")
        }
        reader.skipSpace()
        let value = try reader.value(depth: 0)
        reader.skipSpace()
        guard reader.offset == bytes.count else { throw reader.fault("text follows the value") }
        return (value, reader.rejected)
    }

    /// Parses a complete JSON text.
    package static func read(_ text: String) throws(JSONFault) -> JSON {
        try read(Array(text.utf8))
    }

    private mutating func value(depth: Int) throws(JSONFault) -> JSON {
        values += 1
        guard values <= Self.maximumValues else {
            throw fault("the text has more than \(Self.maximumValues) values")
        }
        guard offset < bytes.count else { throw fault("the text ends where a value is expected") }
        switch bytes[offset] {
        case UInt8(ascii: "{") where depth == Self.maximumDepth,
            UInt8(ascii: "[") where depth == Self.maximumDepth:
            throw fault("the text has more than \(Self.maximumDepth) levels of nesting")
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
        offset += 1
        skipSpace()
        if take("}") { return JSONObject() }
        while true {
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
                throw fault("the name of a member is expected")
            }
            let name = try string()
            path.append(.member(name))
            if !isLong, members.count == Self.longObject {
                isLong = true
                names = Set(members.map { Array($0.name.utf8) })
            }
            let isNew =
                isLong
                ? names.insert(Array(name.utf8)).inserted
                : !members.contains { $0.name.isByteEqual(to: name) }
            if !isNew {
                reject("duplicate_member", "This member is named twice in one object.")
            }
            skipSpace()
            guard take(":") else { throw fault("a colon is expected") }
            skipSpace()
            members.append(JSONObject.Member(name: name, value: try value(depth: depth + 1)))
            path.removeLast()
            skipSpace()
            if take("}") { return JSONObject(members) }
            guard take(",") else { throw fault("a comma or the end of the object is expected") }
            skipSpace()
        }
    }

    private mutating func array(depth: Int) throws(JSONFault) -> [JSON] {
        var elements: [JSON] = []
        offset += 1
        skipSpace()
        if take("]") { return [] }
        while true {
            path.append(.index(elements.count))
            elements.append(try value(depth: depth + 1))
            path.removeLast()
            skipSpace()
            if take("]") { return elements }
            guard take(",") else { throw fault("a comma or the end of the array is expected") }
            skipSpace()
        }
    }

    private mutating func number() throws(JSONFault) -> JSONNumber {
        let start = offset
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
        guard offset - start <= Self.maximumNumberLength else {
            throw fault("a number has more than \(Self.maximumNumberLength) characters")
        }
        return JSONNumber(checked: bytes[start..<offset])
    }

    private mutating func string() throws(JSONFault) -> String {
        offset += 1
        let start = offset
        var combinedBits: UInt8 = 0
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\""), bytes[offset] != UInt8(ascii: "\\"),
            bytes[offset] >= 0x20
        {
            combinedBits |= bytes[offset]
            offset += 1
        }
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
            return try escapedString(from: start)
        }
        // ASCII bytes are valid UTF-8 and need no check.
        let text =
            combinedBits < 0x80
            ? String(decoding: bytes[start..<offset], as: UTF8.self) : try utf8(bytes[start..<offset])
        offset += 1
        return text
    }

    /// Parses the rest of a string that contains escapes.
    private mutating func escapedString(from start: Int) throws(JSONFault) -> String {
        var buffer = Array(bytes[start..<offset])
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            switch byte {
            case UInt8(ascii: "\""): return try utf8(buffer[...])
            case UInt8(ascii: "\\"): try escape(into: &buffer)
            case 0..<0x20: throw fault("a string contains an unescaped control character")
            default: buffer.append(byte)
            }
        }
        throw fault("a string does not end")
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(JSONFault) {
        guard offset < bytes.count else { throw fault("a string does not end") }
        let byte = bytes[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): buffer.append(byte)
        case UInt8(ascii: "b"): buffer.append(0x08)
        case UInt8(ascii: "f"): buffer.append(0x0C)
        case UInt8(ascii: "n"): buffer.append(0x0A)
        case UInt8(ascii: "r"): buffer.append(0x0D)
        case UInt8(ascii: "t"): buffer.append(0x09)
        case UInt8(ascii: "u"): buffer += String(Character(try scalar())).utf8
        default: throw fault("a string contains an unknown escape")
        }
    }

    /// Reads the scalar of `\uXXXX` or of a surrogate pair.
    private mutating func scalar() throws(JSONFault) -> Unicode.Scalar {
        let first = try hexadecimal()
        if first == 0 { reject("nul_character", "The character U+0000 cannot be stored.") }
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), take("\\"), take("u") else {
            throw fault("a surrogate has no partner")
        }
        let second = try hexadecimal()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw fault("a surrogate has no partner") }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONFault) -> UInt32 {
        guard offset + 4 <= bytes.count else { throw fault("a string does not end") }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Hex.value(of: bytes[offset]) else {
                throw fault("four hexadecimal digits are expected")
            }
            value = value << 4 | UInt32(digit)
            offset += 1
        }
        return value
    }

    private func utf8(_ slice: ArraySlice<UInt8>) throws(JSONFault) -> String {
        guard let text = String(validating: slice, as: UTF8.self) else {
            throw fault("a string is not valid UTF-8")
        }
        return text
    }

    private mutating func word(_ word: StaticString, _ value: JSON) throws(JSONFault) -> JSON {
        let text = Array(word.description.utf8)
        guard bytes.count - offset >= text.count, bytes[offset..<offset + text.count].elementsEqual(text)
        else {
            throw fault("a value is expected")
        }
        offset += text.count
        return value
    }

    private mutating func skipDigits() -> Int {
        let start = offset
        while offset < bytes.count, (48...57).contains(bytes[offset]) { offset += 1 }
        return offset - start
    }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: scalar) else { return false }
        offset += 1
        return true
    }

    private mutating func reject(_ code: String, _ detail: String) {
        guard rejected.count < Self.maximumFaults else { return }
        rejected.append(Fault(pointer: path.pointer, code: code, detail: detail))
    }

    private func fault(_ reason: String) -> JSONFault {
        .unreadable(offset: offset, reason: reason)
    }
}
