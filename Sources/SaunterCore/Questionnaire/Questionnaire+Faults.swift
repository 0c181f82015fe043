extension Questionnaire {
    /// Everything that is wrong with this definition, by pointers into its archive form
    /// (`/item/3/enableWhen/0/question`, `/text/de/items/q1`, `/scoring/scales/1/items/2`); empty for one
    /// that may be published. At most 1,000 are named.
    package func faults() -> [Fault] {
        var check = DefinitionCheck(self)
        check.checkHead()
        guard check.places.count <= DefinitionCheck.maximumItems else { return check.faults.list }
        check.checkItems()
        check.checkConditions()
        check.checkConstraints()
        check.checkText()
        var faults = check.faults
        if let scoring {
            var check = ScoringCheck(scoring, items: check.items)
            check.run()
            faults.add(check.faults.list)
        }
        return faults.list
    }
}

/// The static check of one questionnaire.
struct DefinitionCheck {
    static let maximumItems = 1000
    static let maximumDepth = 16
    /// Widest column of a dataset, in characters.
    static let maximumColumn = 32

    /// One item of the tree, in depth-first order.
    struct Place {
        let item: Item
        let pointer: String
        let parent: Int?
        /// The repeating group that it stands in.
        let within: Int?
        /// Nobody sees it: it is hidden, or a group that it stands in.
        let isHidden: Bool
        /// Of `enableWhenExpression`; nil where it cannot be read.
        let expression: Expression?
    }

    let questionnaire: Questionnaire
    let places: [Place]
    /// The first place of each linkId.
    let firsts: [String: Int]
    var faults = GatheredFaults()

    init(_ questionnaire: Questionnaire) {
        var places: [Place] = []
        var firsts: [String: Int] = [:]
        var faults = GatheredFaults()
        func add(
            _ items: [Item], _ pointer: String, parent: Int?, within: Int?, isHidden: Bool, depth: Int
        ) {
            guard depth <= Self.maximumDepth || items.isEmpty else {
                faults.add(pointer, "too_deep", "Items nest deeper than \(Self.maximumDepth) levels.")
                return
            }
            for (index, item) in items.enumerated() {
                let here = "\(pointer)/\(index)"
                if firsts[item.linkId] == nil {
                    firsts[item.linkId] = places.count
                } else {
                    faults.add(
                        "\(here)/linkId", "duplicate_id", "An earlier item has the linkId \(item.linkId).")
                }
                let place = places.count
                let isHidden = isHidden || item.hidden
                places.append(
                    Place(
                        item: item, pointer: here, parent: parent, within: within, isHidden: isHidden,
                        expression: item.enableWhenExpression.flatMap { Self.expression($0) }))
                add(
                    item.item, "\(here)/item", parent: place,
                    within: within ?? (item.isRepeatingGroup ? place : nil), isHidden: isHidden,
                    depth: depth + 1)
            }
        }
        add(questionnaire.item, "/item", parent: nil, within: nil, isHidden: false, depth: 1)
        self.questionnaire = questionnaire
        self.places = places
        self.firsts = firsts
        self.faults = faults
    }

    private static func expression(_ source: String) -> Expression? {
        do throws(ExpressionFault) {
            return try Expression(source)
        } catch {
            return nil
        }
    }

    /// What a scoring key may name: not what stands in repeating groups.
    var items: [String: Item] {
        firsts.filter { places[$0.value].within == nil }.mapValues { places[$0].item }
    }

    mutating func checkHead() {
        if !DefinitionName.isValid(questionnaire.code) { faults.add("/code", "bad_id", DefinitionName.rule) }
        if !VersionNumber.isValid(questionnaire.version) {
            faults.add("/version", "bad_version", VersionNumber.rule)
        }
        if !questionnaire.minutes.isFinite || !(0...1440).contains(questionnaire.minutes) {
            faults.add("/minutes", "out_of_range", "The minutes to answer are a number from 0 to 1440.")
        }
        for (name, seconds) in [
            ("correct_within_s", questionnaire.edit.correctWithin),
            ("delete_within_s", questionnaire.edit.deleteWithin),
        ] where seconds.map({ !(1...3_155_760_000).contains($0) }) ?? false {
            faults.add("/edit/\(name)", "out_of_range", "The time is from one second to a hundred years.")
        }
        if !places.contains(where: { $0.item.type.isQuestion }) {
            faults.add("/item", "no_questions", "There is no item that takes an answer.")
        }
        if places.count > Self.maximumItems {
            faults.add("/item", "too_many_items", "At most \(Self.maximumItems) items are taken.")
        }
    }
}
