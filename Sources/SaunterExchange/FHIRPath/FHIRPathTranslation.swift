import SaunterCore

/// Puts a condition in FHIRPath into our own words, where it says what they can: comparisons of answers with values and
/// with each other, `and`, `or`, `not()`, `exists()`, `empty()`, arithmetic, membership. Answers are named as SDC names
/// them, `%resource.item.where(linkId='x').answer.value`, by the way that leads to them. All else is a fault.
struct FHIRPathTranslation {
    private static let maximumDepth = 24

    /// linkId there -> the item here; none of repeating groups, of which there are several answers.
    let items: [String: Item]
    /// linkId -> the group or the question under which it stands there, by its linkId here.
    let parents: [String: String]
    /// The option of an item that has this code there; nil where there is none, or more than one.
    let option: (_ linkId: String, _ code: String) -> OptionValue?
    /// The item at which a rule stands, for paths that begin with it.
    var own: Item?

    private(set) var tokens: [FHIRPathToken] = []
    var place = 0
    private var depth = 0

    init(
        items: [String: Item], parents: [String: String] = [:], own: Item? = nil,
        option: @escaping (_ linkId: String, _ code: String) -> OptionValue?
    ) {
        self.items = items
        self.parents = parents
        self.own = own
        self.option = option
    }

    /// An expression of ours that holds where this one does.
    mutating func expression(_ source: String) throws(LogicFault) -> String {
        (tokens, place, depth) = (try FHIRPathToken.read(source), 0, 0)
        let whole = try disjunction()
        guard place == tokens.count else {
            throw LogicFault(detail: "it goes on with what is not understood")
        }
        return try LogicTranslation.readable(try plain(whole))
    }

    // MARK: Descent

