import SaunterCohort
import SaunterCore

/// Makes up valid questionnaires that use every item type, condition, operator and function.
struct RandomQuestionnaire {
    /// The codes, units and patterns to draw from.
    private static let codes = ["red", "green", "blue", "none", "later"]
    private static let units = [
        ["kg"], ["h", "min", "s"], ["Cel", "[degF]"], ["kg", "g"], ["{cups}"], ["m", "km", "cm"],
        ["kg", "{cups}"],
    ]
    private static let patterns = [
        "[a-z]+", "^[A-Z]{1,3}$", "(abc|x-)?\\d{1,4}", "\\p{L}+", "[^0-9]*", ".{2,5}", "\\w+( \\w+)*",
        "[\\p{L}\\p{N} ]{1,12}", "\\S+", "a|b|", "[a-cx-z]?.+",
    ]
    private static let maximumAttempts = 200

    private var numbers: SeededNumbers
    private var items: [(item: Item, group: String?)] = []
    private var count = 0

    private init(_ numbers: SeededNumbers) {
        self.numbers = numbers
    }

    /// A questionnaire without faults.
    static func make(from numbers: inout SeededNumbers) -> Questionnaire {
        for _ in 0..<maximumAttempts {
            var maker = RandomQuestionnaire(SeededNumbers(seed: numbers.next()))
            let questionnaire = maker.questionnaire()
            if questionnaire.faults().isEmpty { return questionnaire }
        }
        preconditionFailure("no random questionnaire without faults: \(RandomQuestionnaire.example(numbers))")
    }

    /// The first fault of one attempt, for the message of a failure.
    private static func example(_ numbers: SeededNumbers) -> String {
        var maker = RandomQuestionnaire(numbers)
        let questionnaire = maker.questionnaire()
        return questionnaire.faults().first.map { "\($0.pointer) \($0.code) \($0.detail)" } ?? "none"
    }

    private mutating func questionnaire() -> Questionnaire {
        let roots = (0..<Int.random(in: 3...8, using: &numbers)).map { _ in item(in: nil, depth: 0) }
        let constraints = (0..<Int.random(in: 0...3, using: &numbers)).map { number in
            constraint("rule_\(number)")
        }
        var text = QuestionnaireText(title: "Random", items: [:], options: [:])
        for (item, _) in items {
            text.items[item.linkId] = item.linkId
            if item.type.hasOptions {
                text.options[item.linkId] = Dictionary(
                    item.answerOption.map { ($0.value.text, $0.value.text) }, uniquingKeysWith: { $1 })
            }
        }
        for constraint in constraints { text.constraints[constraint.key] = "The answers do not fit." }
        return Questionnaire(
            code: "random", version: "1.0.0", item: roots, text: ["en": text], languages: ["en"],
            constraint: constraints)
    }

    // MARK: - Items

    private mutating func item(in group: String?, depth: Int) -> Item {
        count += 1
        let linkId = "q\(count)"
        if depth < 2, numbers.chance(0.18) { return self.group(linkId, in: group, depth: depth) }
        if numbers.chance(0.04) {
            var display = Item(linkId: linkId, type: .display)
            addConditions(to: &display, group)
            items.append((display, group))
            return display
        }
        let types = ItemType.allCases.filter(\.isQuestion)
        var item = Item(linkId: linkId, type: types.randomElement(using: &numbers) ?? .boolean)
        addProperties(to: &item, inGroup: group != nil)
        addConditions(to: &item, group)
        if item.type.form == .options { addOptionConditions(to: &item, group) }
        addInitial(to: &item)
        items.append((item, group))
        return item
    }

    private mutating func group(_ linkId: String, in outer: String?, depth: Int) -> Item {
        var item = Item(linkId: linkId, type: .group)
        addConditions(to: &item, outer)
        item.repeats = outer == nil && numbers.chance(0.6)
        if item.repeats {
            item.required = numbers.chance(0.3)
            if numbers.chance(0.3) { item.minOccurs = Int.random(in: 1...2, using: &numbers) }
            if numbers.chance(0.3) { item.maxOccurs = Int.random(in: 2...3, using: &numbers) }
        }
        let position = items.count
        items.append((item, outer))
        let inner = outer ?? (item.repeats ? linkId : nil)
        item.item = (0..<Int.random(in: 1...3, using: &numbers)).map { _ in
            self.item(in: inner, depth: inner == nil ? depth + 1 : 2)
        }
        items[position].item = item
        return item
    }

