import SaunterCore

/// Readers of single values: nil and a fault when something else stands there.
extension YAMLNode {
    func text(_ log: FaultLog) -> String? {
        guard let scalar, scalar.kind == .text else { return expected("a text", log, hint: quoteHint) }
        guard !scalar.text.allSatisfy(\.isWhitespace) else {
            return expected("a text", log, found: "an empty one")
        }
        return scalar.text
    }

    /// A word that may look like a number: labels and versions.
    func word(_ log: FaultLog) -> String? {
        guard let scalar, scalar.kind != .nothing, !scalar.text.isEmpty else {
            return expected("a text", log)
        }
        return scalar.text
    }

    func boolean(_ log: FaultLog) -> Bool? {
        scalar?.boolean ?? expected("true or false", log)
    }

    func integer(_ log: FaultLog) -> Int? {
        if let value = scalar?.integer { return value }
        return expected(
            "a whole number", log, found: scalar?.kind == .integer ? "one that is too large" : nil)
    }

    func number(_ log: FaultLog) -> Double? {
        if let value = scalar?.decimal { return value }
        return expected("a number", log, found: scalar?.kind == .integer ? "one that is too large" : nil)
    }

    /// One of the raw values of a closed list.
    func choice<Value: RawRepresentable & CaseIterable>(_ log: FaultLog) -> Value?
    where Value.RawValue == String {
        if let value = scalar.flatMap({ Value(rawValue: $0.text) }) { return value }
        let allowed = Value.allCases.map(\.rawValue)
        return expected("one of \(allowed.joined(separator: ", "))", log, found: quoted, hint: meant(allowed))
    }

    /// A list with more elements than anybody writes is refused, so that work on it stays small.
    func list(_ log: FaultLog, atMost limit: Int = 2000) -> [YAMLNode]? {
        guard case .sequence(let elements) = content else { return expected("a list", log) }
        return elements.count <= limit ? elements : expected("at most \(limit) elements", log, found: "more")
    }

    func list<Value>(
        _ log: FaultLog, atMost limit: Int = 2000, of read: (YAMLNode, FaultLog) -> Value?
    ) -> [Value]? {
        list(log, atMost: limit)?.compactMap { read($0, log) }
    }

    /// The entries of a mapping whose keys are free.
    func entries(_ log: FaultLog, atMost limit: Int = 4000) -> [YAMLEntry]? {
        guard case .mapping(let entries) = content else { return expected("a mapping", log) }
        return entries.count <= limit ? entries : expected("at most \(limit) keys", log, found: "more")
    }

    /// A wall-clock time such as "17:00".
    func time(_ log: FaultLog) -> LocalTime? {
        scalar.flatMap { LocalTime($0.text) } ?? expected("a time such as \"17:00\"", log, found: quoted)
    }

    func date(_ log: FaultLog) -> LocalDate? {
        scalar.flatMap { LocalDate($0.text) } ?? expected("a date such as 2026-11-21", log, found: quoted)
    }

    func zone(_ log: FaultLog) -> Zone? {
        scalar.flatMap { Zone($0.text) } ?? expected("a time zone such as Europe/Berlin", log, found: quoted)
    }

    /// A length of time in seconds: `2d`, `5h`, `1h30m`.
    func duration(_ log: FaultLog) -> Int? {
        scalar.flatMap { Self.seconds($0.text) }
            ?? expected("a length of time such as 2d, 5h or 30m", log, found: quoted)
    }

    /// Up to ten years; units in falling order, each once.
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
                guard let number = count, let place = units.firstIndex(where: { $0.0 == byte }) else {
                    return nil
                }
                total += number * units[place].1
                units.removeSubrange(...place)
                count = nil
            }
        }
        return text.isEmpty || count != nil || total > 3653 * 86_400 ? nil : total
    }

    /// Says what should stand here; always nil.
    func expected<Value>(_ what: String, _ log: FaultLog, found: String? = nil, hint: String = "") -> Value? {
        log.note(line, "expected \(what), found \(found ?? kind)\(hint)")
        return nil
    }

    /// The value between quotes, shortened, where it is one.
    private var quoted: String {
        guard let scalar, scalar.kind != .nothing else { return kind }
        return "\"\(scalar.text.prefix(60))\""
    }

    private var quoteHint: String {
        guard let scalar, scalar.kind != .nothing else { return "" }
        return "; put it in quotes"
    }

    private func meant(_ allowed: [String]) -> String {
        guard let scalar, let nearest = nearestName(to: scalar.text, among: allowed) else { return "" }
        return "; did you mean \"\(nearest)\"?"
    }
}
