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
