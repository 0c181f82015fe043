/// The scoring keys that score the sheets of a study now.
///
/// The key of the answered questionnaire version scores a sheet until a later version of the same answer form is
/// published. Then the key of the later version scores it. So a corrected key also applies to earlier sheets. A
/// questionnaire with other questions does not affect them. The live study version takes precedence, so publishing an
/// older version again activates its keys again.
package struct ActiveScoringKeys: Sendable {
    /// One version of a questionnaire.
    package struct Version: Hashable, Sendable, Comparable {
        /// The code of the questionnaire.
        package let questionnaire: String
        /// Three numbers, such as `1.0.0`.
        package let version: String

        /// - Parameter questionnaire: the code of the questionnaire.
        package init(questionnaire: String, version: String) {
            self.questionnaire = questionnaire
            self.version = version
        }

        /// Compares by questionnaire, then by version.
        package static func < (left: Version, right: Version) -> Bool {
            (left.questionnaire, left.version) < (right.questionnaire, right.version)
        }
    }

    /// The code of the study.
    package let study: String
    /// The live study version.
    package let liveVersion: String
    /// The sources of covariates in the live version.
    package let covariateSources: [CovariateSource]
    /// The rules by questionnaire version. A version has a rule if it has a key or if a later version of its answer
    /// form has one.
    package let rules: [Version: ScoringRule]
    /// All versions of the questionnaires that supply covariates.
    package let sourceVersions: [Version: Questionnaire]

    /// - Parameters:
    ///   - studies: all published versions, in the order of publication.
    ///   - live: the live version. If it is not in the list, the last version counts as live.
    package init(_ studies: [Study], live: String) {
        let liveStudy = studies.first { $0.version == live } ?? studies.last
        study = liveStudy?.code ?? ""
        liveVersion = liveStudy?.version ?? live
        covariateSources = liveStudy?.covariates ?? []
        var answered: [Version: Questionnaire] = [:]
        var keyed: [String: Questionnaire] = [:]
        for study in studies + (liveStudy.map { [$0] } ?? []) {
            for questionnaire in study.questionnaires {
                answered[Version(questionnaire)] = questionnaire
                if questionnaire.scoring != nil { keyed[questionnaire.answerFormDigest] = questionnaire }
            }
        }
        var rules: [Version: ScoringRule] = [:]
        for (version, questionnaire) in answered {
            guard let source = keyed[questionnaire.answerFormDigest] else { continue }
            rules[version] = ScoringRule(of: questionnaire, keyedBy: source)
        }
        self.rules = rules
        let sourceCodes = Set(covariateSources.map(\.questionnaire))
        sourceVersions = answered.filter { sourceCodes.contains($0.key.questionnaire) }
    }

    /// The rule for sheets of a questionnaire version; nil if no key scores them.
    package subscript(questionnaire: String, version: String) -> ScoringRule? {
        rules[Version(questionnaire: questionnaire, version: version)]
    }

    /// SHA-256 of everything that the scores depend on except the answers: keys, option weights, covariates and engine
    /// version. In hexadecimal.
    package var digest: String {
        let list = rules.sorted { $0.key < $1.key }.map { version, rule -> JSON in
            [
                "questionnaire": .string(version.questionnaire), "version": .string(version.version),
                "key": .string(rule.keyDigest), "weights": .string(rule.keyed.weightDigest),
            ]
        }
        return JSON.object([
            "engine": .string(Scoring.engineVersion), "rules": .array(list),
            "covariates": .array(covariateSources.map(\.json)),
        ]).digest
    }

    /// Questionnaire versions that another version's key scores, if both versions have the same key but different
    /// option weights. The scores of their sheets change, although the key digest does not show it.
    package var silentWeightChanges: [Version] {
        rules.filter { _, rule in
            rule.usesSuccessorKey && rule.answered.scoring?.digest == rule.keyDigest
                && rule.answered.weightDigest != rule.keyed.weightDigest
        }.keys.sorted()
    }

    /// Whether a key needs the arm of the enrolment as a covariate.
    package var usesArm: Bool {
        !covariateSources.contains { $0.id == "arm" }
            && rules.values.contains { $0.covariates.contains { $0.source == .enrolment && $0.id == "arm" } }
    }

    /// The codes of the questionnaires that supply covariates which at least one key needs.
    package var sourceQuestionnaires: Set<String> {
        let needed = Set(rules.values.flatMap(\.covariates).map(\.id))
        return Set(covariateSources.filter { needed.contains($0.id) }.map(\.questionnaire))
    }
}

extension ActiveScoringKeys.Version {
    init(_ questionnaire: Questionnaire) {
        self.init(questionnaire: questionnaire.code, version: questionnaire.version)
    }
}

extension CovariateSource {
    fileprivate var json: JSON {
        [
            "id": .string(id), "questionnaire": .string(questionnaire), "item": .string(item),
            "as": .string(reading.rawValue), "codes": .object(JSONObject(sorting: codes, JSON.string)),
        ]
    }
}
