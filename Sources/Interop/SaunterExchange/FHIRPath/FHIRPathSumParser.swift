import SaunterCore

/// Parses a score in FHIRPath: sums, differences and means of answers, of the ordinal values of options, and of
/// variables. Everything else throws an error.
struct FHIRPathSumParser {
    /// A part of the expression.
    enum Value {
        case response
        case items([Item])
        case answers([Item])
        case values([Item])
        /// The extensions of the chosen options.
        case extensions([Item])
        /// The ordinal values of the chosen options, or the numbers of the answers.
        case numbers([Item])
        case sum(WeightedSum)
        /// Whether one of the names has a value, or all of them.
        case exists(Set<String>, all: Bool)
        case empty
    }

    private static let maximumDepth = 24

    /// The top items of the questionnaire.
    let topItems: [Item]
    /// linkId in the source -> linkId.
    let linkIds: [String: String]
    /// Name -> value of a variable.
    let variables: [String: Value]

    private var tokens: [FHIRPathToken] = []
    private var position = 0
    private var depth = 0

    init(topItems: [Item], linkIds: [String: String], variables: [String: Value]) {
        self.topItems = topItems
        self.linkIds = linkIds
        self.variables = variables
    }

    /// Parses an expression.
    mutating func value(_ source: String) throws(TranslationError) -> Value {
        (tokens, position, depth) = (try FHIRPathToken.tokens(of: Self.withOrdinals(source)), 0, 0)
        let value = try disjunction()
        guard position == tokens.count else { throw TranslationError(detail: "its end cannot be parsed") }
        return value
    }

    /// Parses an expression with a number as result.
    mutating func sum(_ source: String) throws(TranslationError) -> WeightedSum {
        try Self.sum(try value(source))
    }

