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
        var conditions: [Condition] = []
        for (index, element) in given.enumerated() {
            do throws(TranslationError) {
                conditions.append(try condition(element))
            } catch {
                let more = given.count > 1 ? " None of its \(given.count) conditions is applied." : ""
                remark(
                    Remark(
                        location: "\(locations[item.linkId] ?? location)/enableWhen/\(index)",
                        detail: "\(item.linkId) is always shown: \(error.detail).\(more)"))
            }
        }
        markImported(["enableWhen", "enableBehavior"], of: item.linkId)
        guard conditions.count == given.count else { return }
        item.enableWhen = conditions
        item.enableBehavior = source["enableBehavior"] == "any" ? .any : .all
    }

    /// Reads a condition. Throws the reason if it cannot be applied.
    func condition(_ element: JSON) throws(TranslationError) -> Condition {
        guard let object = element.object, let linkId = object["question"]?.string else {
            throw TranslationError(detail: "the condition names no question")
        }
        guard let question = linkIds[linkId], let type = types[question] else {
            throw TranslationError(
                detail: "the condition refers to \(linkId.prefix(60)), which is not in the questionnaire")
        }
        guard let comparison = object["operator"]?.string.flatMap({ Condition.Comparison(rawValue: $0) })
        else {
            let reason =
                object["operator"]?.string.map { "the operator \($0.prefix(40)) is not supported" }
                ?? "the condition has no operator"
            throw TranslationError(detail: reason)
        }
        let members = object.filter { $0.name.hasPrefix("answer") }
        guard let member = members.first, members.count == 1 else {
            throw TranslationError(detail: "the condition has \(members.count) values instead of one")
        }
        if comparison == .exists {
            guard let exists = member.value.bool else {
                throw TranslationError(
                    detail: "a condition with the operator `exists` needs the value true or false")
            }
            return Condition(question: question, comparison: .exists, answer: .boolean(exists))
        }
        var questionItem = Item(linkId: question, type: type)
        if let source = sources[question] { _ = Self.applyExtensions(to: &questionItem, source) }
        guard let answer = answer(member, prefix: "answer", to: questionItem) else {
            let value =
                member.value["value"].map { "\($0.text) \(member.value["code"]?.string ?? "without a unit")" }
                ?? member.value["code"]?.string ?? member.value.string ?? member.value.text
            throw TranslationError(
                detail: "\(value.prefix(60)) (\(member.name.prefix(40))) is not an answer to "
                    + "\(linkId.prefix(60)), which has the type \(type.rawValue)")
        }
        return Condition(question: question, comparison: comparison, answer: answer)
    }

    /// A value of FHIR as an answer to an item; nil if the item does not accept it.
    private func answer(_ member: JSONObject.Member, prefix: String, to item: Item) -> Answer? {
        let value = member.value
        return switch item.type.form {
        case .truth: value.bool.map { .boolean($0) }
        case .number where item.type.hasUnits:
            FHIRUnits(of: item, sources[item.linkId] ?? JSONObject()).answer(value).map { .quantity($0) }
        case .number:
            item.type.definition.isWhole
                ? value.int.map { .integer($0) } : value.double.map { .decimal($0) }
        case .text: value.string?.nonBlank.map { .text($0) }
        case .moment: value.string.flatMap { item.type.definition.answer(text: $0) }
        case .options: option(member, prefix: prefix, of: item.linkId).map { .option($0) }
        case .nothing, .ranking, .location: nil
        }
    }

    private func option(_ member: JSONObject.Member, prefix: String, of linkId: String) -> OptionValue? {
        let kind = "value" + member.name.dropFirst(prefix.count)
        for (code, original) in (mapping.codings[linkId] ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let own = original.members.first, own.name == kind else { continue }
            if kind == "valueCoding" {
                let (one, other) = (own.value, member.value)
                let systemsMatch =
                    one["system"] == nil || other["system"] == nil || one["system"] == other["system"]
                if one["code"] != nil, one["code"] == other["code"], systemsMatch {
                    return optionValue(code, of: linkId)
                }
            } else if FHIRPatch.equal(own.value, member.value) {
                return optionValue(code, of: linkId)
            }
        }
        if kind == "valueInteger" { return member.value.int.map { .integer($0) } }
        // An option has no entry in `codings` if its coding has only a code and the code was not changed. Whether the
        // option exists is checked later.
        guard let code = member.value["code"]?.string, mapping.codings[linkId]?[code] == nil,
            NameGenerator.identifier(code, limit: 24, letter: nil) == code
        else { return nil }
        return .code(code)
    }
}
