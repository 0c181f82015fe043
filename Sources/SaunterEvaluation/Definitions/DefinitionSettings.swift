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
        byVersion(definitions) { .int($0.days) }
    }

    /// The study version -> its phases, for the setting `saunter.phases`.
    static func phases(_ definitions: StudyDefinitions) -> JSON {
        byVersion(definitions) { study in
            .array(study.phases.enumerated().map { phase($1, ordinal: $0 + 1) })
        }
    }

    /// The study version -> the phase of each schedule that is bound to one, for the setting
    /// `saunter.schedule_phases`.
    static func schedulePhases(_ definitions: StudyDefinitions) -> JSON {
        byVersion(definitions) { study in
            .object(
                JSONObject(
                    study.schedules.compactMap { schedule in
                        schedule.phase.map { JSONObject.Member(name: schedule.id, value: .string($0)) }
                    }))
        }
    }

    private static func byVersion(_ definitions: StudyDefinitions, _ value: (Study) -> JSON) -> JSON {
        .object(
            JSONObject(
                definitions.versions.map { JSONObject.Member(name: $0.version, value: value($0.study)) }))
    }

    private static func phase(_ phase: Phase, ordinal: Int) -> JSON {
        var json: JSONObject = ["ordinal": .int(ordinal), "code": .string(phase.code)]
        switch phase.start {
        case .day(let day): json["start_day"] = .int(day)
        case .event(let event): json["start_event"] = .string(event)
        case .firstCompletion(let questionnaire): json["start_questionnaire"] = .string(questionnaire)
        }
        switch phase.end {
        case .studyEnd: break
        case .day(let day): json["end_day"] = .int(day)
        case .length(let days): json["end_length"] = .int(days)
        case .event(let event): json["end_event"] = .string(event)
        }
        return .object(json)
    }

    private static func version(_ code: String, _ questionnaire: Questionnaire, _ rule: ScoringRule?) -> JSON
    {
        let codec = AnswerCodec(questionnaire)
        var labels: [JSON] = []
        var locations: [JSON] = []
        for item in questionnaire.questions {
            let type = item.isList || item.isRepeatingGroup ? "count" : item.type.storedName
            for (option, slot, cell) in item.storedCells(codec) {
                let (kind, base): (Kind, Int) =
                    switch cell {
                    case .coded: (.option, labels.count + 1)
                    case .slot: (.slot, 0)
                    case .number(let index, _): (.number, index + 1)
                    // The base of a text is 0. Locations have their own table.
                    case .fixed: (.text, codec.numberIndex(of: item.linkId).map { $0 + 1 } ?? 0)
                    }
                if case .coded(_, _, let texts) = cell { labels += texts.map { .string($0) } }
                locations.append([
                    "item": .string(item.linkId), "option": .string(option), "type": .string(type),
                    "kind": .int(kind.rawValue), "base": .int(base), "slot": .int(slot + 1),
                ])
            }
        }
        return [
            "questionnaire": .string(code), "version": .string(questionnaire.version),
            "labels": .array(labels),
            "locations": .array(locations),
            "coordinates": .array(coordinates(questionnaire, codec)),
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

extension DefinitionSettings {
    /// The items that are locations. `base` is the index of the latitude among the numbers of the sheet, from 1. An
    /// item without it is stored in `repeated`.
    private static func coordinates(_ questionnaire: Questionnaire, _ codec: AnswerCodec) -> [JSON] {
        func coordinates(_ item: Item, base: Int?) -> JSON {
            [
                "item": .string(item.linkId), "decimals": .int(item.storedDecimals),
                "base": .optional(base) { .int($0 + 1) },
            ]
        }
        let single = questionnaire.questions.filter { $0.type.form == .location && !$0.isList }
            .map { coordinates($0, base: codec.numberIndex(of: $0.linkId)) }
        let repeated = questionnaire.multiInstanceItems.map(\.item).filter { $0.type.form == .location }
            .map { coordinates($0, base: nil) }
        return single + repeated
    }

    /// The labels of the options of settings, for the setting `saunter.setting_labels`.
    static func settingLabels(_ definitions: StudyDefinitions) -> JSON {
        let labels = CodeLabels(definitions: definitions)
        let instruments = definitions.instruments.filter { definitions.settings.contains($0.code) }
        return .array(
            instruments.flatMap { instrument in
                instrument.items.flatMap { item in
                    labels.of(item).map { code, label in
                        [
                            "questionnaire": .string(instrument.code), "item": .string(item.linkId),
                            "code": .string(code), "label": .string(label),
                        ]
                    }
                }
            })
    }
}