    private mutating func disjunction() throws(LogicFault) -> FHIRPathValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw LogicFault(detail: "it nests too deeply") }
        var left = try conjunction()
        while skip(word: "or") { left = try joined(left, "or", try conjunction()) }
        return left
    }

    private mutating func conjunction() throws(LogicFault) -> FHIRPathValue {
        var left = try membership()
        while skip(word: "and") { left = try joined(left, "and", try membership()) }
        return left
    }

    private func joined(
        _ left: FHIRPathValue, _ word: String, _ right: FHIRPathValue
    ) throws(LogicFault) -> FHIRPathValue {
        let whole = "(\(try plain(left)) \(word) \(try plain(right)))"
        return left.isCertain && right.isCertain ? .certain(whole) : .expression(whole)
    }

    private mutating func membership() throws(LogicFault) -> FHIRPathValue {
        let left = try equality()
        if skip(word: "in") { return try among(left, try equality()) }
        if skip(word: "contains") { return try among(try equality(), left) }
        return left
    }

    private func among(_ one: FHIRPathValue, _ many: FHIRPathValue) throws(LogicFault) -> FHIRPathValue {
        guard case .answer(let item, let isCode) = many, item.repeats else {
            throw LogicFault(detail: "it looks for something among what is no list of answers")
        }
        switch one {
        case .text, .number: break
        default: throw LogicFault(detail: "it looks for what may be nothing")
        }
        // Among no answers there is nothing, where ours would not know.
        return .certain(
            "(exists(\(item.linkId)) and \(try word(one, beside: item, isCode: isCode)) in \(item.linkId))")
    }

    private mutating func equality() throws(LogicFault) -> FHIRPathValue {
        let left = try inequality()
        guard let sign = skip(oneOf: ["=", "!="]) else { return left }
        return try compared(left, sign, try inequality())
    }

    private mutating func inequality() throws(LogicFault) -> FHIRPathValue {
        let left = try sum()
        guard let sign = skip(oneOf: ["<", "<=", ">", ">="]) else { return left }
        return try compared(left, sign, try sum())
    }

    private func compared(
        _ left: FHIRPathValue, _ sign: String, _ right: FHIRPathValue
    ) throws(LogicFault) -> FHIRPathValue {
        func side(_ value: FHIRPathValue, beside other: FHIRPathValue) throws(LogicFault) -> String {
            guard case .answer(let item, let isCode) = other, case .answer = value else {
                guard case .answer(let item, let isCode) = other else { return try plain(value) }
                return try word(value, beside: item, isCode: isCode)
            }
            guard !item.type.hasOptions, !isCode else {
                throw LogicFault(detail: "it compares options of two items")
            }
            return try plain(value)
        }
        return .expression("\(try side(left, beside: right)) \(sign) \(try side(right, beside: left))")
    }

    private mutating func sum() throws(LogicFault) -> FHIRPathValue {
        var left = try product()
        while place < tokens.count, case .sign(let sign) = tokens[place], sign == "+" || sign == "-" {
            place += 1
            left = .expression("(\(try number(left)) \(sign) \(try number(product())))")
        }
        return left
    }

    private mutating func product() throws(LogicFault) -> FHIRPathValue {
        var left = try primary()
        while place < tokens.count, case .sign(let sign) = tokens[place], sign == "*" || sign == "/" {
            place += 1
            left = .expression("(\(try number(left)) \(sign) \(try number(primary())))")
        }
        return left
    }

    private mutating func primary() throws(LogicFault) -> FHIRPathValue {
        guard place < tokens.count else { throw LogicFault(detail: "it ends too early") }
        let token = tokens[place]
        place += 1
        switch token {
        case .text(let text): return .text(text)
        case .number(let digits): return .number(digits)
        case .moment(let moment): return .expression(moment)
        case .sign("-"):
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else { throw LogicFault(detail: "it nests too deeply") }
            return .expression("-\(try number(primary()))")
        case .sign("("):
            let inner = try disjunction()
            try demand(")")
            return try steps(after: inner)
        case .name("true"), .name("false"):
            return .certain(token == .name("true") ? "true" : "false")
        case .name("today"):
            try demand("(")
            try demand(")")
            return .expression("today()")
        case .name("iif"):
            try demand("(")
            // There, what is not known goes the second way; here it goes neither.
            guard case .certain(let condition) = try disjunction() else {
                throw LogicFault(detail: "it goes two ways by what may be nothing")
            }
            try demand(",")
            let then = try plain(disjunction())
            try demand(",")
            let other = try plain(disjunction())
            try demand(")")
            return .expression("if(\(condition), \(then), \(other))")
        case .name("%resource"), .name("QuestionnaireResponse"): return try steps(after: .response)
        case .name("$this"), .name("%context"):
            guard let own else { throw LogicFault(detail: "it begins at what is no item") }
            return try steps(after: .item(own))
        case .name("answer"):
            guard let own else { throw LogicFault(detail: "it begins at what is no item") }
            return try steps(after: .answers(own))
        case .name(let name): throw LogicFault(detail: "it uses \(name.prefix(40))")
        case .sign(let sign): throw LogicFault(detail: "a value is missing before \(sign)")
        }
    }

    // MARK: Words

    /// A value beside an answer: a code as the option that it is here.
    func word(
        _ value: FHIRPathValue, beside item: Item, isCode: Bool
    ) throws(LogicFault) -> String {
        guard item.type.hasOptions else { return try plain(value) }
        switch value {
        case .text(let code) where isCode:
            switch option(item.linkId, code) {
            case .integer(let number)?: return String(number)
            case .code(let code)?: return "'\(code)'"
            case nil: throw LogicFault(detail: "it names an option that \(item.linkId) does not have")
            }
        case .number(let digits) where !isCode: return digits
        default: throw LogicFault(detail: "it compares options with what is none")
        }
    }

    func plain(_ value: FHIRPathValue) throws(LogicFault) -> String {
        switch value {
        case .expression(let text), .certain(let text): return text
        case .text(let text) where !text.contains("'"): return "'\(text)'"
        case .number(let digits): return digits
        case .answer(let item, _) where !item.repeats: return item.linkId
        default: throw LogicFault(detail: "it takes for a value what is none")
        }
    }

    private func number(_ value: FHIRPathValue) throws(LogicFault) -> String {
        if case .text = value { throw LogicFault(detail: "it reckons with a text") }
        return try plain(value)
    }

    mutating func skip(_ sign: String) -> Bool {
        guard place < tokens.count, tokens[place] == .sign(sign) else { return false }
        place += 1
        return true
    }

    private mutating func skip(oneOf signs: [String]) -> String? {
        guard place < tokens.count, case .sign(let sign) = tokens[place], signs.contains(sign) else {
            return nil
        }
        place += 1
        return sign
    }

    mutating func skip(word: String) -> Bool {
        guard place < tokens.count, tokens[place] == .name(word) else { return false }
        place += 1
        return true
    }

    mutating func demand(_ sign: String) throws(LogicFault) {
        guard skip(sign) else { throw LogicFault(detail: "a \(sign) is missing") }
    }

    mutating func demandEmptyCall() throws(LogicFault) {
        try demand("(")
        try demand(")")
    }
}
