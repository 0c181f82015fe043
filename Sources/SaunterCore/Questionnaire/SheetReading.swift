/// One reading of a sheet: the values as they came, then one pass over the items in order, in which each
/// item's conditions look back at items already settled. Work grows with the number of items and of members
/// handed in.
struct SheetReading {
    /// What is known of a question in the pass.
    enum Finding {
        case answer(Answer)
        case blank
        /// An answer was given, but it is wrong.
        case faulty
    }

    private static let reasonsTaken: Set<MissingReason> = [
        .skipped, .refused, .dontKnow, .notApplicable, .notReached, .notShown,
    ]

    let index: QuestionnaireIndex
    let today: LocalDate?
    /// Of the words of constraints.
    let language: String?
    var pointer: String
    var reasonsPointer: String
    var faults = GatheredFaults()
    var states: [String: AnswerState] = [:]
    private(set) var cleared: [String] = []
    var warnings: [String] = []
    /// The instance of a repeating group that is being read.
    var instance: (group: Int, number: Int)?
    /// By place in the index.
    var given: [JSON?]
    var reasons: [MissingReason?]
    var findings: [Finding]
    /// Whether an item is shown; nil when that hangs on a faulty answer.
    var shown: [Bool?]
    /// Of repeating groups: the reasons of their instances, and for each of their questions the answers in all of them.
    var reasonLists: [Int: [JSON]] = [:]
    var repeated: [Int: [Answer]] = [:]

    init(
        index: QuestionnaireIndex, pointer: String, reasonsPointer: String, today: LocalDate?,
        language: String?
    ) {
        self.index = index
        self.today = today
        self.language = language
        self.pointer = pointer
        self.reasonsPointer = reasonsPointer
        given = Array(repeating: nil, count: index.nodes.count)
        reasons = Array(repeating: nil, count: index.nodes.count)
        findings = Array(repeating: .blank, count: index.nodes.count)
        shown = Array(repeating: true, count: index.nodes.count)
        states.reserveCapacity(index.questions.count)
    }

    mutating func take(answers: JSONObject) {
        for member in answers {
            guard let place = question(member.name, pointer) else { continue }
            if given[place] != nil {
                faults.add(at(pointer, member.name), "duplicate_member", "This item is answered twice.")
            }
            given[place] = member.value
        }
    }

    mutating func take(reasons object: JSONObject) {
        for member in object {
            guard let place = question(member.name, reasonsPointer), !member.value.isNull else { continue }
            if index.nodes[place].item.isRepeatingGroup, let lists = member.value.array {
                reasonLists[place] = lists
                continue
            }
            guard let reason = member.value.string.flatMap(MissingReason.init(code:)),
                Self.reasonsTaken.contains(reason)
            else {
                faults.add(
                    at(reasonsPointer, member.name), "unknown_reason",
                    "A reason is one of skipped, refused, dont_know, not_applicable, not_reached.")
                continue
            }
            reasons[place] = reason
        }
    }

    /// Decides the state of every question.
    mutating func settle() {
        settle(index.nodes.indices)
    }

    mutating func settle(_ places: Range<Int>) {
        var place = places.lowerBound
        while place < places.upperBound {
            shown[place] = isShown(place)
            if index.nodes[place].item.isRepeatingGroup {
                readInstances(place)
                place = index.nodes[place].end
                continue
            }
            if index.nodes[place].item.type.isQuestion {
                if shown[place] == false { hide(place) } else { read(place) }
            }
            place += 1
        }
    }

    /// The place of a question, or nil with a fault.
    private mutating func question(_ name: String, _ base: String) -> Int? {
        guard let place = index.place(of: name) else {
            faults.add(at(base, name), "unknown_item", "The questionnaire has no such item.")
            return nil
        }
        let node = index.nodes[place]
        guard node.item.takesAnswer else {
            faults.add(at(base, name), "not_a_question", "A \(node.item.type.rawValue) takes no answer.")
            return nil
        }
        guard node.within == instance?.group else {
            let group = node.within.map { index.nodes[$0].item.linkId }
            faults.add(
                at(base, name), "wrong_group",
                group.map { "This item is answered in the instances of \($0)." }
                    ?? "This item does not stand in this group.")
            return nil
        }
        return place
    }

    private func isShown(_ place: Int) -> Bool? {
        let node = index.nodes[place]
        let inherited = node.parent.map { shown[$0] } ?? true
        if inherited == false { return false }
        let own = node.item.enableBehavior.isEnabled(count: node.item.enableWhen.count) {
            holds(node.item.enableWhen[$0], at: node.conditionNodes[$0])
        }
        if own == false { return false }
        let expressed = node.expression.map { holds($0) } ?? true
        if expressed == false { return false }
        let offers = offersAny(node)
        if offers == false { return false }
        return inherited == nil || expressed == nil || offers == nil ? nil : own
    }

    func holds(_ condition: Condition, at place: Int?) -> Bool? {
        guard let place else { return condition.holds(for: nil) }
        switch findings[place] {
        case .blank: return condition.holds(for: nil)
        case .answer(let answer):
            let outcome = condition.holds(for: answer)
            // An answer that may yet have to be cleared tells only what its absence would tell, too.
            return shown[place] == nil && outcome != condition.holds(for: nil) ? nil : outcome
        case .faulty: return nil
        }
    }

    private mutating func hide(_ place: Int) {
        let linkId = index.nodes[place].item.linkId
        if let value = given[place], ![.null, "", []].contains(value) { noteCleared(linkId) }
        states[linkId] = .missing(.notShown)
        findings[place] = .blank
    }

    mutating func noteCleared(_ linkId: String) {
        cleared.append(instance.map { "\(linkId).\($0.number)" } ?? linkId)
    }

    private mutating func read(_ place: Int) {
        let item = index.nodes[place].item
        let here = at(pointer, item.linkId)
        let node = index.nodes[place]
        var reader = AnswerReader(item: item, optionPlaces: node.optionPlaces, pattern: node.pattern)
        var answer = given[place].flatMap { reader.read($0, pointer: here) }
        if let given = answer, !node.optionConditionNodes.isEmpty {
            answer = offered(of: given, node, here, &reader)
        }
        let isFixed = item.readOnly || node.isHidden
        if item.readOnly, let initial = item.initial, let value = answer, value != initial {
            reader.faults.add(here, "read_only", "The value of this item cannot be changed.")
        }
        guard reader.faults.isEmpty else {
            faults.add(reader.faults.list)
            findings[place] = .faulty
            return
        }
        if isFixed, answer == nil, reasons[place] == nil { answer = item.initial }
        if let answer {
            findings[place] = .answer(answer)
            states[item.linkId] = .answered(answer)
            if reasons[place] != nil {
                faults.add(
                    at(reasonsPointer, item.linkId), "reason_for_answered",
                    "The item is answered: no reason belongs here.")
            }
        } else {
            leaveBlank(item, place)
        }
    }

    mutating func leaveBlank(_ item: Item, _ place: Int) {
        let isHidden = index.nodes[place].isHidden
        if item.required, !isHidden, shown[place] == true {
            faults.add(at(pointer, item.linkId), "required", "This item needs an answer.")
        }
        if reasons[place] == .notShown, shown[place] == true, !isHidden {
            faults.add(
                at(reasonsPointer, item.linkId), "item_is_shown", "By its conditions this item was shown.")
        }
        states[item.linkId] = .missing(reasons[place] ?? (isHidden ? .notShown : .skipped))
    }

    func at(_ base: String, _ name: String) -> String {
        "\(base)/\(Fault.escape(name))"
    }
}
