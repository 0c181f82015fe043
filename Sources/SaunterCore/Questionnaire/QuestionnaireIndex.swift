/// A questionnaire prepared for reading sheets: every item's place by its linkId, conditions resolved,
/// options by value. Made once per version and kept, because making it costs more than reading a sheet with
/// it.
package struct QuestionnaireIndex: Sendable {
    /// One item of the tree, in depth-first order. A class, because it is looked at often and large to copy.
    final class Node: Sendable {
        let item: Item
        /// Place of the enclosing group.
        let parent: Int?
        /// Place of the repeating group that it stands in.
        let within: Int?
        /// Nobody sees it: it is hidden, or a group that it stands in.
        let isHidden: Bool
        /// The place after the last item in it.
        let end: Int
        let optionPlaces: [OptionValue: Int]
        /// Where each condition's question stands; nil when there is none before this item.
        let conditionNodes: [Int?]
        /// The same for the conditions of each option; empty where no option has any.
        let optionConditionNodes: [[Int?]]
        let expression: Expression?
        let pattern: Pattern?

        /// Whether an answer of its own is stored: a question outside of repeating groups, or such a group.
        var isStored: Bool { within == nil && item.takesAnswer }

        fileprivate init(
            _ item: Item, place: Int, parent: Int?, within: Int?, isHidden: Bool, places: [String: Int]
        ) {
            self.item = item
            self.parent = parent
            self.within = within
            self.isHidden = isHidden
            end = place + item.count
            optionPlaces = item.optionPlaces
            conditionNodes = item.enableWhen.map { places[$0.question] }
            optionConditionNodes =
                item.answerOption.allSatisfy(\.enableWhen.isEmpty)
                ? [] : item.answerOption.map { $0.enableWhen.map { places[$0.question] } }
            expression = item.enableWhenExpression.flatMap { Expression(known: $0) }
            pattern = item.pattern
        }
    }

    package let questionnaire: Questionnaire
    /// linkIds of the questions in depth-first order; a repeating group is one, its own questions are not.
    package let questions: [String]
    let nodes: [Node]
    /// Each with the repeating group in whose instances it is judged; nil for the sheet as a whole.
    let constraints: [(constraint: Constraint, expression: Expression, within: Int?)]
    let scoring: ScoringPlan?
    private let places: [String: Int]

    package init(_ questionnaire: Questionnaire) {
        var nodes: [Node] = []
        var places: [String: Int] = [:]
        func add(_ items: [Item], parent: Int?, within: Int?, isHidden: Bool) {
            for item in items {
                let place = nodes.count
                let isHidden = isHidden || item.hidden
                nodes.append(
                    Node(
                        item, place: place, parent: parent, within: within, isHidden: isHidden, places: places
                    ))
                if places[item.linkId] == nil { places[item.linkId] = place }
                add(
                    item.item, parent: place, within: within ?? (item.isRepeatingGroup ? place : nil),
                    isHidden: isHidden)
            }
        }
        add(questionnaire.item, parent: nil, within: nil, isHidden: false)
        self.questionnaire = questionnaire
        self.nodes = nodes
        self.places = places
        questions = nodes.filter(\.isStored).map(\.item.linkId)
        constraints = questionnaire.constraint.compactMap { constraint in
            let within = constraint.item.flatMap { places[$0] }.flatMap { nodes[$0].within }
            return Expression(known: constraint.expression).map { (constraint, $0, within) }
        }
        let items = places.mapValues { nodes[$0].item }
        scoring = questionnaire.scoring.map { ScoringPlan($0, items: items) }
    }

    /// The place of an item. Names are compared by their bytes, not by Unicode equivalence.
    func place(of linkId: String) -> Int? {
        guard let place = places[linkId], nodes[place].item.linkId.utf8.elementsEqual(linkId.utf8) else {
            return nil
        }
        return place
    }

    /// The item of this name.
    package func item(_ linkId: String) -> Item? {
        place(of: linkId).map { nodes[$0].item }
    }

    /// The scores of a sheet by the questionnaire's own key; none when it has none.
    /// - Parameter covariates: by id, those that the key does not take from an item.
    package func scores(for sheet: AnswerSheet, covariates: [String: CovariateValue] = [:]) -> [Score] {
        scoring?.scores(for: sheet, covariates: covariates) ?? []
    }

    /// The scores of a sheet and the rule that they come from; nil without a key.
    package func scored(_ sheet: AnswerSheet, covariates: [String: CovariateValue] = [:]) -> ScoredSheet? {
        scoring.map { plan in
            ScoredSheet(
                scores: plan.scores(for: sheet, covariates: covariates), keyVersion: plan.keyVersion,
                keyDigest: plan.keyDigest, engineVersion: Scoring.engineVersion)
        }
    }
}

extension Item {
    /// The item and all items in it.
    fileprivate var count: Int { item.reduce(1) { $0 + $1.count } }
}

extension Expression {
    /// One that was checked before; nil for what cannot be read, which no check lets pass.
    fileprivate init?(known source: String) {
        do throws(ExpressionFault) {
            try self.init(source)
        } catch {
            return nil
        }
    }
}
