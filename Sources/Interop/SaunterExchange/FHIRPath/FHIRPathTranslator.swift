import SaunterCore

/// Translates a condition in FHIRPath into an expression of Saunter. It supports comparisons of answers with values and
/// with each other, `and`, `or`, `not()`, `exists()`, `hasValue()`, `empty()`, `count()`, `first()`,
/// `iif()`, `today()`, arithmetic and membership. The condition refers to answers by path, as in SDC:
/// `%resource.item.where(linkId='x').answer.value`. Everything else throws an error.
struct FHIRPathTranslator {
    private static let maximumDepth = 24

    /// linkId in the source -> item. Items in repeating groups are excluded, because they have several answers.
    let items: [String: Item]
    /// linkId -> linkId of the group or question that contains it in the source.
    let parents: [String: String]
    /// The option of an item that has this code in the source; nil if there is none, or more than one.
    let option: (_ linkId: String, _ code: String) -> OptionValue?
    /// The item that has the constraint, for paths that begin with it; nil for constraints of the questionnaire and for
    /// conditions that show an item.
    var currentItem: Item?

    private(set) var tokens: [FHIRPathToken] = []
    var position = 0
    private var depth = 0

    init(
        items: [String: Item], parents: [String: String] = [:], currentItem: Item? = nil,
        option: @escaping (_ linkId: String, _ code: String) -> OptionValue?
    ) {
        self.items = items
        self.parents = parents
        self.currentItem = currentItem
        self.option = option
    }

    /// Translates an expression. The result is true for the same answers.
    mutating func expression(_ source: String) throws(TranslationError) -> String {
        (tokens, position, depth) = (try FHIRPathToken.tokens(of: source), 0, 0)
        let whole = try disjunction()
        guard position == tokens.count else {
            throw TranslationError(detail: "its end cannot be parsed")
        }
        return try ExpressionTranslator.validated(try text(of: whole))
    }

    // MARK: Recursive descent

