/// Reads the messages of one part of a FIT file in order. Every call of `next` terminates, for any input: it returns a
/// message, returns nil at the end, or throws an error.
struct FITMessageReader {
    /// The layout of the messages that have the same local number.
    private struct Definition {
        struct Field {
            let number: UInt8
            let size: Int
            let type: FITBaseType?
        }

        /// The number of the kind of message in the FIT profile.
        let message: UInt16
        let isBigEndian: Bool
        let fields: [Field]
        /// Developer fields have the number of the developer instead of a type.
        let developerFields: [(number: UInt8, size: Int, developer: UInt8)]
    }

    /// The description of a developer field.
    private struct Description {
        let type: FITBaseType
        let scale: Double
        let offset: Double
        /// The number of the kind of message whose field it overrides.
        let message: UInt16
        /// The number of the field that it overrides.
        let field: UInt8
    }

    private var rest: ArraySlice<UInt8>
    private var definitions: [Definition?] = Array(repeating: nil, count: 16)
    private var descriptions: [UInt16: Description] = [:]
    private var lastTimestamp: UInt32?

    init(_ part: ArraySlice<UInt8>) {
        rest = part
    }

    /// The next message of a used kind; nil at the end.
    mutating func next() throws(RecordingFault) -> FITMessage? {
        while let header = rest.popFirst() {
            if header & 0x80 != 0 {
                if let message = try message(local: Int(header >> 5 & 0x03), offset: UInt32(header & 0x1F)) {
                    return message
                }
            } else if header & 0x40 != 0 {
                try define(local: Int(header & 0x0F), hasDeveloperFields: header & 0x20 != 0)
            } else if let message = try message(local: Int(header & 0x0F), offset: nil) {
                return message
            }
        }
        return nil
    }

    /// Reads the layout of the following messages with this local number.
    private mutating func define(local: Int, hasDeveloperFields: Bool) throws(RecordingFault) {
        let head = try take(5)
        let bytes = Array(head)
        let isBigEndian = bytes[1] == 1
        let message =
            isBigEndian
            ? UInt16(bytes[2]) << 8 | UInt16(bytes[3]) : UInt16(bytes[3]) << 8 | UInt16(bytes[2])
        var fields: [Definition.Field] = []
        for _ in 0..<Int(bytes[4]) {
            let field = Array(try take(3))
            // A field without bytes has no value, but would cost time in each of millions of messages.
            guard field[1] > 0 else { continue }
            fields.append(.init(number: field[0], size: Int(field[1]), type: FITBaseType(rawValue: field[2])))
        }
        var developerFields: [(number: UInt8, size: Int, developer: UInt8)] = []
        if hasDeveloperFields {
            for _ in 0..<Int(try take(1).first ?? 0) {
                let field = Array(try take(3))
                guard field[1] > 0 else { continue }
                developerFields.append((field[0], Int(field[1]), field[2]))
            }
        }
        definitions[local] = Definition(
            message: message, isBigEndian: isBigEndian, fields: fields, developerFields: developerFields)
    }

    /// The message; nil for an unused kind.
    private mutating func message(local: Int, offset: UInt32?) throws(RecordingFault) -> FITMessage? {
        guard let definition = definitions[local] else {
            throw RecordingFault("byte \(rest.startIndex): a message of the FIT file has no definition")
        }
        var fields: [UInt8: FITField] = [:]
        for field in definition.fields {
            let bytes = try take(field.size)
            guard let type = field.type else { continue }
            fields[field.number] = FITField(bytes: bytes, type: type, isBigEndian: definition.isBigEndian)
        }
        var developerValues: [UInt8: Double] = [:]
        for field in definition.developerFields {
            let bytes = try take(field.size)
            guard let known = descriptions[UInt16(field.developer) << 8 | UInt16(field.number)],
                known.message == definition.message,
                let value = FITField(
                    bytes: bytes, type: known.type, isBigEndian: definition.isBigEndian
                ).number
            else { continue }
            developerValues[known.field] = value / known.scale - known.offset
        }
        let timestamp = timestamp(fields[253], offset: offset)
        guard let kind = FITMessage.Kind(rawValue: definition.message) else { return nil }
        let message = FITMessage(
            kind: kind, timestamp: timestamp, fields: fields, developerValues: developerValues)
        if kind == .fieldDescription { addDescription(message) }
        return message
    }

    /// The time of the message. A compressed header contains only the five low bits (`offset`): they replace those of
    /// the last time, plus 32 s if the new time would be earlier.
    private mutating func timestamp(_ field: FITField?, offset: UInt32?) -> UInt32? {
        if let stated = field?.number.flatMap({ UInt32(exactly: $0) }) {
            lastTimestamp = stated
        } else if let offset {
            guard let last = lastTimestamp else { return nil }
            lastTimestamp = last &+ ((offset &- last) & 0x1F)
        } else {
            return nil
        }
        return lastTimestamp
    }

    /// Stores the description of a developer field, if the field overrides a field of the profile. Fields of this
    /// message: 0 developer, 1 number, 2 base type, 6 scale, 7 offset, 14 overridden message, 15 overridden field.
    private mutating func addDescription(_ message: FITMessage) {
        guard let developer = message.number(0).flatMap({ UInt8(exactly: $0) }),
            let number = message.number(1).flatMap({ UInt8(exactly: $0) }),
            let type = message.number(2).flatMap({ UInt8(exactly: $0) }).flatMap({ FITBaseType(rawValue: $0) }
            ),
            let native = message.number(14).flatMap({ UInt16(exactly: $0) }),
            let field = message.number(15).flatMap({ UInt8(exactly: $0) })
        else { return }
        let scale = message.number(6) ?? 1
        descriptions[UInt16(developer) << 8 | UInt16(number)] = Description(
            type: type, scale: scale == 0 ? 1 : scale, offset: message.number(7) ?? 0, message: native,
            field: field)
    }

    private mutating func take(_ count: Int) throws(RecordingFault) -> ArraySlice<UInt8> {
        guard rest.count >= count else { throw RecordingFault("a message of the FIT file is truncated") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
