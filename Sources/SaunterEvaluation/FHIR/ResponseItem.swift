import SaunterCore
import SaunterExchange

/// A questionnaire with its names in FHIR: those of the source if it was imported.
struct ResponseNames {
    let questionnaire: Questionnaire
    let mapping: FHIRSourceMapping
}

/// Collects one item of a QuestionnaireResponse while its rows are read.
struct ResponseItem {
    /// The name in the rows. It has the number of the instance as suffix if there are several instances.
    let name: String
    let linkId: String
    let instance: Int?
    var answers: [JSON] = []
    var reason: String?
    private let options: [OptionValue]
    private let names: ResponseNames?
    private var ranks: [(rank: Int, answer: JSON)] = []

    init(_ name: String, _ instrument: InstrumentHistory?, _ names: ResponseNames?) {
        self.names = names
        let parts = name.split(separator: ".", maxSplits: 1)
        self.name = name
        linkId = parts.first.map { String($0) } ?? name
        instance = parts.count > 1 ? Int(parts[1]) : nil
        let linkId = linkId
        let repeated = instance == nil ? nil : instrument?.repeated(linkId)
        options =
            repeated?.item.answerOption.map(\.value)
            ?? instrument?.items.first { $0.linkId == linkId }?.options.map(\.value) ?? []
    }

    /// Adds the value of a row.
    mutating func add(_ value: String, option: String, type: String) throws {
        // Counts and comparisons follow from other rows, and have no item type.
        guard let type = Self.types[type] else { return }
        switch type.form {
        case .ranking where instance != nil: return
        case .ranking:
            guard let rank = Int(value), let found = options.first(where: { $0.text == option }) else {
                return
            }
            ranks.append((rank, answer(found)))
            answers = ranks.sorted { $0.rank < $1.rank }.map(\.answer)
        case .number where type.hasUnits && option.isEmpty:
            answers.append(["valueQuantity": ["value": try JSONReader.read(value)]])
        case .number where type.hasUnits:
            guard let number = answers.last?["valueQuantity"]?["value"] else { return }
            answers[answers.count - 1] = [
                "valueQuantity": [
                    "value": number, "unit": .string(value), "system": "http://unitsofmeasure.org",
                    "code": .string(value),
                ]
            ]
        case .options:
            guard option.isEmpty || value == "1",
                let found = options.first(where: { $0.text == (option.isEmpty ? value : option) })
            else { return }
            answers.append(answer(found))
        // FHIR integers have 32 bits. A longer number is a decimal.
        case .number where type.definition.isWhole && Int32(value) == nil:
            answers.append(["valueDecimal": try JSONReader.read(value)])
        case .number: add(try JSONReader.read(value), type)
        case .truth: add(.bool(value == "1"), type)
        case .moment: add(.string(value), type)
        case .nothing, .text, .location: break
        }
    }

    /// FHIR names a value after the type: `valueDateTime`.
    private mutating func add(_ value: JSON, _ type: ItemType) {
        let name = "value\(type.rawValue.prefix(1).uppercased())\(type.rawValue.dropFirst())"
        answers.append(.object(JSONObject([.init(name: name, value: value)])))
    }

    /// The item type of each type name in the rows.
    private static let types = Dictionary(
        ItemType.allCases.map { ($0.storedName, $0) }, uniquingKeysWith: { first, _ in first })

    /// The items of a sheet, nested in groups and in the order of the questionnaire. A repeating item occurs once per
    /// instance. An item that a question contains in the source is in the answer to this question.
    static func nested(_ items: [ResponseItem], _ names: ResponseNames) -> [JSON] {
        let mapping = names.mapping
        let single = Dictionary(items.filter { $0.instance == nil }.map { ($0.linkId, $0) }) { first, _ in
            first
        }
        var several: [String: [(number: Int, item: ResponseItem)]] = [:]
        for item in items {
            if let number = item.instance { several[item.linkId, default: []].append((number, item)) }
        }
        for name in several.keys { several[name]?.sort { $0.number < $1.number } }
        func linkIds(_ level: [Item]) -> [String] { level.flatMap { [$0.linkId] + linkIds($0.item) } }
        /// What the response contains for an item, without the child questions that the item has only in the source.
        func response(to item: Item, instance: Int?) -> [JSON] {
            let found = several[item.linkId] ?? []
            let linkId = JSON.string(mapping.linkId(item.linkId))
            func group(_ items: [JSON]) -> [JSON] {
                items.isEmpty ? [] : [["linkId": linkId, "item": .array(items)]]
            }
            if item.isRepeatingGroup {
                let count = linkIds(item.item).flatMap { several[$0] ?? [] }.map(\.number).max() ?? 0
                guard count > 0 else { return [single[item.linkId]?.json].compactMap(\.self) }
                return (1...count).flatMap { group(responses(to: item.item, instance: $0)) }
            }
            if item.type == .group { return group(responses(to: item.item, instance: instance)) }
            if let instance {
                return found.filter { $0.number == instance }.compactMap(\.item.json)
            }
            let answers = item.isList ? found.flatMap(\.item.answers) : []
            guard answers.isEmpty else { return [["linkId": linkId, "answer": .array(answers)]] }
            return [single[item.linkId]?.json].compactMap(\.self)
        }
        /// The same for all items of one level, with the child questions of each question in its answer.
        func responses(to level: [Item], instance: Int?, under parent: String? = nil) -> [JSON] {
            let known = Set(level.map(\.linkId))
            func parentId(_ item: Item) -> String? {
                mapping.parentQuestion(of: item.linkId).flatMap { known.contains($0) ? $0 : nil }
            }
            return level.filter { parentId($0) == parent }.flatMap { item -> [JSON] in
                let items = response(to: item, instance: instance)
                let hasChildren = level.contains { parentId($0) == item.linkId }
                let children = hasChildren ? responses(to: level, instance: instance, under: item.linkId) : []
                if children.isEmpty { return items }
                let empty: JSONObject = ["linkId": .string(mapping.linkId(item.linkId))]
                return [adding(children, to: items.first?.object ?? empty)]
            }
        }
        return responses(to: names.questionnaire.item, instance: nil)
    }

    /// The item with children in its first answer. An answer without a value contains the children of an unanswered
    /// question.
    private static func adding(_ children: [JSON], to item: JSONObject) -> JSON {
        var item = item
        var answers = item["answer"]?.array ?? []
        var first = answers.first?.object ?? JSONObject()
        first["item"] = .array(children)
        answers = [.object(first)] + answers.dropFirst()
        item["answer"] = .array(answers)
        return .object(item)
    }

    private var json: JSON? {
        let linkId = names?.mapping.linkId(linkId) ?? linkId
        if !answers.isEmpty { return ["linkId": .string(linkId), "answer": .array(answers)] }
        guard let reason else { return nil }
        return [
            "extension": [
                [
                    "url": "http://hl7.org/fhir/StructureDefinition/data-absent-reason",
                    "valueCode": .string(reason),
                ]
            ], "linkId": .string(linkId),
        ]
    }

    private func answer(_ option: OptionValue) -> JSON {
        guard let names else { return .object(["valueString": .string(option.text)]) }
        return .object(JSONObject([names.mapping.value(of: option, linkId, in: names.questionnaire)]))
    }
}