    /// Replaces the look-up of an ordinal value in the questionnaire, which R4 tools generate, by `ordinal()`:
    /// `%questionnaire.item.where(linkId='a').answerOption.where(valueCoding.code=%resource…code).extension.where(…)`.
    private static func withOrdinals(_ source: String) -> String {
        let lookup =
            #/
            %questionnaire ((?: \.item \s* \.where\( \s* linkId \s* = \s* '[^']*' \s* \) )+) \s*
            \.answerOption \.where\( \s* value(?:Coding)? \.code \s* = \s*
            %resource (?: \.item \s* \.where\( \s* linkId \s* = \s* '[^']*' \s* \) )+
            \.answer (?: \.first\(\) )? \.value(?:Coding)? \.code \s* \)
            (?: \.value(?:Coding)? )? \.extension
            (?: \.where\( \s* url \s* = \s* '[^']*[oO]rdinalValue' \s* \) | \('[^']*[oO]rdinalValue'\) )
            \.value(?:Decimal)?
            /#
        return source.replacing(lookup) { "%resource\($0.output.1).answer.value.ordinal()" }
    }

    // MARK: Recursive descent

    private mutating func disjunction() throws(TranslationError) -> Value {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw TranslationError(detail: "it is nested too deeply") }
        var left = try additive()
        while true {
            let isAll = skip(.name("and"))
            guard isAll || skip(.name("or")) else { return left }
            guard case .exists(let one, let oneAll) = left,
                case .exists(let other, let otherAll) = try additive(), one.count == 1 || oneAll == isAll,
                other.count == 1 || otherAll == isAll
            else { throw TranslationError(detail: "its condition is not about missing answers only") }
            left = .exists(one.union(other), all: isAll)
        }
    }

    private mutating func additive() throws(TranslationError) -> Value {
        var left = try product()
        while true {
            let isMinus = skip(.symbol("-"))
            guard isMinus || skip(.symbol("+")) else { return left }
            let right = try Self.sum(try product())
            left = .sum(try Self.sum(left).plus(isMinus ? right.times(Fraction(-1)) : right))
        }
    }

    private mutating func product() throws(TranslationError) -> Value {
        var left = try primary()
        while true {
            let isQuotient = skip(.symbol("/"))
            guard isQuotient || skip(.symbol("*")) else { return left }
            let (one, other) = (try Self.sum(left), try Self.sum(try primary()))
            if other.terms.isEmpty {
                let factor = other.constant
                guard let factor = isQuotient ? Fraction(factor.denominator, over: factor.numerator) : factor
                else { throw TranslationError(detail: "it divides by 0") }
                left = .sum(try one.times(factor))
            } else if one.terms.isEmpty, !isQuotient {
                left = .sum(try other.times(one.constant))
            } else {
                throw TranslationError(detail: "it multiplies or divides answers by answers")
            }
        }
    }

    private mutating func primary() throws(TranslationError) -> Value {
        guard position < tokens.count else { throw TranslationError(detail: "it ends too early") }
        let token = tokens[position]
        position += 1
        switch token {
        case .number(let digits):
            guard let number = Double(digits).flatMap({ Fraction(decimal: $0) }) else {
                throw TranslationError(detail: "it has a number with too many digits")
            }
            return .sum(WeightedSum(constant: number))
        case .symbol("-"): return .sum(try Self.sum(try primary()).times(Fraction(-1)))
        case .symbol("("):
            let inner = try disjunction()
            try expect(")")
            return try steps(after: inner)
        case .symbol("{"):
            try expect("}")
            return .empty
        case .name("iif"): return try conditional()
        case .name("%resource"), .name("QuestionnaireResponse"): return try steps(after: .response)
        case .name(let name) where name.hasPrefix("%"):
            guard let variable = variables[String(name.dropFirst())] else {
                throw TranslationError(detail: "it uses \(name.prefix(40)), which is not a sum of answers")
            }
            return try steps(after: variable)
        case .name(let name), .text(let name), .moment(let name), .symbol(let name):
            throw TranslationError(detail: "it uses \(name.prefix(40))")
        }
    }

    /// `iif(a.exists(), a, 0)` counts a missing answer as 0. `iif(a.exists() or b.exists(), sum)` needs one answer, and
    /// with `and` it needs all of them.
    private mutating func conditional() throws(TranslationError) -> Value {
        try expect("(")
        guard case .exists(let names, let all) = try disjunction() else {
            throw TranslationError(detail: "its condition is not about missing answers only")
        }
        try expect(",")
        var then = try Self.sum(try disjunction())
        var other = Value.empty
        if skip(.symbol(",")) { other = try disjunction() }
        try expect(")")
        let used = Set(then.terms.map(\.name))
        switch other {
        case .empty where names.isSubset(of: used) && !then.skipsMissing: return .sum(then)
        case .empty where names == used:
            if all, names.count > 1 { then.skipsMissing = false }
            return .sum(then)
        case .sum(let zero) where zero.terms.isEmpty && zero.constant == Fraction(0):
            guard used.count == 1, names == used, then.constant == Fraction(0) else { break }
            then.skipsMissing = true
            return .sum(then)
        default: break
        }
        throw TranslationError(detail: "its condition is not about missing answers only")
    }

    // MARK: Paths

    private mutating func steps(after start: Value) throws(TranslationError) -> Value {
        var value = start
        while skip(.symbol(".")) {
            guard position < tokens.count, case .name(let name) = tokens[position] else {
                throw TranslationError(detail: "a path is incomplete")
            }
            position += 1
            value = try step(name, after: value)
        }
        return value
    }

    private mutating func step(_ name: String, after value: Value) throws(TranslationError) -> Value {
        switch (name, value) {
        case ("item", .response): return .items(topItems)
        case ("item", .items(let items)):
            return .items(items.filter { !$0.isRepeatingGroup }.flatMap(\.item))
        case ("descendants", .response):
            try expectEmptyArguments()
            return .items(Self.all(topItems))
        case ("descendants", .items(let items)):
            try expectEmptyArguments()
            return .items(Self.all(items.flatMap(\.item)))
        case ("repeat", .response):
            try expect("(")
            guard skip(.name("item")) else {
                throw TranslationError(detail: "it uses repeat() with something other than item")
            }
            try expect(")")
            return .items(Self.all(topItems))
        case ("where", .items(let items)): return .items(try selection(of: items))
        case ("answer", .items(let items)): return .answers(items.filter(\.type.isQuestion))
        case ("first", .items(let items)):
            guard items.count == 1 else { throw TranslationError(detail: "it uses first() on several items") }
            try expectEmptyArguments()
            return value
        case ("first", .answers(let items)), ("first", .values(let items)):
            guard items.count == 1 else {
                throw TranslationError(detail: "it uses first() on the answers to several items")
            }
            guard !items[0].repeats else {
                throw TranslationError(detail: "it uses first() on several answers")
            }
            try expectEmptyArguments()
            return value
        case ("value", .answers(let items)): return .values(items)
        case ("value", .values(let items)) where items.allSatisfy({ $0.type.hasUnits }):
            return .numbers(try Self.numeric(items))
        case (_, .answers(let items)) where name.hasPrefix("value"): return .values(items)
        case ("ordinal", .values(let items)), ("weight", .values(let items)),
            ("ordinal", .answers(let items)), ("weight", .answers(let items)):
            try expectEmptyArguments()
            return .numbers(try Self.weighted(items))
        case ("extension", .values(let items)), ("extension", .answers(let items)):
            try skipURL(isWhere: false)
            return .extensions(items)
        case ("where", .extensions):
            try skipURL(isWhere: true)
            return value
        case ("value", .extensions(let items)), ("valueDecimal", .extensions(let items)):
            return .numbers(try Self.weighted(items))
        case ("toInteger", .values(let items)), ("toDecimal", .values(let items)):
            try expectEmptyArguments()
            return .numbers(try Self.numeric(items, allowsBoolean: true))
        case ("toInteger", .numbers), ("toDecimal", .numbers):
            try expectEmptyArguments()
            return value
        case ("sum", .values(let items)):
            try expectEmptyArguments()
            return .sum(WeightedSum(names: try Self.numeric(items).map(\.linkId), skipsMissing: true))
        case ("sum", .numbers(let items)):
            try expectEmptyArguments()
            return .sum(WeightedSum(names: items.map(\.linkId), skipsMissing: true))
        case ("exists", .answers(let items)), ("exists", .values(let items)), ("exists", .numbers(let items)):
            try expectEmptyArguments()
            return .exists(Set(items.map(\.linkId)), all: false)
        case ("exists", .sum(let sum)) where !sum.skipsMissing:
            try expectEmptyArguments()
            return .exists(Set(sum.terms.map(\.name)), all: true)
        default: throw TranslationError(detail: "it uses \(name.prefix(40)) in an unsupported way")
        }
    }

    /// Parses `(linkId='a' or linkId='b')`.
    private mutating func selection(of items: [Item]) throws(TranslationError) -> [Item] {
        try expect("(")
        var found: [Item] = []
        repeat {
            guard skip(.name("linkId")), skip(.symbol("=")), position < tokens.count,
                case .text(let linkId) = tokens[position]
            else { throw TranslationError(detail: "it selects items by something other than linkId") }
            position += 1
            guard let item = items.first(where: { $0.linkId == linkIds[linkId] }) else {
                throw TranslationError(
                    detail:
                        "it refers to \(linkId.prefix(60)), which is unknown or not in this part of the form")
            }
            found.append(item)
        } while skip(.name("or"))
        try expect(")")
        return found
    }

    /// Parses the argument of `where`: `(url='…ordinalValue')`. If `isWhere` is false, parses the optional argument of
    /// `extension`: `('…ordinalValue')`.
    private mutating func skipURL(isWhere: Bool) throws(TranslationError) {
        guard skip(.symbol("(")) else {
            if isWhere { throw TranslationError(detail: "a ( is missing") }
            return
        }
        if isWhere, !(skip(.name("url")) && skip(.symbol("="))) {
            throw TranslationError(detail: "it selects extensions by something other than url")
        }
        guard position < tokens.count, case .text(let url) = tokens[position],
            FHIRQuestionnaireReader.weight(["url": .string(url), "valueDecimal": 0]) != nil
        else { throw TranslationError(detail: "it uses an extension that is not an ordinal value") }
        position += 1
        try expect(")")
    }

    // MARK: Numbers

    /// The value as a sum. A single answer must exist, otherwise the result is missing.
    static func sum(_ value: Value) throws(TranslationError) -> WeightedSum {
        switch value {
        case .sum(let sum): return sum
        case .numbers(let items) where items.count == 1 && !items[0].repeats:
            return WeightedSum(names: [items[0].linkId], skipsMissing: false)
        case .values(let items) where items.count == 1 && !items[0].repeats:
            return WeightedSum(names: try numeric(items).map(\.linkId), skipsMissing: false)
        default: throw TranslationError(detail: "it calculates with something that is not a number")
        }
    }

    /// The items whose answers are numbers. Throws if another item is among them.
    private static func numeric(_ items: [Item], allowsBoolean: Bool = false) throws(TranslationError)
        -> [Item]
    {
        for item in items {
            let isNumeric =
                switch item.type.form {
                case .truth: allowsBoolean
                case .number: !item.hasMixedUnits
                // A number that is stored as a code has this number as weight (`NegativeOptionCodes`).
                case .options:
                    !item.type.acceptsFreeText
                        && (item.answerOption.allSatisfy { $0.value.isNumber && $0.weight == nil }
                            || item.answerOption.allSatisfy { $0.weight != nil })
                case .nothing, .text, .moment, .ranking, .location: false
                }
            guard isNumeric else {
                throw TranslationError(detail: "the answers to \(item.linkId) are not numbers")
            }
        }
        return items
    }

    /// The items whose options have ordinal values. Items without any are ignored if there are several.
    private static func weighted(_ items: [Item]) throws(TranslationError) -> [Item] {
        let found = items.filter { item in
            item.type.form == .options && item.answerOption.contains { $0.number != nil }
        }
        guard !found.isEmpty, found.count == items.count || items.count > 1 else {
            throw TranslationError(
                detail: "the options of \(items.first?.linkId ?? "the item") have no ordinal values")
        }
        for item in found where item.answerOption.contains(where: { $0.number == nil }) {
            throw TranslationError(detail: "some options of \(item.linkId) have no ordinal value")
        }
        return found
    }

    /// The items and their descendants, except in repeating groups, because these have several answers.
    private static func all(_ items: [Item]) -> [Item] {
        items.filter { !$0.isRepeatingGroup }.flatMap { [$0] + all($0.item) }
    }

    private mutating func skip(_ token: FHIRPathToken) -> Bool {
        guard position < tokens.count, tokens[position] == token else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ symbol: String) throws(TranslationError) {
        guard skip(.symbol(symbol)) else { throw TranslationError(detail: "a \(symbol) is missing") }
    }

    private mutating func expectEmptyArguments() throws(TranslationError) {
        try expect("(")
        try expect(")")
    }
}
