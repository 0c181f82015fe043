import SaunterCore

/// The rules of the active scoring keys for scores over time, as JSON. The dataset stores them in PostgreSQL settings,
/// which its SQL statements read. `changes` has the change rules of each version of a questionnaire. `windows` has the
/// windows of each instrument, from its newest version.
struct ScoreRules {
    private(set) var changes: [JSON] = []
    private(set) var windows: [JSON] = []

    init(_ definitions: StudyDefinitions) {
        let activeKeys = definitions.activeScoringKeys
        for instrument in definitions.instruments {
            for questionnaire in instrument.versions {
                for scale in activeKeys[instrument.code, questionnaire.version]?.keyed.scoring?.scales ?? [] {
                    guard let change = scale.change else { continue }
                    changes.append(Self.change(change, scale, questionnaire))
                }
            }
            let newest = instrument.newest.version
            for scale in activeKeys[instrument.code, newest]?.keyed.scoring?.scales ?? [] {
                windows += scale.windows.map { window in
                    [
                        "questionnaire": .string(instrument.code), "scale": .string(scale.id),
                        "id": .string(window.id), "days": .optional(window.days, JSON.int),
                        "minimum": .int(window.minimum),
                    ]
                }
            }
        }
    }

    private static func change(_ change: ChangeRule, _ scale: Scale, _ questionnaire: Questionnaire) -> JSON {
        [
            "questionnaire": .string(questionnaire.code), "version": .string(questionnaire.version),
            "scale": .string(scale.id), "baseline": .string(change.baseline.rawValue),
            "sd": .double(change.standardDeviation), "reliability": .double(change.reliability),
            "is_higher_better": .bool(change.direction == .higherIsBetter),
            "important": .optional(change.important, JSON.double),
        ]
    }
}