    private mutating func disjunction() throws(TranslationError) -> FHIRPathValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw TranslationError(detail: "it is nested too deeply") }
        var left = try conjunction()
        while skip(word: "or") { left = try joined(left, "or", try conjunction()) }
        return left
    }

    private mutating func conjunction() throws(TranslationError) -> FHIRPathValue {
        var left = try membership()
        while skip(word: "and") { left = try joined(left, "and", try membership()) }
        return left
    }

    private func joined(
        _ left: FHIRPathValue, _ word: String, _ right: FHIRPathValue
    ) throws(TranslationError) -> FHIRPathValue {
        let whole = "(\(try text(of: left)) \(word) \(try text(of: right)))"
        return left.isNeverBlank && right.isNeverBlank ? .neverBlank(whole) : .expression(whole)
    }

    private mutating func membership() throws(TranslationError) -> FHIRPathValue {
        let left = try equality()
        if skip(word: "in") { return try among(left, try equality()) }
        if skip(word: "contains") { return try among(try equality(), left) }
        return left
    }

    private func among(_ one: FHIRPathValue, _ many: FHIRPathValue) throws(TranslationError) -> FHIRPathValue
    {
        guard case .answerValues(let item, let isCode) = many, item.repeats else {
            throw TranslationError(detail: "the right side of the membership test is not a list of answers")
        }
        switch one {
        case .text, .number: break
        default: throw TranslationError(detail: "the left side of the membership test may be empty")
        }
        // In FHIRPath the result is false if there are no answers; in Saunter it would be blank.
        return .neverBlank(
            "(exists(\(item.linkId)) and \(try text(of: one, comparedWith: item, isCode: isCode)) in \(item.linkId))"
        )
    }

    private mutating func equality() throws(TranslationError) -> FHIRPathValue {
        let left = try inequality()
        guard let symbol = skip(oneOf: ["=", "!="]) else { return left }
        return try compared(left, symbol, try inequality())
    }

    private mutating func inequality() throws(TranslationError) -> FHIRPathValue {
        let left = try sum()
        guard let symbol = skip(oneOf: ["<", "<=", ">", ">="]) else { return left }
        return try compared(left, symbol, try sum())
    }

    private func compared(
        _ left: FHIRPathValue, _ symbol: String, _ right: FHIRPathValue
    ) throws(TranslationError) -> FHIRPathValue {
        func side(_ value: FHIRPathValue, comparedWith other: FHIRPathValue) throws(TranslationError)
            -> String
        {
            guard case .answerValues(let item, let isCode) = other else { return try text(of: value) }
            guard case .answerValues = value else {
                return try text(of: value, comparedWith: item, isCode: isCode)
            }
            guard !item.type.hasOptions, !isCode else {
                throw TranslationError(detail: "it compares options of two items")
            }
            return try text(of: value)
        }
        return .expression(
            "\(try side(left, comparedWith: right)) \(symbol) \(try side(right, comparedWith: left))")
    }

    private mutating func sum() throws(TranslationError) -> FHIRPathValue {
        var left = try product()
        while position < tokens.count, case .symbol(let symbol) = tokens[position],
            symbol == "+" || symbol == "-"
        {
            position += 1
            left = .expression("(\(try number(left)) \(symbol) \(try number(product())))")
        }
        return left
    }

    private mutating func product() throws(TranslationError) -> FHIRPathValue {
        var left = try primary()
        while position < tokens.count, case .symbol(let symbol) = tokens[position],
            symbol == "*" || symbol == "/"
        {
            position += 1
            left = .expression("(\(try number(left)) \(symbol) \(try number(primary())))")
        }
        return left
    }

    private mutating func primary() throws(TranslationError) -> FHIRPathValue {
        guard position < tokens.count else { throw TranslationError(detail: "it ends too early") }
        let token = tokens[position]
        position += 1
        switch token {
        case .text(let text): return .text(text)
        case .number(let digits): return .number(digits)
        case .moment(let moment): return .expression(moment)
        case .symbol("-"):
            depth += 1
            defer { depth -= 1 }
            guard depth <= Self.maximumDepth else {
                throw TranslationError(detail: "it is nested too deeply")
            }
            return .expression("-\(try number(primary()))")
        case .symbol("("):
            let inner = try disjunction()
            try expect(")")
            return try steps(after: inner)
        case .name("true"), .name("false"):
            return .neverBlank(token == .name("true") ? "true" : "false")
        case .name("today"):
            try expect("(")
            try expect(")")
            return .expression("today()")
        case .name("iif"):
            try expect("(")
            // In FHIRPath a blank condition selects the second value; in Saunter the result would be blank.
            guard case .neverBlank(let condition) = try disjunction() else {
                throw TranslationError(detail: "the condition of iif may be empty")
            }
            try expect(",")
            let then = try text(of: disjunction())
            try expect(",")
            let other = try text(of: disjunction())
            try expect(")")
            return .expression("if(\(condition), \(then), \(other))")
        case .name("%resource"), .name("QuestionnaireResponse"): return try steps(after: .response)
        case .name("$this"), .name("%context"):
            guard let currentItem else {
                throw TranslationError(
                    detail: "it refers to the current item, which only the constraint of an item can do")
            }
            return try steps(after: .item(currentItem))
        case .name("answer"):
            guard let currentItem else {
                throw TranslationError(
                    detail: "it refers to the current item, which only the constraint of an item can do")
            }
            return try steps(after: .answers(currentItem))
        case .name(let name): throw TranslationError(detail: "it uses \(name.prefix(40))")
        case .symbol(let symbol): throw TranslationError(detail: "a value is missing before \(symbol)")
        }
    }

    // MARK: Results

    /// The text of a value that is compared with an answer to this item. The code of an option becomes the option's
    /// value in Saunter.
    func text(
        of value: FHIRPathValue, comparedWith item: Item, isCode: Bool
    ) throws(TranslationError) -> String {
        guard item.type.hasOptions else { return try text(of: value) }
        switch value {
        case .text(let code) where isCode:
            switch option(item.linkId, code) {
            case .integer(let number)?: return String(number)
            case .code(let code)?: return "'\(code)'"
            case nil: throw TranslationError(detail: "it names an option that \(item.linkId) does not have")
            }
        case .number(let digits) where !isCode: return digits
        default: throw TranslationError(detail: "it compares options with a value that is not an option")
        }
    }

    /// The text of a value.
    func text(of value: FHIRPathValue) throws(TranslationError) -> String {
        switch value {
        case .expression(let text), .neverBlank(let text): return text
        case .text(let text) where !text.contains("'"): return "'\(text)'"
        case .number(let digits): return digits
        case .answerValues(let item, _) where !item.repeats: return item.linkId
        default:
            throw TranslationError(
                detail: "it uses a part that is not a single value, or a text with an apostrophe")
        }
    }

    private func number(_ value: FHIRPathValue) throws(TranslationError) -> String {
        if case .text = value { throw TranslationError(detail: "it calculates with a text") }
        return try text(of: value)
    }

    mutating func skip(_ symbol: String) -> Bool {
        guard position < tokens.count, tokens[position] == .symbol(symbol) else { return false }
        position += 1
        return true
    }

    private mutating func skip(oneOf symbols: [String]) -> String? {
        guard position < tokens.count, case .symbol(let symbol) = tokens[position], symbols.contains(symbol)
        else {
            return nil
        }
        position += 1
        return symbol
    }

    mutating func skip(word: String) -> Bool {
        guard position < tokens.count, tokens[position] == .name(word) else { return false }
        position += 1
        return true
    }

    mutating func expect(_ symbol: String) throws(TranslationError) {
        guard skip(symbol) else { throw TranslationError(detail: "a \(symbol) is missing") }
    }

    mutating func expectEmptyArguments() throws(TranslationError) {
        try expect("(")
        try expect(")")
    }
}
