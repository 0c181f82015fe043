import SaunterCore

/// Paths: step by step from where they begin to what they stand for.
extension FHIRPathTranslation {
    mutating func steps(after start: FHIRPathValue) throws(LogicFault) -> FHIRPathValue {
        var value = start
        while skip(".") {
            guard place < tokens.count, case .name(let name) = tokens[place] else {
                throw LogicFault(detail: "a path breaks off")
            }
            place += 1
            value = try step(name, after: value)
        }
        return value
    }

    private mutating func step(_ name: String, after value: FHIRPathValue) throws(LogicFault) -> FHIRPathValue
    {
        switch (name, value) {
        case ("item", .response): return .children(of: nil)
        case ("item", .item(let item)) where item.type == .group: return .children(of: item)
        case ("item", .answers(let item)): return .children(of: item)
        case ("descendants", .response):
            try demandEmptyCall()
            return .descendants(throughAnswers: true)
        case ("repeat", .response):
            try demand("(")
            guard skip(word: "item") else { throw LogicFault(detail: "it repeats what is no item") }
            try demand(")")
            return .descendants(throughAnswers: false)
        case ("where", .children), ("where", .descendants):
            try demand("(")
            guard skip(word: "linkId"), skip("="), place < tokens.count,
                case .text(let linkId) = tokens[place]
            else { throw LogicFault(detail: "it chooses items otherwise than by linkId") }
            place += 1
            try demand(")")
            guard let item = items[linkId] else {
                throw LogicFault(detail: "it names \(linkId.prefix(60)), of which there is not one answer")
            }
            guard leads(value, to: item) else {
                throw LogicFault(detail: "it looks for \(linkId.prefix(60)) where that does not stand")
            }
            return .item(item)
        case ("answer", .item(let item)) where item.type.isQuestion: return .answers(item)
        case ("first", .answers(let item)) where !item.repeats, ("first", .item(let item)):
            try demandEmptyCall()
            return value == .item(item) ? value : .answers(item)
        case ("first", .answer(let item, _)) where !item.repeats:
            try demandEmptyCall()
            return value
        case ("value", .answers(let item)): return .answer(item, isCode: false)
        case (_, .answers(let item)) where name.hasPrefix("value"): return .answer(item, isCode: false)
        case ("code", .answer(let item, false)) where item.type.hasOptions: return .answer(item, isCode: true)
        case ("value", .answer(let item, false)) where item.type == .quantity:
            return .answer(item, isCode: false)
        case ("where", .answers(let item)), ("where", .answer(let item, _)):
            return try chosen(of: item, isAnswer: value == .answers(item))
        case ("exists", .answers(let item)), ("exists", .answer(let item, _)),
            ("hasValue", .answer(let item, _)):
            try demandEmptyCall()
            return .certain("exists(\(item.linkId))")
        case ("empty", .answers(let item)), ("empty", .answer(let item, _)):
            try demandEmptyCall()
            return .certain("not exists(\(item.linkId))")
        case ("count", .answers(let item)) where item.repeats,
            ("count", .answer(let item, _)) where item.repeats:
            try demandEmptyCall()
            return .expression("count(\(item.linkId))")
        case ("not", _):
            try demandEmptyCall()
            let negated = "not (\(try plain(value)))"
            return value.isCertain ? .certain(negated) : .expression(negated)
        default: throw LogicFault(detail: "it uses \(name.prefix(40)) where that is not understood")
        }
    }

    /// Whether a step to the items of a place comes to this one.
    private func leads(_ value: FHIRPathValue, to item: Item) -> Bool {
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

    /// `where(value.code = 'x').exists()`, or `where(code = 'x')` of values: whether that option is among the answers.
    private mutating func chosen(of item: Item, isAnswer: Bool) throws(LogicFault) -> FHIRPathValue {
        try demand("(")
        if isAnswer {
            guard skip(word: "value") || skip(word: "valueCoding"), skip(".") else {
                throw LogicFault(detail: "it chooses answers otherwise than by their code")
            }
        }
        guard skip(word: "code"), skip("="), place < tokens.count, case .text(let code) = tokens[place] else {
            throw LogicFault(detail: "it chooses answers otherwise than by their code")
        }
        place += 1
        try demand(")")
        let option = try word(.text(code), beside: item, isCode: true)
        let holds = item.repeats ? "\(option) in \(item.linkId)" : "\(item.linkId) = \(option)"
        let whole = "(exists(\(item.linkId)) and \(holds))"
        guard skip(".") else { throw LogicFault(detail: "it goes on from chosen answers") }
        let isSought = skip(word: "exists")
        guard isSought || skip(word: "empty") else {
            throw LogicFault(detail: "it goes on from chosen answers")
        }
        try demandEmptyCall()
        return .certain(isSought ? whole : "not \(whole)")
    }
}
