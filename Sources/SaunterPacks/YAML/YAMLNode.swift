import SaunterCore

/// A part of a YAML text, with the line on which it begins.
struct YAMLNode: Sendable {
    enum Content: Sendable {
        case scalar(YAMLScalar)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    let content: Content
    let line: Int

    /// The kind of the content, as messages name it.
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

    /// The value of this key; nil if there is none or if this is not a mapping.
    subscript(key: String) -> YAMLNode? {
        guard case .mapping(let entries) = content else { return nil }
        return entries.first { $0.key == key }?.value
    }

    /// From the first line to the line on which the last part begins.
    var span: ClosedRange<Int> {
        let last: Int =
            switch content {
            case .scalar: line
            case .sequence(let nodes): nodes.map(\.span.upperBound).max() ?? line
            case .mapping(let entries): entries.map { max($0.line, $0.value.span.upperBound) }.max() ?? line
            }
        return line...max(line, last)
    }
}

/// One key of a mapping, with its value.
struct YAMLEntry: Sendable {
    let key: String
    let line: Int
    let value: YAMLNode
}

/// A single value. The spelling of an unquoted value determines its type, according to the core schema of YAML 1.2:
/// `no` and `17:00` are texts.
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

    /// A whole number up to 1,000,000,000 in magnitude. The limit prevents overflows in later calculations.
    var integer: Int? {
        guard isPlain, let value = Int(text), value.magnitude <= 1_000_000_000 else { return nil }
        return value
    }

    /// A finite number up to 10^12 in magnitude, in decimal notation.
    var decimal: Double? {
        let digits = text.utf8.allSatisfy { (48...57).contains($0) || "+-.eE".utf8.contains($0) }
        guard isPlain, digits, let value = Double(text), value.magnitude <= 1e12 else { return nil }
        return value
    }

    static func isDigits(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
    }
}

/// Parsers of single values. They return nil, with a fault in the log, if the node contains something else.
extension YAMLNode {
    func text(_ log: FaultLog) -> String? {
        guard let scalar, scalar.kind == .text else { return expected("a text", log, hint: quoteHint) }
        guard !scalar.text.allSatisfy(\.isWhitespace) else {
            return expected("a text", log, found: "an empty text")
        }
        return scalar.text
    }

    /// A text that can look like a number, such as a label or a version.
    func word(_ log: FaultLog) -> String? {
        guard let scalar, scalar.kind != .nothing, !scalar.text.isEmpty else {
            return expected("a text", log, found: scalar?.kind == .text ? "an empty text" : nil)
        }
        return scalar.text
    }

    func boolean(_ log: FaultLog) -> Bool? {
        scalar?.boolean ?? expected("true or false", log)
    }

    func integer(_ log: FaultLog) -> Int? {
        if let value = scalar?.integer { return value }
        return expected(
            "a whole number", log, found: scalar?.kind == .integer ? "a number that is too large" : nil)
    }

    func number(_ log: FaultLog) -> Double? {
        if let value = scalar?.decimal { return value }
        return expected("a number", log, found: scalar?.kind == .integer ? "a number that is too large" : nil)
    }

    /// One of the raw values of an enumeration.
    func choice<Value: RawRepresentable & CaseIterable>(_ log: FaultLog) -> Value?
    where Value.RawValue == String {
        if let value = scalar.flatMap({ Value(rawValue: $0.text) }) { return value }
        let allowed = Value.allCases.map(\.rawValue)
        return expected("one of \(allowed.joined(separator: ", "))", log, found: quoted, hint: hint(allowed))
    }

    /// The elements of a list. Longer lists are rejected, so that the work on them is limited.
    func list(_ log: FaultLog, atMost limit: Int = 2000) -> [YAMLNode]? {
        guard case .sequence(let elements) = content else { return expected("a list", log) }
        return elements.count <= limit ? elements : expected("at most \(limit) elements", log, found: "more")
    }

    func list<Value>(
        _ log: FaultLog, atMost limit: Int = 2000, of read: (YAMLNode, FaultLog) -> Value?
    ) -> [Value]? {
        list(log, atMost: limit)?.compactMap { read($0, log) }
    }

