/// A pattern as a tree.
indirect enum PatternTree {
    case take(PatternClass)
    case row([PatternTree])
    case either([PatternTree])
    /// `most` nil = any number.
    case repeated(PatternTree, least: Int, most: Int?)
}

/// Reads a pattern by descent; nesting is bounded.
struct PatternParser {
    private static let maximumDepth = 20
    private static let maximumCount = 200

    private let scalars: [Unicode.Scalar]
    private var place = 0
    private var depth = 0

    init(_ source: String) throws(PatternFault) {
        scalars = Array(source.unicodeScalars)
        if scalars.count > Pattern.maximumLength {
            throw PatternFault(
                position: Pattern.maximumLength,
                detail: "a pattern has at most \(Pattern.maximumLength) characters")
        }
    }

    mutating func pattern() throws(PatternFault) -> PatternTree {
        // Whole texts are matched, so that the anchors say nothing new.
        _ = skip("^")
        let tree = try alternatives()
        _ = skip("$")
        guard place == scalars.count else { throw fault("there is a ) without its (") }
        return tree
    }

    private mutating func alternatives() throws(PatternFault) -> PatternTree {
        depth += 1
        defer { depth -= 1 }
        if depth > Self.maximumDepth { throw fault("groups nest deeper than \(Self.maximumDepth)") }
        var branches = [try row()]
        while skip("|") { branches.append(try row()) }
        return branches.count == 1 ? branches[0] : .either(branches)
    }

    private mutating func row() throws(PatternFault) -> PatternTree {
        var parts: [PatternTree] = []
        while let scalar = peek, scalar != "|", scalar != ")" {
            if scalar == "$", place == scalars.count - 1 { break }
            parts.append(try quantified(try atom()))
        }
        return .row(parts)
    }

    private mutating func atom() throws(PatternFault) -> PatternTree {
        guard let scalar = take() else { throw fault("something is missing") }
        switch scalar {
        case "(":
            if skip("?"), !skip(":") { throw fault("of the groups that begin with (? only (?: is known") }
            let inner = try alternatives()
            guard skip(")") else { throw fault("a ( has no )") }
            return inner
        case "[": return .take(try list())
        case ".": return .take(.any)
        case "\\": return .take(try escaped())
        case "*", "+", "?", "{": throw fault("there is nothing to repeat", back: 1)
        case "^", "$", "]", "}": throw fault("\(scalar) is written \\\(scalar) here", back: 1)
        default: return .take(.one(scalar))
        }
    }

    private mutating func quantified(_ tree: PatternTree) throws(PatternFault) -> PatternTree {
        let repeated: PatternTree
        if skip("*") {
            repeated = .repeated(tree, least: 0, most: nil)
        } else if skip("+") {
            repeated = .repeated(tree, least: 1, most: nil)
        } else if skip("?") {
            repeated = .repeated(tree, least: 0, most: 1)
        } else if skip("{") {
            repeated = try counted(tree)
        } else {
            return tree
        }
        if let scalar = peek, "*+?{".unicodeScalars.contains(scalar) {
            throw fault("a quantifier stands after a quantifier")
        }
        return repeated
    }

    private mutating func counted(_ tree: PatternTree) throws(PatternFault) -> PatternTree {
        let least = try count()
        var most: Int? = least
        if skip(",") { most = peek == "}" ? nil : try count() }
        guard skip("}") else { throw fault("a count is written {2}, {2,} or {2,5}") }
        if let most, most < least { throw fault("the greatest count is below the least") }
        return .repeated(tree, least: least, most: most)
    }

    private mutating func count() throws(PatternFault) -> Int {
        var value: Int?
        while let scalar = peek, ("0"..."9").contains(scalar) {
            place += 1
            value = (value ?? 0) * 10 + Int(scalar.value - 48)
            if value ?? 0 > Self.maximumCount { throw fault("a count is at most \(Self.maximumCount)") }
        }
        guard let value else { throw fault("a count is written {2}, {2,} or {2,5}") }
        return value
    }

    private mutating func escaped() throws(PatternFault) -> PatternClass {
        guard let scalar = take() else { throw fault("a \\ stands at the end") }
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
                throw fault("of the properties only \\p{L} and \\p{N} are known")
            }
            return PatternClass(takesLetters: name == "L", takesNumbers: name == "N")
        default:
            guard !scalar.properties.isAlphabetic, !("0"..."9").contains(scalar) else {
                throw fault("\\\(scalar) is not known", back: 1)
            }
            return .one(scalar)
        }
    }

    /// What stands between brackets.
    private mutating func list() throws(PatternFault) -> PatternClass {
        var found = PatternClass()
        let isNegated = skip("^")
        var isFirst = true
        while true {
            guard let scalar = take() else { throw fault("a [ has no ]") }
            if scalar == "]", !isFirst { break }
            isFirst = false
            var low = PatternClass.one(scalar)
            if scalar == "\\" { low = try escaped() }
            if low.isNegated { throw fault("\\D, \\W and \\S do not stand in a class") }
            guard peek == "-", place + 1 < scalars.count, scalars[place + 1] != "]",
                let start = low.ranges.first, low.ranges.count == 1, start.count == 1
            else {
                found.ranges += low.ranges
                found.takesLetters = found.takesLetters || low.takesLetters
                found.takesNumbers = found.takesNumbers || low.takesNumbers
                continue
            }
            place += 1
            var high = PatternClass.one(take() ?? " ")
            if high.ranges == [92...92] { high = try escaped() }
            guard let end = high.ranges.first, high.ranges.count == 1, end.count == 1,
                start.lowerBound <= end.lowerBound
            else { throw fault("a span such as a-z runs from the lower to the higher character") }
            found.ranges.append(start.lowerBound...end.lowerBound)
        }
        return isNegated ? found.negated : found
    }

    private var peek: Unicode.Scalar? { place < scalars.count ? scalars[place] : nil }

    private mutating func take() -> Unicode.Scalar? {
        guard let scalar = peek else { return nil }
        place += 1
        return scalar
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        place += 1
        return true
    }

    private func fault(_ detail: String, back: Int = 0) -> PatternFault {
        PatternFault(position: min(place - back, scalars.count) + 1, detail: detail)
    }
}
