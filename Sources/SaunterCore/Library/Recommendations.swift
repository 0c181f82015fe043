import Foundation

/// Which practices and programmes participants are advised to do next (`recommendations.yaml`).
package struct Recommendations: Sendable, Hashable {
    /// Where a recommendation comes from.
    package enum Source: String, Sendable, Hashable, CaseIterable {
        case models, rules, table

        /// The name in the API and in the dataset, such as `model`.
        package var why: String {
            switch self {
            case .models: "model"
            case .rules: "rule"
            case .table: "table"
            }
        }
    }

    /// Recommends codes while a condition holds.
    package struct Rule: Sendable, Hashable {
        /// Codes of practices or programmes, the first one first.
        package var recommended: [String]
        /// An expression over tailoring variables. A blank counts as false.
        package var condition: String

        /// Creates a rule.
        package init(recommended: [String], condition: String) {
            self.recommended = recommended
            self.condition = condition
        }
    }

    /// Scores one code for a participant. The coefficients are estimated elsewhere.
    package struct Model: Sendable, Hashable {
        /// How the score follows from the linear predictor.
        package enum Kind: String, Sendable, Hashable, CaseIterable {
            /// 1 / (1 + exp(-x)).
            case logistic
        }

        /// The code of the practice or programme.
        package var of: String
        /// The name of the estimation, such as "2026-11".
        package var version: String
        /// How the score is computed.
        package var kind: Kind
        /// The intercept of the linear predictor.
        package var intercept: Double
        /// Id of a tailoring variable -> its coefficient. A condition counts as 1 or 0.
        package var terms: [String: Double]

        /// Creates a model; by default one without variables.
        package init(
            of: String, version: String, kind: Kind = .logistic, intercept: Double,
            terms: [String: Double] = [:]
        ) {
            self.of = of
            self.version = version
            self.kind = kind
            self.intercept = intercept
            self.terms = terms
        }
    }

    /// The same codes for all participants, in order.
    package var table: [String]
    /// In the order of the pack.
    package var rules: [Rule]
    /// In the order of the pack.
    package var models: [Model]
    /// Which source comes first. A source that is not named is not used.
    package var order: [Source]

    /// Creates recommendations; by default none, with models before rules and rules before the table.
    package init(
        table: [String] = [], rules: [Rule] = [], models: [Model] = [],
        order: [Source] = [.models, .rules, .table]
    ) {
        self.table = table
        self.rules = rules
        self.models = models
        self.order = order
    }

    /// All codes that can be recommended, each once.
    package var codes: [String] {
        var seen: Set<String> = []
        return (models.map(\.of) + rules.flatMap(\.recommended) + table).filter { seen.insert($0).inserted }
    }

    /// The maximum number of codes, rules or models in a list of the file.
    package static let maximumEntries = 500
}

/// One recommendation for a participant.
package struct Recommended: Sendable, Hashable {
    /// The code of a practice or programme.
    package var code: String
    /// Where it comes from.
    package var source: Recommendations.Source
    /// From 1, without gaps.
    package var rank: Int
}

extension Recommendations {
    /// The ids of the tailoring variables that models and rules name.
    package var variables: [String] {
        var names: [String] = models.flatMap { $0.terms.keys.sorted() }
        for rule in rules {
            names += (try? Expression(rule.condition, dialect: .variables))?.items ?? []
        }
        var seen: Set<String> = []
        return names.map { VariableName($0).id }.filter { seen.insert($0).inserted }
    }

    /// The recommendations of one participant. Each code appears once, where `order` names it first. Models come in
    /// descending order of their scores. If two scores are equal, the one whose code is earlier in `table` comes first,
    /// then the one that is earlier in the pack.
    /// - Parameters:
    ///   - scope: the participant's variables. A variable that the study version does not have is blank.
    ///   - isOffered: whether the participant can begin the practice or programme now.
    package func list(
        in scope: ExpressionScope, isOffered: (String) -> Bool
    ) -> [Recommended] {
        var list: [Recommended] = []
        var seen: Set<String> = []
        for source in order {
            for code in codes(of: source, in: scope) where isOffered(code) && seen.insert(code).inserted {
                list.append(Recommended(code: code, source: source, rank: list.count + 1))
            }
        }
        return list
    }

    private func codes(of source: Source, in scope: ExpressionScope) -> [String] {
        switch source {
        case .table: return table
        case .rules: return rules.filter { $0.holds(in: scope) }.flatMap(\.recommended)
        case .models:
            let positions = Dictionary(table.enumerated().map { ($1, $0) }) { first, _ in first }
            let scored = models.enumerated().compactMap { index, model in
                model.score(in: scope).map { score in
                    (code: model.of, score: score, position: positions[model.of] ?? .max, index: index)
                }
            }
            return scored.sorted { left, right in
                if left.score != right.score { return left.score > right.score }
                return (left.position, left.index) < (right.position, right.index)
            }.map(\.code)
        }
    }
}

extension Recommendations.Rule {
    /// Whether the condition is true. A blank counts as false.
    func holds(in scope: ExpressionScope) -> Bool {
        // The check of the pack reports syntax faults.
        (try? Expression(condition, dialect: .variables))?.value(in: scope).truth == true
    }
}

extension Recommendations.Model {
    /// The score for a participant; nil if one of the variables is blank, or neither a number nor true or false.
    package func score(in scope: ExpressionScope) -> Double? {
        var predictor = intercept
        for (name, coefficient) in terms.sorted(by: { $0.key < $1.key }) {
            switch scope.value(name) {
            case .number(let number): predictor += coefficient * number.double
            case .boolean(let isTrue): predictor += isTrue ? coefficient : 0
            default: return nil
            }
        }
        switch kind {
        case .logistic: return 1 / (1 + exp(-predictor))
        }
    }
}

/// Checks the names and types of recommendations against a study.
package struct RecommendationCheck {
    private let check: ExpressionCheck

    /// - Parameter study: a study without faults.
    package init(of study: Study) {
        check = VariableSignatures(study).check()
    }

    /// Checks the condition of a rule.
    /// - Throws: the first fault, also if the condition is not true or false.
    package func checkCondition(_ source: String) throws(ExpressionFault) {
        try check.check(try Expression(source, dialect: .variables), expects: .boolean)
    }

    /// Checks the name of a term of a model.
    /// - Throws: a fault if it is not the name of a variable with a number, or with true or false.
    package func checkTerm(_ name: String) throws(ExpressionFault) {
        let expression = try Expression(name, dialect: .variables)
        guard case .item = expression.root.form else {
            throw ExpressionFault(position: 1, detail: "a term is the id of a variable")
        }
        let type = try check.type(of: expression)
        guard type == .number || type == .boolean else {
            throw ExpressionFault(
                position: 1, detail: "this is \(type.name); a term is a number, or true or false")
        }
    }
}