    private mutating func addProperties(to item: inout Item, inGroup: Bool) {
        item.required = numbers.chance(0.4)
        let canRepeat: Set<ItemType> = [
            .choice, .openChoice, .integer, .decimal, .string, .text, .date, .time, .location,
        ]
        item.repeats = canRepeat.contains(item.type) && numbers.chance(0.3)
        if item.repeats {
            if numbers.chance(0.3) { item.minOccurs = Int.random(in: 1...2, using: &numbers) }
            if numbers.chance(0.3) { item.maxOccurs = Int.random(in: 2...3, using: &numbers) }
        }
        switch item.type.form {
        case .options, .ranking: addOptions(to: &item)
        case .number:
            if numbers.chance(0.6) { item.minValue = Double(Int.random(in: -2...2, using: &numbers)) }
            if numbers.chance(0.6) { item.maxValue = Double(Int.random(in: 3...10, using: &numbers)) }
            if !item.type.definition.isWhole, numbers.chance(0.3) {
                item.maxDecimalPlaces = Int.random(in: 0...3, using: &numbers)
            }
            if item.type.hasUnits {
                item.unitOption = Self.units.randomElement(using: &numbers) ?? []
            }
        case .moment where item.expressionType == .date:
            if numbers.chance(0.4) { item.minValue = 20_790 }
            if numbers.chance(0.4) { item.maxValue = 20_810 }
        case .moment where item.expressionType == .time:
            if numbers.chance(0.4) { item.minValue = 6 * 3600 }
            if numbers.chance(0.4) { item.maxValue = 20 * 3600 }
        case .moment:
            // Two of the bounds are the moments at which clocks change in Europe.
            let moments: [Double] = [1_774_746_000_000, 1_792_890_000_000, 1_796_259_600_000]
            if numbers.chance(0.5) { item.minValue = moments.randomElement(using: &numbers) }
            if numbers.chance(0.4) { item.maxValue = 20_815 * 86_400_000 }
        case .text:
            if numbers.chance(0.4) { item.regex = Self.patterns.randomElement(using: &numbers) }
            if numbers.chance(0.3) { item.minLength = Int.random(in: 1...3, using: &numbers) }
            if numbers.chance(0.3) { item.maxLength = Int.random(in: 3...12, using: &numbers) }
        case .truth, .location, .nothing: break
        }
        if numbers.chance(0.06) { item.dataKind = ["sleep", "position"].randomElement(using: &numbers) }
    }

    private mutating func addOptions(to item: inout Item) {
        let isNumeric = numbers.chance(0.5)
        item.answerOption = (0..<Int.random(in: 2...4, using: &numbers)).map { index in
            ResponseOption(value: isNumeric ? .integer(index * 2) : .code(Self.codes[index]))
        }
        if item.repeats, numbers.chance(0.5) {
            item.answerOption[item.answerOption.count - 1].exclusive = true
        }
    }

    private mutating func addInitial(to item: inout Item) {
        guard item.type.permits(.initial), !item.repeats || item.type == .choice else { return }
        let isFixed = numbers.chance(0.1)
        guard isFixed || numbers.chance(0.05), let value = value(for: item) else { return }
        item.initial = item.repeats ? Self.list(value, item) : value
        guard isFixed else { return }
        if numbers.chance(0.5) { item.readOnly = true } else { item.hidden = true }
    }

    // MARK: - Conditions

    private mutating func addConditions(to item: inout Item, _ group: String?) {
        if numbers.chance(0.3) {
            item.enableWhen = (0..<Int.random(in: 1...2, using: &numbers)).compactMap { _ in condition(group)
            }
            item.enableBehavior = numbers.chance(0.5) ? .any : .all
        }
        if numbers.chance(0.25) {
            var expressions = RandomExpression(items, inside: group, numbers)
            item.enableWhenExpression = expressions.make()
            numbers = expressions.numbers
        }
    }

