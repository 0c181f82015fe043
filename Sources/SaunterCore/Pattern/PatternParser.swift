/// The syntax tree of a pattern.
indirect enum PatternTree {
    case characters(PatternClass)
    case sequence([PatternTree])
    case alternatives([PatternTree])
    /// If `maximum` is nil, the number of repetitions has no upper bound.
    case repeated(PatternTree, minimum: Int, maximum: Int?)
}

/// A recursive descent parser for patterns. The nesting depth is limited.
struct PatternParser {
    private static let maximumDepth = 20
    private static let maximumCount = 200

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0

    init(_ source: String) throws(PatternFault) {
        scalars = Array(source.unicodeScalars)
        if scalars.count > Pattern.maximumLength {
            throw PatternFault(
                position: Pattern.maximumLength,
                detail: "a pattern has at most \(Pattern.maximumLength) characters")
        }
    }

    /// Parses the complete pattern.
    mutating func pattern() throws(PatternFault) -> PatternTree {
        // The anchors are optional, because the pattern always matches the complete text.
        _ = skip("^")
        let tree = try alternatives()
        _ = skip("$")
        guard index == scalars.count else { throw fault("a ) has no (") }
        return tree
    }

    private mutating func alternatives() throws(PatternFault) -> PatternTree {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw fault("groups have more than \(Self.maximumDepth) levels") }
        var branches = [try sequence()]
        while skip("|") { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .alternatives(branches)
    }

    private mutating func sequence() throws(PatternFault) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = peek, scalar != "|", scalar != ")" {
            if scalar == "$", index == scalars.count - 1 { break }
            parts.append(try quantified(try atom()))
        }
        return .sequence(parts)
    }

    private mutating func atom() throws(PatternFault) -> PatternTree {
        guard let scalar = take() else { throw fault("a character or group is missing") }
        switch scalar {
        case "(":
            if skip("?"), !skip(":") { throw fault("(?: is the only supported group that begins with (?") }
            let inner = try alternatives()
            guard skip(")") else { throw fault("a ( has no )") }
            return inner
        case "[": return .characters(try characterClass())
        case ".": return .characters(.any)
        case "\\": return .characters(try escaped())
        case "*", "+", "?", "{": throw fault("there is nothing to repeat", back: 1)
        case "^", "$", "]", "}": throw fault("write \\\(scalar) for the character \(scalar)", back: 1)
        default: return .characters(.one(scalar))
        }
    }

    private mutating func quantified(_ tree: PatternTree) throws(PatternFault) -> PatternTree {
        let repeated: PatternTree
        if skip("*") {
            repeated = .repeated(tree, minimum: 0, maximum: nil)
        } else if skip("+") {
            repeated = .repeated(tree, minimum: 1, maximum: nil)
        } else if skip("?") {
            repeated = .repeated(tree, minimum: 0, maximum: 1)
        } else if skip("{") {
            repeated = try counted(tree)
        } else {
            return tree
        }
        if let scalar = peek, "*+?{".unicodeScalars.contains(scalar) {
            throw fault("a quantifier follows a quantifier")
        }
        return repeated
    }

    private mutating func counted(_ tree: PatternTree) throws(PatternFault) -> PatternTree {
        let minimum = try count()
        var maximum: Int? = minimum
        if skip(",") { maximum = peek == "}" ? nil : try count() }
        guard skip("}") else { throw fault("write a count as {2}, {2,} or {2,5}") }
        if let maximum, maximum < minimum { throw fault("the maximum count is below the minimum") }
        return .repeated(tree, minimum: minimum, maximum: maximum)
    }

    private mutating func count() throws(PatternFault) -> Int {
        var value: Int?
        while let scalar = peek, ("0"..."9").contains(scalar) {
            index += 1
            value = (value ?? 0) * 10 + Int(scalar.value - 48)
            if value ?? 0 > Self.maximumCount { throw fault("a count is at most \(Self.maximumCount)") }
        }
        guard let value else { throw fault("write a count as {2}, {2,} or {2,5}") }
        return value
    }

    private mutating func escaped() throws(PatternFault) -> PatternClass {
        guard let scalar = take() else { throw fault("the pattern ends with a \\") }
        switch scalar {
        case "d": return .digits
        case "D": return .digits.negated
        case "w": return .words
        case "W": return .words.negated
        case "s": return .spaces
        case "S": return .spaces.negated
        case "t": return .one("\t")
        case "n": return .one("\n")
        case "r": return .one("\r")
        case "p":
            guard skip("{"), let name = take(), skip("}"), name == "L" || name == "N" else {
                throw fault("\\p{L} and \\p{N} are the only supported properties")
            }
            return PatternClass(includesLetters: name == "L", includesNumbers: name == "N")
        default:
            guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                throw fault("\\\(scalar) is not supported", back: 1)
            }
            return .one(scalar)
        }
    }

    /// Parses a character class after its `[`.
    private mutating func characterClass() throws(PatternFault) -> PatternClass {
        var found = PatternClass()
        let isNegated = skip("^")
        var isFirst = true
        while true {
            guard let scalar = take() else { throw fault("a [ has no ]") }
            if scalar == "]", !isFirst { break }
            isFirst = false
            var low = PatternClass.one(scalar)
            if scalar == "\\" { low = try escaped() }
            if low.isNegated { throw fault("\\D, \\W and \\S are not supported in a class") }
            guard peek == "-", index + 1 < scalars.count, scalars[index + 1] != "]",
                let start = low.ranges.first, low.ranges.count == 1, start.count == 1
            else {
                found.ranges += low.ranges
                found.includesLetters = found.includesLetters || low.includesLetters
                found.includesNumbers = found.includesNumbers || low.includesNumbers
                continue
            }
            index += 1
            var high = PatternClass.one(take() ?? " ")
            if high.ranges == [92...92] { high = try escaped() }
            guard let end = high.ranges.first, high.ranges.count == 1, end.count == 1,
                start.lowerBound <= end.lowerBound
            else { throw fault("write a range such as a-z from the lower to the higher character") }
            found.ranges.append(start.lowerBound...end.lowerBound)
        }
        return isNegated ? found.negated : found
    }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func take() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        index += 1
        return scalar
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        index += 1
        return true
    }

    private func fault(_ detail: String, back: Int = 0) -> PatternFault {
        PatternFault(position: min(index - back, scalars.count) + 1, detail: detail)
    }
}
