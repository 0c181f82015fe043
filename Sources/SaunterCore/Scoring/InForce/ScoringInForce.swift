/// By which keys a study's sheets are scored now.
///
/// A sheet is scored by the key of its own version until a later version of the same answer form is published:
/// then by that one's. So a mended key reaches the sheets that came before it, while a questionnaire that asks
/// something else leaves them alone. The live version comes first, so that publishing an older version again
/// brings its keys back.
package struct ScoringInForce: Sendable {
    /// One version of a questionnaire, as it is answered.
    package struct Place: Hashable, Sendable, Comparable {
        package let questionnaire: String
        package let version: String

        package init(questionnaire: String, version: String) {
            self.questionnaire = questionnaire
            self.version = version
        }

        package static func < (left: Place, right: Place) -> Bool {
            (left.questionnaire, left.version) < (right.questionnaire, right.version)
        }
    }

    package let study: String
    /// The study version that was live.
    package let liveVersion: String
    /// Where covariates come from: as the live version says.
    package let origins: [CovariateOrigin]
    /// Of every version that has a key or is given one by a later version.
    package let rules: [Place: ScoringRule]
    /// Every version of the questionnaires that covariates come from.
    package let tellers: [Place: Questionnaire]

    /// - Parameters:
    ///   - studies: every published version, in the order of publication.
    ///   - live: the version that is live; where it is none of them, the last one.
    package init(_ studies: [Study], live: String) {
        let living = studies.first { $0.version == live } ?? studies.last
        study = living?.code ?? ""
        liveVersion = living?.version ?? live
        origins = living?.covariates ?? []
        var answered: [Place: Questionnaire] = [:]
        var keyed: [String: Questionnaire] = [:]
        for study in studies + (living.map { [$0] } ?? []) {
            for questionnaire in study.questionnaires {
                answered[Place(questionnaire)] = questionnaire
                if questionnaire.scoring != nil { keyed[questionnaire.answerForm] = questionnaire }
            }
        }
        var rules: [Place: ScoringRule] = [:]
        for (place, questionnaire) in answered {
            guard let source = keyed[questionnaire.answerForm] else { continue }
            rules[place] = ScoringRule(of: questionnaire, keyedBy: source)
        }
        self.rules = rules
        let telling = Set(origins.map(\.questionnaire))
        tellers = answered.filter { telling.contains($0.key.questionnaire) }
    }

    /// The rule for sheets of a version; nil where nothing scores them.
    package subscript(questionnaire: String, version: String) -> ScoringRule? {
        rules[Place(questionnaire: questionnaire, version: version)]
    }

    /// SHA-256 of everything that a score depends on besides answers: keys, what options count, covariates, and
    /// the engine.
    package var digest: String {
        let list = rules.sorted { $0.key < $1.key }.map { place, rule -> JSON in
            [
                "questionnaire": .string(place.questionnaire), "version": .string(place.version),
                "key": .string(rule.keyDigest), "weights": .string(rule.keyed.weightDigest),
            ]
        }
        return JSON.object([
            "engine": .string(Scoring.engineVersion), "rules": .array(list),
            "covariates": .array(origins.map(\.json)),
        ]).digest
    }

    /// Versions for which another version's key stands in, whose options count something else there although the key
    /// is the same: their scores would differ without a sign of it.
    package var unnamedChanges: [Place] {
        rules.filter { _, rule in
            rule.isSuccession && rule.answered.scoring?.digest == rule.keyDigest
                && rule.answered.weightDigest != rule.keyed.weightDigest
        }.keys.sorted()
    }

    /// Whether some key asks for the enrolment's own arm.
    package var asksArm: Bool {
        !origins.contains { $0.id == "arm" }
            && rules.values.contains { $0.covariates.contains { $0.source == .enrolment && $0.id == "arm" } }
    }

    /// Questionnaires whose sheets tell covariates that some key asks for.
    package var sources: Set<String> {
        let asked = Set(rules.values.flatMap(\.covariates).map(\.id))
        return Set(origins.filter { asked.contains($0.id) }.map(\.questionnaire))
    }
}

extension ScoringInForce.Place {
    init(_ questionnaire: Questionnaire) {
        self.init(questionnaire: questionnaire.code, version: questionnaire.version)
    }
}

extension CovariateOrigin {
    fileprivate var json: JSON {
        [
            "id": .string(id), "questionnaire": .string(questionnaire), "item": .string(item),
            "as": .string(reading.rawValue), "codes": .object(JSONObject(sorting: codes, JSON.string)),
        ]
    }
}
