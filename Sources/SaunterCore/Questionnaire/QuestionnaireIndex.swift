/// A questionnaire prepared for reading sheets: every item's place by its linkId, conditions resolved,
/// options by value. Made once per version and kept, because making it costs more than reading a sheet with
/// it.
package struct QuestionnaireIndex: Sendable {
    /// One item of the tree, in depth-first order.
    struct Node: Sendable {
        let item: Item
        /// Place of the enclosing group.
        let parent: Int?
        /// Place among the questions; nil for groups and displays.
        let question: Int?
        let optionPlaces: [OptionValue: Int]
        /// Where each condition's question stands; nil when there is none before this item.
        let conditionNodes: [Int?]
    }

    package let questionnaire: Questionnaire
    /// linkIds of the questions in depth-first order.
    package let questions: [String]
    let nodes: [Node]
    let scoring: ScoringPlan?
    private let places: [String: Int]

    package init(_ questionnaire: Questionnaire) {
        var nodes: [Node] = []
        var places: [String: Int] = [:]
        var questions: [String] = []
        func add(_ items: [Item], parent: Int?) {
            for item in items {
                let place = nodes.count
                let question = item.type.isQuestion ? questions.count : nil
                nodes.append(
                    Node(
                        item: item, parent: parent, question: question, optionPlaces: item.optionPlaces,
                        conditionNodes: item.enableWhen.map { places[$0.question] }))
                if item.type.isQuestion { questions.append(item.linkId) }
                if places[item.linkId] == nil { places[item.linkId] = place }
                add(item.item, parent: place)
            }
        }
        add(questionnaire.item, parent: nil)
        self.questionnaire = questionnaire
        self.nodes = nodes
        self.places = places
        self.questions = questions
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
