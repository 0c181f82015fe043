import SaunterCore

/// A question of a published questionnaire: the members that are needed to read and compare its answers.
struct PublishedQuestion {
    /// The item without bounds and texts.
    private let item: Item
    /// linkId of the repeating group that contains it.
    let group: String?

    /// All valid items by linkId.
    /// - Parameter questionnaire: the definition from the API.
    static func all(in questionnaire: JSON) -> [String: PublishedQuestion] {
        var found: [String: PublishedQuestion] = [:]
        func add(_ items: [JSON], group: String?) {
            for json in items {
                guard let item = Item(published: json) else { continue }
                found[item.linkId] = PublishedQuestion(item: item, group: group)
                add(json["item"]?.array ?? [], group: group ?? (item.isRepeatingGroup ? item.linkId : nil))
            }
        }
        add(questionnaire["item"]?.array ?? [], group: nil)
        return found
    }

    /// The value of a submitted answer; nil for a blank.
    func answer(_ json: JSON) -> Answer? {
        guard !item.isRepeatingGroup else {
            // Conditions and expressions use only the number of instances.
            let instances = (json.array ?? []).map { _ in GroupInstance(states: [:], questions: []) }
            return instances.isEmpty ? nil : .instances(instances)
        }
        return read(json, single: false)
    }

    /// A condition on the answer to this question; nil if the JSON is not a condition.
    func condition(_ json: JSON) -> Condition? {
        guard let comparison = json["operator"]?.string.flatMap(Condition.Comparison.init(rawValue:)),
            let wanted = json["answer"]
        else { return nil }
        let answer: Answer? =
            comparison == .exists ? wanted.bool.map { Answer.boolean($0) } : read(wanted, single: true)
        return answer.map { Condition(question: item.linkId, comparison: comparison, answer: $0) }
    }

    /// Nil for a blank, and for a value that is not a valid answer to this question.
    private func read(_ json: JSON, single: Bool) -> Answer? {
        do throws(Faults) {
            return try item.answer(from: json, single: single)
        } catch {
            return nil
        }
    }
}

extension Item {
    fileprivate init?(published json: JSON) {
        guard let linkId = json["linkId"]?.string,
            let type = json["type"]?.string.flatMap(ItemType.init(rawValue:))
        else { return nil }
        self.init(linkId: linkId, type: type)
        repeats = json["repeats"]?.bool ?? false
        maxLength = json["maxLength"]?.int
        answerOption = (json["answerOption"]?.array ?? []).compactMap { option in
            OptionValue(published: option["value"] ?? .null).map { ResponseOption(value: $0) }
        }
        unitOption = (json["unitOption"]?.array ?? []).compactMap(\.string)
    }
}

extension OptionValue {
    fileprivate init?(published json: JSON) {
        if let code = json.string {
            self = .code(code)
        } else if let value = json.int {
            self = .integer(value)
        } else {
            return nil
        }
    }
}
