import SaunterCore

/// Reads the members that refer to items and their answers: conditions and initial values.
extension FHIRQuestionnaireReader {
    mutating func readReferences(_ items: inout [Item]) {
        for index in items.indices {
            if let source = sources[items[index].linkId] {
                readConditions(of: &items[index], source)
                readOptionConditions(of: &items[index], source)
                if items[index].initial == nil { readInitial(of: &items[index], source) }
            }
            readReferences(&items[index].item)
        }
    }

    private mutating func readInitial(of item: inout Item, _ source: JSONObject) {
        let given = source["initial"]?.array ?? []
        guard !given.isEmpty, item.type.isQuestion else { return }
        let answers = given.compactMap { element in
            element.object?.first { $0.name.hasPrefix("value") }.flatMap {
                answer($0, prefix: "value", to: item)
            }
        }
        guard answers.count == given.count, item.repeats || answers.count == 1 else { return }
        if item.type.hasOptions, item.repeats {
            let options = answers.flatMap(\.chosenOptions)
            guard options.count == answers.count else { return }
            item.initial = .options(item.answerOption.map(\.value).filter(options.contains))
        } else {
            item.initial = item.repeats ? .list(answers) : answers[0]
        }
        markImported(["initial"], of: item.linkId)
    }

    private mutating func readConditions(of item: inout Item, _ source: JSONObject) {
        let given = source["enableWhen"]?.array ?? []
        guard !given.isEmpty else { return }
        let conditions = given.compactMap { condition($0) }
        guard conditions.count == given.count else { return }
        item.enableWhen = conditions
        item.enableBehavior = source["enableBehavior"] == "any" ? .any : .all
        markImported(["enableWhen", "enableBehavior"], of: item.linkId)
    }

    func condition(_ element: JSON) -> Condition? {
        guard let object = element.object, let question = object["question"]?.string.flatMap({ linkIds[$0] }),
            let comparison = object["operator"]?.string.flatMap({ Condition.Comparison(rawValue: $0) }),
            let member = object.first(where: { $0.name.hasPrefix("answer") }), let type = types[question],
            object.filter({ $0.name.hasPrefix("answer") }).count == 1
        else { return nil }
        if comparison == .exists {
            return member.value.bool.map {
                Condition(question: question, comparison: .exists, answer: .boolean($0))
            }
        }
        var questionItem = Item(linkId: question, type: type)
        if let source = sources[question] { _ = Self.applyExtensions(to: &questionItem, source) }
        return answer(member, prefix: "answer", to: questionItem).map {
            Condition(question: question, comparison: comparison, answer: $0)
        }
    }

    /// A value of FHIR as an answer to an item; nil if the item does not accept it.
    private func answer(_ member: JSONObject.Member, prefix: String, to item: Item) -> Answer? {
        let value = member.value
        switch item.type {
        case .boolean: return value.bool.map { .boolean($0) }
        case .integer: return value.int.map { .integer($0) }
        case .decimal: return value.double.map { .decimal($0) }
        case .string, .text: return value.string?.nonBlank.map { .text($0) }
        case .date: return value.string.flatMap { LocalDate($0) }.map { .date($0) }
        case .time: return value.string.flatMap { LocalTime($0) }.map { .time($0) }
        case .dateTime: return value.string.flatMap { Instant($0) }.map { .dateTime($0) }
        case .quantity:
            let units = FHIRUnits(of: item, sources[item.linkId] ?? JSONObject())
            return units.answer(value).map { .quantity($0) }
        case .choice, .openChoice: return option(member, prefix: prefix, of: item.linkId).map { .option($0) }
        case .group, .display, .ranking: return nil
        }
    }

    private func option(_ member: JSONObject.Member, prefix: String, of linkId: String) -> OptionValue? {
        let kind = "value" + member.name.dropFirst(prefix.count)
        for (code, original) in (mapping.codings[linkId] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let own = original.members.first, own.name == kind else { continue }
            if kind == "valueCoding" {
                let (one, other) = (own.value, member.value)
                let isSystem =
                    one["system"] == nil || other["system"] == nil || one["system"] == other["system"]
                if one["code"] != nil, one["code"] == other["code"], isSystem { return .code(code) }
            } else if FHIRPatch.equal(own.value, member.value) {
                return .code(code)
            }
        }
        if kind == "valueInteger" { return member.value.int.map { .integer($0) } }
        // An option whose code was not changed needs no entry in `codings`. Whether the option exists is checked later.
        guard let code = member.value["code"]?.string, mapping.codings[linkId]?[code] == nil,
            NameGenerator.identifier(code, limit: 24, letter: nil) == code
        else { return nil }
        return .code(code)
    }
}
