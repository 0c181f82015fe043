/// One reading of a sheet: the values as they came, then one pass over the items in order, in which each
/// item's conditions look back at items already settled. Work grows with the number of items and of members
/// handed in.
struct SheetReading {
    /// What is known of a question in the pass.
    private enum Finding {
        case answer(Answer)
        case blank
        /// An answer was given, but it is wrong.
        case faulty
    }

    private static let reasonsTaken: Set<MissingReason> = [
        .skipped, .refused, .dontKnow, .notApplicable, .notReached, .notShown,
    ]

    let index: QuestionnaireIndex
    let pointer: String
    let reasonsPointer: String
    var faults = GatheredFaults()
    private(set) var states: [String: AnswerState] = [:]
    private(set) var cleared: [String] = []
    /// By place in the index.
    private var given: [JSON?]
    private var reasons: [MissingReason?]
    private var findings: [Finding]
    /// Whether an item is shown; nil when that hangs on a faulty answer.
    private var shown: [Bool?]

    init(index: QuestionnaireIndex, pointer: String, reasonsPointer: String) {
        self.index = index
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
        for place in index.nodes.indices {
            shown[place] = isShown(place)
            guard index.nodes[place].question != nil else { continue }
            if shown[place] == false { hide(place) } else { read(place) }
        }
    }

    /// The place of a question, or nil with a fault.
    private mutating func question(_ name: String, _ base: String) -> Int? {
        guard let place = index.place(of: name) else {
            faults.add(at(base, name), "unknown_item", "The questionnaire has no such item.")
            return nil
        }
        guard index.nodes[place].question != nil else {
            let type = index.nodes[place].item.type.rawValue
            faults.add(at(base, name), "not_a_question", "A \(type) takes no answer.")
            return nil
        }
        return place
    }

    private func isShown(_ place: Int) -> Bool? {
        let node = index.nodes[place]
        let inherited = node.parent.map { shown[$0] } ?? true
        if inherited == false { return false }
        let own = node.item.isEnabled { holds(node.item.enableWhen[$0], at: node.conditionNodes[$0]) }
        if own == false { return false }
        return inherited == nil ? nil : own
    }

    private func holds(_ condition: Condition, at place: Int?) -> Bool? {
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
        if let value = given[place], ![.null, "", []].contains(value) { cleared.append(linkId) }
        states[linkId] = .missing(.notShown)
    }

    private mutating func read(_ place: Int) {
        let item = index.nodes[place].item
        let here = at(pointer, item.linkId)
        var reader = AnswerReader(item: item, optionPlaces: index.nodes[place].optionPlaces)
        var answer = given[place].flatMap { reader.read($0, pointer: here) }
        let isFixed = item.readOnly || item.hidden
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

    private mutating func leaveBlank(_ item: Item, _ place: Int) {
        if item.required, !item.hidden, shown[place] == true {
            faults.add(at(pointer, item.linkId), "required", "This item needs an answer.")
        }
        if reasons[place] == .notShown, shown[place] == true, !item.hidden {
            faults.add(
                at(reasonsPointer, item.linkId), "item_is_shown", "By its conditions this item was shown.")
        }
        states[item.linkId] = .missing(reasons[place] ?? (item.hidden ? .notShown : .skipped))
    }

    private func at(_ base: String, _ name: String) -> String {
        "\(base)/\(Fault.escape(name))"
    }
}
