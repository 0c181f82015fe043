/// A part of a YAML text, with the line on which it begins.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    let content: Content
    let line: Int

    /// What stands here, as a message says it.
    var kind: String {
        switch content {
        case .scalar(let scalar): scalar.kind.rawValue
        case .sequence: "a list"
        case .mapping: "a mapping"
        }
    }

    var scalar: YAMLScalar? {
        guard case .scalar(let scalar) = content else { return nil }
        return scalar
    }

    /// The value under this key of a mapping.
    subscript(key: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }
}

/// One key of a mapping and what it holds.
struct YAMLEntry: Sendable {
    let key: String
    let line: Int
    let value: YAMLNode
}

/// A single value. Plain ones get their type from their spelling, by the core schema of YAML 1.2: `no` and `17:00` are texts.
struct YAMLScalar: Sendable {
    enum Kind: String, Sendable {
        case nothing, boolean = "true or false", integer = "a whole number", decimal = "a number", text =
            "a text"
    }

    let text: String
    let isPlain: Bool

    var kind: Kind {
        guard isPlain else { return .text }
        if ["", "~", "null", "Null", "NULL"].contains(text) { return .nothing }
        if boolean != nil { return .boolean }
        if Self.isDigits(
            text.utf8.first.map { "+-".utf8.contains($0) } == true ? text.dropFirst() : text[...])
        {
            return .integer
        }
        return decimal != nil ? .decimal : .text
    }

    var boolean: Bool? {
        guard isPlain else { return nil }
        return switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    /// Whole numbers up to a thousand million either way; what reads packs never has to fear an overflow.
    var integer: Int? {
        guard isPlain, let value = Int(text), value.magnitude <= 1_000_000_000 else { return nil }
        return value
    }

    /// Finite numbers up to 10^12 either way, written in decimal digits.
    var decimal: Double? {
        let digits = text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, digits, let value = Double(text), value.magnitude <= 1e12 else { return nil }
        return value
    }

    static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}
