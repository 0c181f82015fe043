/// A questionnaire with lookup tables for validating sheets: items by linkId, resolved conditions, and options by
/// value. Callers create it once per version and cache it, because creating it costs more than validating a sheet.
package struct QuestionnaireIndex: Sendable {
    /// One item of the tree. It is a class because it is large and is read often.
    final class Node: Sendable {
        let item: Item
        /// The position of the enclosing group.
        let parent: Int?
        /// The position of the enclosing repeating group.
        let repeatingGroup: Int?
        /// Whether the item or an enclosing group is hidden.
        let isHidden: Bool
        /// The position after the last item of its subtree.
        let end: Int
        let optionIndices: [OptionValue: Int]
        /// The position of the question of each condition; nil if no earlier item has this name.
        let conditionTargets: [Int?]
        /// The same for the conditions of each option; empty if no option has conditions.
        let optionConditionTargets: [[Int?]]
        let expression: Expression?
        let pattern: Pattern?

        /// Whether its answer is stored with the sheet. This is true for questions outside repeating groups, and for
        /// repeating groups.
        var isStored: Bool { repeatingGroup == nil && item.acceptsAnswer }

        fileprivate init(
            _ item: Item, position: Int, parent: Int?, repeatingGroup: Int?, isHidden: Bool,
            positions: [String: Int]
        ) {
            self.item = item
            self.parent = parent
            self.repeatingGroup = repeatingGroup
            self.isHidden = isHidden
            end = position + item.count
            optionIndices = item.optionIndices
            conditionTargets = item.enableWhen.map { positions[$0.question] }
            optionConditionTargets =
                item.answerOption.allSatisfy(\.enableWhen.isEmpty)
                ? [] : item.answerOption.map { $0.enableWhen.map { positions[$0.question] } }
            expression = item.enableWhenExpression.flatMap { Expression(ifValid: $0) }
            pattern = item.pattern
        }
    }

    /// The indexed questionnaire.
    package let questionnaire: Questionnaire
    /// The linkIds of the questions in depth-first order. A repeating group is one of them, but its own questions are
    /// not.
    package let questions: [String]
    /// All items in depth-first order. The position of an item is its index here.
    let nodes: [Node]
    /// The compiled constraints, each with the position of the repeating group for whose instances it is evaluated; nil
    /// for the complete sheet.
    let constraints: [(constraint: Constraint, expression: Expression, repeatingGroup: Int?)]
    let scoring: ScoringPlan?
    /// The items of type `location`, by linkId.
    let locations: [String: Item]
    private let positions: [String: Int]

    /// Indexes a questionnaire. Invalid conditions and expressions are ignored.
    package init(_ questionnaire: Questionnaire) {
        var nodes: [Node] = []
        var positions: [String: Int] = [:]
        func add(_ items: [Item], parent: Int?, repeatingGroup: Int?, isHidden: Bool) {
            for item in items {
                let position = nodes.count
                let isHidden = isHidden || item.hidden
                nodes.append(
                    Node(
                        item, position: position, parent: parent, repeatingGroup: repeatingGroup,
                        isHidden: isHidden, positions: positions
                    ))
                if positions[item.linkId] == nil { positions[item.linkId] = position }
                add(
                    item.item, parent: position,
                    repeatingGroup: repeatingGroup ?? (item.isRepeatingGroup ? position : nil),
                    isHidden: isHidden)
            }
        }
        add(questionnaire.item, parent: nil, repeatingGroup: nil, isHidden: false)
        self.questionnaire = questionnaire
        self.nodes = nodes
        self.positions = positions
        questions = nodes.filter(\.isStored).map(\.item.linkId)
        constraints = questionnaire.constraint.compactMap { constraint in
            let repeatingGroup = constraint.item.flatMap { positions[$0] }.flatMap {
                nodes[$0].repeatingGroup
            }
            return Expression(ifValid: constraint.expression).map { (constraint, $0, repeatingGroup) }
        }
        let items = positions.mapValues { nodes[$0].item }
        locations = items.filter { $0.value.type.form == .location }
        scoring = questionnaire.scoring.map { ScoringPlan($0, items: items) }
    }

    /// The position of an item; nil if there is none. Names are compared by their bytes, not by Unicode equivalence.
    func position(of linkId: String) -> Int? {
        guard let position = positions[linkId], nodes[position].item.linkId.utf8.elementsEqual(linkId.utf8)
        else {
            return nil
        }
        return position
    }

    /// The item of this name; nil if there is none.
    package func item(_ linkId: String) -> Item? {
        position(of: linkId).map { nodes[$0].item }
    }

    /// The scores of a sheet, computed with the questionnaire's own scoring key; empty without a key.
    /// - Parameter covariates: the covariates by id that the key does not take from an item.
    package func scores(for sheet: AnswerSheet, covariates: [String: CovariateValue] = [:]) -> [Score] {
        scoring?.scores(for: sheet, covariates: covariates) ?? []
    }
}

extension Item {
    /// The number of items in the subtree.
    fileprivate var count: Int { item.reduce(1) { $0 + $1.count } }
}

extension Expression {
    /// Parses an expression of a questionnaire. Nil for an expression with a syntax error, which
    /// `Questionnaire.faults()` reports.
    init?(ifValid source: String) {
        do throws(ExpressionFault) {
            try self.init(source)
        } catch {
            return nil
        }
    }
}
