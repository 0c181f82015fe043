/// The answers of one participant to one version of a questionnaire. Every `AnswerSheet` is valid, because its
/// initialisers check it.
package struct AnswerSheet: Sendable, Hashable {
    /// The code of the questionnaire.
    package let questionnaire: String
    /// The version of the questionnaire.
    package let version: String
    /// The state of every question, by linkId.
    package let states: [String: AnswerState]
    /// The linkIds of the questions, in the questionnaire's order.
    package let questions: [String]
    /// The linkIds of answers that the server removed because their item was not shown, or because the participant does
    /// not permit their kind of data. It also contains an item if the server removed some of its options because the
    /// question of their conditions was not shown. For an item in a repeating group, the number of the instance
    /// follows: `dose.2`.
    package let cleared: [String]
    /// The keys of the constraints of severity `warning` that are violated.
    package let warnings: [String]

    /// Creates a sheet from parts that are already valid.
    init(
        questionnaire: String, version: String, states: [String: AnswerState], questions: [String],
        cleared: [String] = [], warnings: [String] = []
    ) {
        self.questionnaire = questionnaire
        self.version = version
        self.states = states
        self.questions = questions
        self.cleared = cleared
        self.warnings = warnings
    }

    /// Validates submitted answers. See the other initialiser, which is faster because it reuses the index.
    package init(
        answers: JSONObject, reasons: JSONObject = [:], of questionnaire: Questionnaire,
        pointer: String = "/answers", reasonsPointer: String = "/reasons", forbiddenKinds: Set<String> = []
    ) throws(Faults) {
        try self.init(
            answers: answers, reasons: reasons, of: QuestionnaireIndex(questionnaire), pointer: pointer,
            reasonsPointer: reasonsPointer, forbiddenKinds: forbiddenKinds)
    }

    /// Validates submitted answers, and reports all faults at once.
    ///
    /// The server evaluates `enableWhen` again. It removes an answer to an item that is not shown, valid or not, and
    /// adds the item to `cleared`. It does the same with a chosen option whose condition refers to such an item, and
    /// with an answer to an item whose kind of data is forbidden; that item is `no_consent`, and is never required. A
    /// blank is `skipped` unless the client submits a reason. A read-only or hidden item receives its `initial` value
    /// if the client omits it. A read-only item with an `initial` value accepts no other value. A required item needs
    /// an answer if it is shown and not `hidden`; a reason does not replace the answer.
    /// - Parameters:
    ///   - answers: linkId -> value. Null is no answer. A repeating item has an array. A repeating group has an array
    ///     of objects of the same kind.
    ///   - reasons: linkId -> `skipped`, `refused`, `dont_know`, `not_applicable` or `not_reached`. `not_shown` is
    ///     accepted if it is true, and `no_consent` for an item of a data kind. A repeating group with instances has an
    ///     array of such objects.
    ///   - today: the date on which the participant completed the sheet, for expressions; nil if it is unknown.
    ///   - language: the language of the messages of violated constraints.
    ///   - forbiddenKinds: the data kinds that the participant did not permit when the sheet was completed.
    ///   - pointer: the pointer to `answers` in the body, for faults.
    ///   - reasonsPointer: the pointer to `reasons` in the body.
    /// - Throws: all faults.
    package init(
        answers: JSONObject, reasons: JSONObject = [:], of index: QuestionnaireIndex,
        pointer: String = "/answers", reasonsPointer: String = "/reasons", today: LocalDate? = nil,
        language: String? = nil, forbiddenKinds: Set<String> = []
    ) throws(Faults) {
        var reader = AnswerSheetReader(
            index: index, pointer: pointer, reasonsPointer: reasonsPointer, today: today, language: language,
            forbiddenKinds: forbiddenKinds)
        reader.add(answers: answers)
        reader.add(reasons: reasons)
        reader.resolve()
        reader.checkConstraints(repeatingGroup: nil)
        try reader.faults.check()
        self.init(
            questionnaire: index.questionnaire.code, version: index.questionnaire.version,
            states: reader.states,
            questions: index.questions, cleared: reader.cleared, warnings: reader.warnings)
    }

    /// The linkIds of rankings and compared lists whose comparisons contradict each other.
    package var cyclicRankings: [String] {
        questions.filter { linkId in
            switch states[linkId] {
            case .answered(.ranking(let ranking))?: ranking.hasCycle
            case .answered(.comparedWords(let compared))?: compared.ranking.hasCycle
            default: false
            }
        }
    }

    /// The state of a question; `notInVersion` for a question that this version does not have.
    package func state(of linkId: String) -> AnswerState {
        states[linkId] ?? .missing(.notInVersion)
    }

    /// The answer to a question; nil if there is none.
    package func answer(to linkId: String) -> Answer? {
        guard case .answered(let answer)? = states[linkId] else { return nil }
        return answer
    }
}

extension AnswerSheet {
    /// The submitted form of the answers: linkId -> value of the answered items, in order. It can be parsed again.
    package var json: JSONObject { AnswerState.answers(states, questions) }

    /// The reasons of all other items: linkId -> reason, in order. An answered repeating group has an array of such
    /// objects, one for each instance.
    package var reasons: JSONObject { AnswerState.reasons(states, questions) { _ in true } }

    /// The reasons that the client submitted, without those that follow from conditions. A correction keeps them.
    package var givenReasons: JSONObject { AnswerState.reasons(states, questions) { $0 != .notShown } }
}

extension GroupInstance {
    var json: JSONObject { AnswerState.answers(states, questions) }
}

extension AnswerState {
    fileprivate static func answers(_ states: [String: AnswerState], _ questions: [String]) -> JSONObject {
        JSONObject(
            questions.compactMap { linkId in
                guard case .answered(let answer)? = states[linkId] else { return nil }
                return JSONObject.Member(name: linkId, value: answer.json)
            })
    }

    fileprivate static func reasons(
        _ states: [String: AnswerState], _ questions: [String], where isWanted: (MissingReason) -> Bool
    ) -> JSONObject {
        JSONObject(
            questions.compactMap { linkId in
                switch states[linkId] ?? .missing(.notInVersion) {
                case .missing(let reason):
                    return isWanted(reason)
                        ? JSONObject.Member(name: linkId, value: .string(reason.code)) : nil
                case .answered(.instances(let instances)):
                    let lists = instances.map { reasons($0.states, $0.questions, where: isWanted) }
                    guard lists.contains(where: { !$0.isEmpty }) else { return nil }
                    return JSONObject.Member(name: linkId, value: .array(lists.map { .object($0) }))
                case .answered: return nil
                }
            })
    }
}