    /// The entries of a mapping whose keys are not known beforehand.
    func entries(_ log: FaultLog, atMost limit: Int = 4000) -> [YAMLEntry]? {
        guard case .mapping(let entries) = content else { return expected("a mapping", log) }
        return entries.count <= limit ? entries : expected("at most \(limit) keys", log, found: "more")
    }

    /// Parses a mapping of names to values of one kind. Entries that could not be read are left out.
    func table<Value>(_ log: FaultLog, of read: (YAMLNode, FaultLog) -> Value?) -> [String: Value]? {
        entries(log)?.reduce(into: [:]) { table, entry in table[entry.key] = read(entry.value, log) }
    }

    /// Returns the only entry of a mapping, whose key selects one of several alternatives.
    /// - Parameter words: alternatives that are not mappings, for the message; empty if there are none.
    func only(
        _ names: [String], or words: String, _ log: FaultLog
    ) -> (name: String, value: YAMLNode)? {
        guard case .mapping(let entries) = content, entries.count == 1, names.contains(entries[0].key)
        else {
            let forms = names.map { "{\($0): …}" }.joined(separator: ", ")
            let others = words.isEmpty ? forms : "\(words) or \(forms)"
            return expected(others, log, found: scalar.map { "\"\($0.text.prefix(60))\"" })
        }
        return (entries[0].key, entries[0].value)
    }

    /// A time of day such as "17:00".
    func time(_ log: FaultLog) -> LocalTime? {
        scalar.flatMap { LocalTime($0.text) } ?? expected("a time such as \"17:00\"", log, found: quoted)
    }

    func date(_ log: FaultLog) -> LocalDate? {
        scalar.flatMap { LocalDate($0.text) } ?? expected("a date such as 2026-11-21", log, found: quoted)
    }

    func instant(_ log: FaultLog) -> Instant? {
        scalar.flatMap { Instant($0.text) } ?? expected("an instant such as 2026-11-21T08:00:00Z", log)
    }

    func zone(_ log: FaultLog) -> Zone? {
        scalar.flatMap { Zone($0.text) } ?? expected("a time zone such as Europe/Berlin", log, found: quoted)
    }

    /// A duration in seconds: `2d`, `5h`, `1h30m`.
    /// - Parameter alternative: what else the caller accepts, for the message.
    func duration(_ log: FaultLog, or alternative: String? = nil) -> Int? {
        scalar.flatMap { Self.seconds($0.text) }
            ?? expected(
                "a duration such as 2d, 5h or 30m" + (alternative.map { ", or \($0)" } ?? ""), log,
                found: quoted)
    }

    /// Parses a duration of up to ten years. Units are in descending order, without duplicates.
    private static func seconds(_ text: String) -> Int? {
        var units: [(UInt8, Int)] = [
            (UInt8(ascii: "d"), 86_400), (UInt8(ascii: "h"), 3600), (UInt8(ascii: "m"), 60),
            (UInt8(ascii: "s"), 1),
        ]
        var total = 0
        var count: Int?
        for byte in text.utf8 {
            if (48...57).contains(byte) {
                let digits = (count ?? 0) * 10 + Int(byte - 48)
                guard digits <= 1_000_000 else { return nil }
                count = digits
            } else {
                guard let number = count, let index = units.firstIndex(where: { $0.0 == byte }) else {
                    return nil
                }
                total += number * units[index].1
                units.removeSubrange(...index)
                count = nil
            }
        }
        return text.isEmpty || count != nil || total > 3653 * 86_400 ? nil : total
    }

    /// Reports what the node should contain. Always returns nil.
    func expected<Value>(_ what: String, _ log: FaultLog, found: String? = nil, hint: String = "") -> Value? {
        log.note(line, "expected \(what), found \(found ?? kind)\(hint)")
        return nil
    }

    /// The shortened value in quotes if it is a single value, otherwise its kind.
    private var quoted: String {
        guard let scalar, scalar.kind != .nothing else { return kind }
        return "\"\(scalar.text.prefix(60))\""
    }

    private var quoteHint: String {
        guard let scalar, scalar.kind != .nothing else { return "" }
        return "; put it in quotes"
    }

    private func hint(_ allowed: [String]) -> String {
        scalar.map { suggestion(for: $0.text, among: allowed) } ?? ""
    }
}
