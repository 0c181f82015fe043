import SaunterCore

/// Parses and translates the steps of a path, such as those after `%resource` in
/// `%resource.item.where(linkId='x').answer.value`.
extension FHIRPathTranslator {
    mutating func steps(after start: FHIRPathValue) throws(TranslationError) -> FHIRPathValue {
        var value = start
        while skip(".") {
            guard position < tokens.count, case .name(let name) = tokens[position] else {
                throw TranslationError(detail: "a path is incomplete")
            }
            position += 1
            value = try step(name, after: value)
        }
        return value
    }

    private mutating func step(_ name: String, after value: FHIRPathValue) throws(TranslationError)
        -> FHIRPathValue
    {
        switch (name, value) {
        case ("item", .response): return .children(of: nil)
        case ("item", .item(let item)) where item.type == .group: return .children(of: item)
        case ("item", .answers(let item)): return .children(of: item)
        case ("descendants", .response):
            try expectEmptyArguments()
            return .descendants(throughAnswers: true)
        case ("repeat", .response):
            try expect("(")
            guard skip(word: "item") else {
                throw TranslationError(detail: "it uses repeat() with something other than item")
            }
            try expect(")")
            return .descendants(throughAnswers: false)
        case ("where", .children), ("where", .descendants):
            try expect("(")
            guard skip(word: "linkId"), skip("="), position < tokens.count,
                case .text(let linkId) = tokens[position]
            else { throw TranslationError(detail: "it selects items by something other than linkId") }
            position += 1
            try expect(")")
            guard let item = items[linkId] else {
                throw TranslationError(
                    detail: "it refers to \(linkId.prefix(60)), which is unknown or in a repeating group")
            }
            guard reaches(value, item) else {
                throw TranslationError(detail: "it refers to \(linkId.prefix(60)) in the wrong group")
            }
            return .item(item)
        case ("answer", .item(let item)) where item.type.isQuestion: return .answers(item)
        case ("first", .item):
            try expectEmptyArguments()
            return value
        case ("first", .answers(let item)) where !item.repeats,
            ("first", .answerValues(let item, _)) where !item.repeats:
            try expectEmptyArguments()
            return value
        case ("value", .answers(let item)): return .answerValues(item, isCode: false)
        case (_, .answers(let item)) where name.hasPrefix("value"): return .answerValues(item, isCode: false)
        case ("code", .answerValues(let item, false)) where item.type.hasOptions:
            return .answerValues(item, isCode: true)
        case ("value", .answerValues(let item, false)) where item.type.hasUnits:
            return .answerValues(item, isCode: false)
        case ("where", .answers(let item)), ("where", .answerValues(let item, _)):
            return try selection(of: item, isAnswer: value == .answers(item))
        case ("exists", .answers(let item)), ("exists", .answerValues(let item, _)),
            ("hasValue", .answerValues(let item, _)):
            try expectEmptyArguments()
            return .neverBlank("exists(\(item.linkId))")
        case ("empty", .answers(let item)), ("empty", .answerValues(let item, _)):
            try expectEmptyArguments()
            return .neverBlank("not exists(\(item.linkId))")
        case ("count", .answers(let item)) where item.repeats,
            ("count", .answerValues(let item, _)) where item.repeats:
            try expectEmptyArguments()
            return .expression("count(\(item.linkId))")
        case ("not", _):
            try expectEmptyArguments()
            let negated = "not (\(try text(of: value)))"
            return value.isNeverBlank ? .neverBlank(negated) : .expression(negated)
        default: throw TranslationError(detail: "it uses \(name.prefix(40)) in an unsupported way")
        }
    }

    /// Whether a step to these items reaches the given item.
    private func reaches(_ value: FHIRPathValue, _ item: Item) -> Bool {
        switch value {
        case .children(let parent): return parents[item.linkId] == parent?.linkId
        case .descendants(throughAnswers: true): return true
        case .descendants:
            var (name, isQuestion) = (item.linkId, false)
            while let parent = parents[name], !isQuestion {
                isQuestion = items.values.contains { $0.linkId == parent && $0.type.isQuestion }
                name = parent
            }
            return !isQuestion
        default: return false
        }
    }

    /// Translates `where(value.code = 'x').exists()`, or `where(code = 'x')` of values: whether the option is among the
    /// answers.
    private mutating func selection(of item: Item, isAnswer: Bool) throws(TranslationError) -> FHIRPathValue {
        try expect("(")
        if isAnswer {
            guard skip(word: "value") || skip(word: "valueCoding"), skip(".") else {
                throw TranslationError(detail: "it selects answers by something other than their code")
            }
        }
        guard skip(word: "code"), skip("="), position < tokens.count, case .text(let code) = tokens[position]
        else {
            throw TranslationError(detail: "it selects answers by something other than their code")
        }
        position += 1
        try expect(")")
        let option = try text(of: .text(code), comparedWith: item, isCode: true)
        let comparison = item.repeats ? "\(option) in \(item.linkId)" : "\(item.linkId) = \(option)"
        let condition = "(exists(\(item.linkId)) and \(comparison))"
        guard skip(".") else {
            throw TranslationError(detail: "it uses selected answers without exists() or empty()")
        }
        let testsExistence = skip(word: "exists")
        guard testsExistence || skip(word: "empty") else {
            throw TranslationError(detail: "it uses selected answers without exists() or empty()")
        }
        try expectEmptyArguments()
        return .neverBlank(testsExistence ? condition : "not \(condition)")
    }
}
