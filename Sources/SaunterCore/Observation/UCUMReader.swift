/// A parser for UCUM's grammar. Depth and length are limited.
struct UCUMReader {
    private static let maximumDepth = 8
    /// The maximum number of digits of a number or an exponent.
    private static let maximumDigits = 9

    private let count: Int
    private var rest: ArraySlice<UInt8>

    /// - Parameter text: ASCII text.
    init(_ text: String) {
        rest = Array(text.utf8)[...]
        count = rest.count
    }

    private var currentPosition: Int { count - rest.count + 1 }

    private func fault(_ detail: String, at position: Int? = nil) -> UCUMUnit.Fault {
        UCUMUnit.Fault(position: position ?? currentPosition, detail: detail)
    }

    /// Parses the complete unit.
    mutating func unit() throws(UCUMUnit.Fault) {
        try term(depth: 0)
        guard rest.isEmpty else { throw fault("write a product with a dot and a quotient with a slash") }
    }

    private mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    /// `/`? component ((`.` | `/`) component)*
    private mutating func term(depth: Int) throws(UCUMUnit.Fault) {
        guard depth < Self.maximumDepth else {
            throw fault("brackets have more than \(Self.maximumDepth) levels")
        }
        _ = skip("/")
        try component(depth: depth)
        while skip(".") || skip("/") { try component(depth: depth) }
    }

    private mutating func component(depth: Int) throws(UCUMUnit.Fault) {
        if skip("(") {
            try term(depth: depth + 1)
            guard skip(")") else { throw fault("a bracket is not closed") }
            _ = try annotation()
            return
        }
        if try number() {
            if skip("*") || skip("^") { try exponent() }
            _ = try annotation()
            return
        }
        let start = currentPosition
        let name = try symbol()
        guard !name.isEmpty else {
            guard try annotation() else { throw fault("a unit is missing") }
            return
        }
        guard Self.isKnown(name) else { throw fault("UCUM has no symbol \(name)", at: start) }
        try exponent()
        _ = try annotation()
    }

    private mutating func number() throws(UCUMUnit.Fault) -> Bool {
        let digits = rest.prefix { (48...57).contains($0) }.count
        guard digits <= Self.maximumDigits else {
            throw fault("a number has more than \(Self.maximumDigits) digits")
        }
        rest = rest.dropFirst(digits)
        return digits > 0
    }

    private mutating func exponent() throws(UCUMUnit.Fault) {
        let hasSign = skip("+") || skip("-")
        let hasDigits = try number()
        guard hasDigits || !hasSign else { throw fault("an exponent must have digits") }
    }

    /// Skips an annotation, `{…}`. Returns false if there is none.
    private mutating func annotation() throws(UCUMUnit.Fault) -> Bool {
        guard rest.first == UInt8(ascii: "{") else { return false }
        guard let end = rest.firstIndex(of: UInt8(ascii: "}")),
            !rest[..<end].dropFirst().contains(UInt8(ascii: "{"))
        else { throw fault("an annotation in braces must be closed and cannot contain a brace") }
        rest = rest[(end + 1)...]
        return true
    }

    /// Reads a symbol: letters, `%`, `'`, `_`, and text in square brackets.
    private mutating func symbol() throws(UCUMUnit.Fault) -> String {
        var name: [UInt8] = []
        while let byte = rest.first {
            if byte == UInt8(ascii: "[") {
                guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else {
                    throw fault("a square bracket is not closed")
                }
                name += rest[...end]
                rest = rest[(end + 1)...]
            } else if (65...90).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "%")
                || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "_")
            {
                name.append(byte)
                rest.removeFirst()
            } else {
                break
            }
        }
        return String(decoding: name, as: UTF8.self)
    }

    private static func isKnown(_ symbol: String) -> Bool {
        if UCUMAtoms.plain.contains(symbol) || UCUMAtoms.metric.contains(symbol) { return true }
        return UCUMAtoms.prefixes.contains {
            symbol.hasPrefix($0) && UCUMAtoms.metric.contains(String(symbol.dropFirst($0.count)))
        }
    }
}