    private mutating func addOptionConditions(to item: inout Item, _ group: String?) {
        guard numbers.chance(0.35) else { return }
        for index in item.answerOption.indices where numbers.chance(0.6) {
            item.answerOption[index].enableWhen = [condition(group)].compactMap(\.self)
            if numbers.chance(0.3), let second = condition(group) {
                item.answerOption[index].enableWhen.append(second)
                item.answerOption[index].enableBehavior = numbers.chance(0.5) ? .any : .all
            }
        }
    }

    /// A condition on an earlier item; nil if there is none.
    private mutating func condition(_ group: String?) -> Condition? {
        let earlier = items.filter { item, own in
            item.acceptsAnswer && item.linkId != group && (own == nil || own == group)
        }
        guard let (question, _) = earlier.randomElement(using: &numbers) else { return nil }
        guard question.type.form.isComparable, numbers.chance(0.8),
            let answer = value(for: question)
        else {
            return Condition(
                question: question.linkId, comparison: .exists, answer: .boolean(numbers.chance(0.6)))
        }
        let comparisons = Condition.Comparison.allCases.filter { comparison in
            comparison != .exists && (question.isOrdered || comparison == .equal || comparison == .notEqual)
        }
        return Condition(
            question: question.linkId,
            comparison: comparisons.randomElement(using: &numbers) ?? .equal, answer: answer)
    }

    /// A valid single answer; nil if no attempt is valid.
    private mutating func value(for item: Item) -> Answer? {
        for _ in 0..<6 {
            do throws(Faults) {
                if let answer = try item.answer(from: json(for: item), single: true) { return answer }
            } catch {
                // This attempt is not valid. The next one may be.
            }
        }
        return nil
    }

    /// The answer to a repeating choice with this option, and with all others that it does not exclude.
    private static func list(_ answer: Answer, _ item: Item) -> Answer {
        guard case .option(let value) = answer else { return answer }
        let options = item.answerOption.filter { !$0.exclusive }.map(\.value)
        return .options(options.contains(value) ? options : [value])
    }

    private mutating func json(for item: Item) -> JSON {
        switch item.type.form {
        case .truth: .bool(numbers.chance(0.5))
        case .number where item.type.definition.isWhole: .int(Int.random(in: -1...9, using: &numbers))
        case .number where !item.type.hasUnits:
            .double(Double(Int.random(in: -4...36, using: &numbers)) / 4)
        case .number:
            [
                "value": .double(
                    numbers.chance(0.5)
                        ? [1, 60, 3600, 0.5, 1000, 0.001].randomElement(using: &numbers) ?? 1
                        : Double(Int.random(in: 0...20, using: &numbers)) / 2),
                "unit": .string(item.unitOption.randomElement(using: &numbers) ?? ""),
            ]
        case .moment where item.expressionType == .date:
            .string(LocalDate(days: 20_800 + Int.random(in: -15...15, using: &numbers)).description)
        case .moment where item.expressionType == .time:
            .string("\(Int.random(in: 10...19, using: &numbers)):30")
        case .moment: .string("2026-12-\(Int.random(in: 10...25, using: &numbers))T10:00:00.000Z")
        case .text: .string(["calm", "a", "Caf\u{E9}", "abc1"].randomElement(using: &numbers) ?? "")
        case .options where item.type.acceptsFreeText && numbers.chance(0.2): ["other": "calm"]
        case .options:
            switch item.answerOption.randomElement(using: &numbers)?.value {
            case .integer(let number): .int(number)
            case .code(let code): .string(code)
            case nil: .null
            }
        case .ranking: .array(item.answerOption.map(\.value.json).shuffled(using: &numbers))
        case .location, .nothing: .null
        }
    }

    private mutating func constraint(_ key: String) -> Constraint {
        let named =
            numbers.chance(0.7) ? items.filter { $0.item.acceptsAnswer }.randomElement(using: &numbers) : nil
        // A constraint on an item of a repeating group can use that group and what is before it.
        let group = named?.group
        let known =
            group.flatMap { group in
                items.lastIndex { $0.group == group || $0.item.linkId == group }.map { Array(items[...$0]) }
            } ?? items
        var expressions = RandomExpression(known, inside: group, numbers)
        let expression = expressions.make()
        numbers = expressions.numbers
        return Constraint(
            key: key, severity: numbers.chance(0.8) ? .error : .warning, expression: expression,
            item: named?.item.linkId)
    }
}
