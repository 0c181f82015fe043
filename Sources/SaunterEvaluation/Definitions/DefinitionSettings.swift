import SaunterCore

/// The definitions as JSON for the setting `saunter.definitions`, which SQL statements read. For every version of every
/// instrument, it states where each answer is stored and what the codes of its options are.
enum DefinitionSettings {
    /// How an answer is stored. The raw values are used in SQL.
    private enum Kind: Int {
        case option = 0, slot = 1, number = 2, text = 3
    }

    static func json(_ definitions: StudyDefinitions) -> JSON {
        let activeKeys = definitions.activeScoringKeys
        return .array(
            definitions.instruments.flatMap { instrument in
                instrument.versions.map {
                    version(instrument.code, $0, activeKeys[instrument.code, $0.version])
                }
            })
    }

    /// The study version -> the number of its last day, for the setting `saunter.study_days`.
    static func days(_ definitions: StudyDefinitions) -> JSON {
        .object(
            JSONObject(
                definitions.versions.map { JSONObject.Member(name: $0.version, value: .int($0.study.days)) }))
    }

    private static func version(_ code: String, _ questionnaire: Questionnaire, _ rule: ScoringRule?) -> JSON
    {
        let codec = AnswerCodec(questionnaire)
        var labels: [JSON] = []
        var locations: [JSON] = []
        for item in questionnaire.questions {
            guard let slot = codec.slotIndex(of: item.linkId) else { continue }
            func add(option: String = "", kind: Kind, base: Int, slot: Int) {
                locations.append([
                    "item": .string(item.linkId), "option": .string(option),
                    "type": .string(item.isList || item.isRepeatingGroup ? "count" : item.type.datasetName),
                    "kind": .int(kind.rawValue), "base": .int(base), "slot": .int(slot + 1),
                ])
            }
            func add(labels texts: [String], option: String = "") {
                add(option: option, kind: .option, base: labels.count + 1, slot: slot)
                labels += texts.map { .string($0) }
            }
            let values = item.answerOption.map(\.value.text)
            switch item.type {
            case _ where item.isList || item.isRepeatingGroup: add(kind: .slot, base: 0, slot: slot)
            case .openChoice where item.repeats:
                for (index, value) in (values + [Item.otherCode]).enumerated() {
                    add(option: value, kind: .slot, base: 0, slot: slot + index)
                }
            case .openChoice: add(labels: values + [Item.otherCode])
            case .quantity:
                add(kind: .number, base: (codec.numberIndex(of: item.linkId) ?? 0) + 1, slot: slot)
                add(labels: item.unitOption, option: Item.unitCode)
            case .choice where item.repeats, .ranking:
                for (index, option) in item.answerOption.enumerated() {
                    add(option: option.value.text, kind: .slot, base: 0, slot: slot + index)
                }
            case .choice:
                add(labels: values)
            case .boolean: add(kind: .slot, base: 0, slot: slot)
            case .integer, .decimal, .date, .time, .dateTime:
                add(kind: .number, base: (codec.numberIndex(of: item.linkId) ?? 0) + 1, slot: slot)
            case .string, .text: add(kind: .text, base: 0, slot: slot)
            case .group, .display: break
            }
        }
        return [
            "questionnaire": .string(code), "version": .string(questionnaire.version),
            "labels": .array(labels),
            "places": .array(locations),
            "groups": .object(
                JSONObject(
                    questionnaire.multiInstanceItems.map {
                        JSONObject.Member(name: $0.item.linkId, value: .string($0.group.linkId))
                    })),
            "key_digest": .string(rule?.keyDigest ?? ""),
            "scales": .array((rule?.scales ?? []).map(JSON.string)),
            "engine_version": .string(Scoring.engineVersion),
        ]
    }
}

extension ItemType {
    /// The name of the type in `answers.csv` and in the codebook.
    var datasetName: String { storedName }

    /// The type of a column that contains answers of this item type.
    var columnType: ColumnType {
        switch self {
        case .boolean: .boolean
        case .integer: .integer
        case .decimal, .quantity: .number
        case .date: .date
        case .dateTime: .instant
        case .time: .time
        case .group, .display, .string, .text, .choice, .openChoice, .ranking: .string
        }
    }
}
