import SaunterCore

/// How the answers of simulated participants relate to the scores of a study. Items of one scale agree with each other
/// after reversal, and scores improve a little in the treated arm.
struct AnswerModel: Sendable {
    /// The arm in which scores improve; nil if the study has one arm.
    let treatedArm: String?
    /// The directions of the items by code and version of their questionnaire.
    private let directions: [String: [String: Double]]
    /// Code of a questionnaire -> its hints.
    private let hints: [String: AnswerHints]

    /// The arm with target feedback, or else the first one, is treated.
    init(_ study: Study, hints: [String: AnswerHints] = [:]) {
        treatedArm =
            study.arms.count > 1 ? study.walking?.targetFeedbackArms.first ?? study.arms.first?.code : nil
        directions = Dictionary(
            study.questionnaires.map { ("\($0.code) \($0.version)", Self.directions($0)) },
            uniquingKeysWith: { first, _ in first })
        self.hints = hints
    }

    /// The choices of a questionnaire that depend on a number, by linkId.
    func choices(of questionnaire: JSON) -> [String: AnswerHints.Choice] {
        hints[questionnaire["code"]?.string ?? ""]?.choices ?? [:]
    }

    /// The mean number of entries per day of a questionnaire that is answered at any time; nil if the pack does not
    /// state it.
    func entriesPerDay(of questionnaire: String) -> Double? { hints[questionnaire]?.entriesPerDay }

    /// For each item of a scale with several items: 1 if high answers mean more strain, −1 if they mean less.
    /// - Parameter questionnaire: the definition from the API, which does not contain the scoring key.
    func directions(of questionnaire: JSON) -> [String: Double] {
        let name = "\(questionnaire["code"]?.string ?? "") \(questionnaire["version"]?.string ?? "")"
        return directions[name] ?? [:]
    }

    private static func directions(_ questionnaire: Questionnaire) -> [String: Double] {
        let items = Dictionary(
            questionnaire.questions.map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        var signsOfScales: [String: [String: Double]] = [:]
        var directions: [String: Double] = [:]
        var found: [(signs: [String: Double], direction: Double)] = []
        for scale in questionnaire.scoring?.scales ?? [] where [.sum, .mean, .value].contains(scale.method) {
            var signs: [String: Double] = [:]
            for name in scale.items {
                let weight = scale.weights[name] ?? 1
                let own: Double = scale.reverse.contains(name) != (weight < 0) ? -1 : 1
                let parts =
                    signsOfScales[name] ?? items[name].map { [name: $0.optionSign(scale.recode[name])] }
                    ?? [:]
                signs.merge(parts.mapValues { $0 * own }, uniquingKeysWith: { first, _ in first })
            }
            signsOfScales[scale.id] = signs
            guard signs.count > 1 else { continue }
            found.append((signs, scale.isHigherBetter ? -1 : 1))
        }
        // A total scale decides, because its subscales can have the opposite direction.
        for scale in found.sorted(by: { $0.signs.count > $1.signs.count }) {
            directions.merge(
                scale.signs.mapValues { $0 * scale.direction }, uniquingKeysWith: { first, _ in first })
        }
        return directions
    }
}

extension Item {
    /// −1 if the value of the last option is less than that of the first one, otherwise 1.
    fileprivate func optionSign(_ recode: [String: Double]?) -> Double {
        let values = answerOption.compactMap { option -> Double? in
            if let recode { recode[option.value.text] } else { option.number }
        }
        guard let first = values.first, let last = values.last else { return 1 }
        return last < first ? -1 : 1
    }
}
