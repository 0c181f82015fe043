import SaunterCore

/// One item of a QuestionnaireResponse while its rows are read.
struct ResponseItem {
    /// As in the rows, with the number of the instance behind it where there are several.
    let name: String
    let linkId: String
    let instance: Int?
    /// The repeating group that it stands in.
    let group: String?
    var answers: [JSON] = []
    var reason: String?
    private let options: [OptionValue]
    private var ranks: [(rank: Int, answer: JSON)] = []

    init(_ name: String, _ instrument: InstrumentHistory?) {
        let parts = name.split(separator: ".", maxSplits: 1)
        self.name = name
        linkId = parts.first.map { String($0) } ?? name
        instance = parts.count > 1 ? Int(parts[1]) : nil
        let linkId = linkId
        let repeated = instance == nil ? nil : instrument?.repeated(linkId)
        group = repeated?.group.linkId
        options =
            repeated?.item.answerOption.map(\.value)
            ?? instrument?.items.first { $0.linkId == linkId }?.options.map(\.value) ?? []
    }

    /// Takes up the value of a row.
    mutating func add(_ value: String, option: String, type: String) throws {
        switch type {
        // Counts and comparisons follow from what else is told.
        case "count",
            "ranking" where option.isEmpty:
            return
        case "ranking":
            guard let rank = Int(value), let found = options.first(where: { $0.text == option }) else {
                return
            }
            ranks.append((rank, Self.answer(found)))
            answers = ranks.sorted { $0.rank < $1.rank }.map(\.answer)
        case "quantity" where option.isEmpty:
            answers.append(["valueQuantity": ["value": try JSONReader.read(value)]])
        case "quantity":
            guard let number = answers.last?["valueQuantity"]?["value"] else { return }
            answers[answers.count - 1] = [
                "valueQuantity": [
                    "value": number, "unit": .string(value), "system": "http://unitsofmeasure.org",
                    "code": .string(value),
                ]
            ]
        case "choice", "open_choice":
            guard option.isEmpty || value == "1",
                let found = options.first(where: { $0.text == (option.isEmpty ? value : option) })
            else { return }
            answers.append(Self.answer(found))
        default:
            if let answer = try Self.answer(value, type) { answers.append(answer) }
        }
    }

    /// The items of a sheet, those of repeating groups in one item for each instance.
    static func nested(_ items: [ResponseItem]) -> [JSON] {
        var written: [JSON] = []
        var instances: [String: [Int: [JSON]]] = [:]
        var lists: [String: [Int: [JSON]]] = [:]
        for item in items {
            if let instance = item.instance, let group = item.group {
                if let json = item.json { instances[group, default: [:]][instance, default: []].append(json) }
            } else if let instance = item.instance {
                lists[item.linkId, default: [:]][instance, default: []] += item.answers
            } else if let json = item.json {
                written.append(json)
            }
        }
        for (linkId, values) in lists.sorted(by: { $0.key < $1.key }) {
            let answers = values.sorted { $0.key < $1.key }.flatMap(\.value)
            if !answers.isEmpty { written.append(["linkId": .string(linkId), "answer": .array(answers)]) }
        }
        for (group, items) in instances.sorted(by: { $0.key < $1.key }) {
            for (_, items) in items.sorted(by: { $0.key < $1.key }) {
                written.append(["linkId": .string(group), "item": .array(items)])
            }
        }
        return written
    }

    private var json: JSON? {
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

    private static func answer(_ option: OptionValue) -> JSON {
        switch option {
        case .integer(let number): ["valueInteger": .int(number)]
        case .code(let code): ["valueCoding": ["code": .string(code)]]
        }
    }

    private static func answer(_ text: String, _ type: String) throws -> JSON? {
        switch type {
        case "boolean": ["valueBoolean": .bool(text == "1")]
        // FHIR's integers have 32 bits; a longer one is a decimal.
        case "integer": [Int32(text) == nil ? "valueDecimal" : "valueInteger": try JSONReader.read(text)]
        case "decimal": ["valueDecimal": try JSONReader.read(text)]
        case "date": ["valueDate": .string(text)]
        case "time": ["valueTime": .string(text)]
        case "date_time": ["valueDateTime": .string(text)]
        default: nil
        }
    }
}
