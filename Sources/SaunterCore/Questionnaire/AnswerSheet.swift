/// The answers of one person to one version of a questionnaire. A held sheet is valid: everything about it
/// was checked when it was made.
package struct AnswerSheet: Sendable, Hashable {
    package let questionnaire: String
    package let version: String
    /// The state of every question, by linkId.
    package let states: [String: AnswerState]
    /// linkIds of the questions in the questionnaire's order.
    package let questions: [String]
    /// linkIds of answers that were removed, because their item was not shown; also of those of which options were,
    /// because the question on which they hang was not.
    /// In an instance of a group with its number behind, as in `dose.2`.
    package let cleared: [String]
    /// Keys of the constraints of severity `warning` that do not hold.
    package let warnings: [String]

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

    /// Reads and checks what a participant handed in; see the other initialiser, which is quicker for whoever
    /// keeps the index.
    package init(
        answers: JSONObject, reasons: JSONObject = [:], of questionnaire: Questionnaire,
        pointer: String = "/answers", reasonsPointer: String = "/reasons"
    ) throws(Faults) {
        try self.init(
            answers: answers, reasons: reasons, of: QuestionnaireIndex(questionnaire), pointer: pointer,
            reasonsPointer: reasonsPointer)
    }

    /// Reads and checks what a participant handed in, and names every fault at once.
    ///
    /// The logic of `enableWhen` is run again: an answer to an item that is not shown is removed, right or
    /// wrong, and named in `cleared`, and so is the choice of an option that hangs on such an item. Blanks are
    /// `skipped` unless a reason is given. Items that are read-only or hidden take their `initial` when the
    /// sheet leaves them out; a read-only item with an `initial` takes nothing else. A required item needs an
    /// answer when it is shown and not `hidden`; a reason is none.
    /// - Parameters:
    ///   - answers: linkId -> value; null is no answer; a list where the item repeats; of a repeating group a list of
    ///     objects of the same kind.
    ///   - reasons: linkId -> `skipped`, `refused`, `dont_know`, `not_applicable` or `not_reached`;
    ///     `not_shown` is taken where it is true. Of a repeating group that has instances a list of such objects.
    ///   - today: the day on which the sheet was completed, for expressions; nil where nobody knows.
    ///   - language: of the words of constraints that do not hold.
    ///   - pointer: where `answers` stands in the body, for the faults.
    ///   - reasonsPointer: where `reasons` stands.
    package init(
        answers: JSONObject, reasons: JSONObject = [:], of index: QuestionnaireIndex,
        pointer: String = "/answers", reasonsPointer: String = "/reasons", today: LocalDate? = nil,
        language: String? = nil
    ) throws(Faults) {
        var reading = SheetReading(
            index: index, pointer: pointer, reasonsPointer: reasonsPointer, today: today, language: language)
        reading.take(answers: answers)
        reading.take(reasons: reasons)
        reading.settle()
        reading.checkConstraints(within: nil)
        try reading.faults.check()
        self.init(
            questionnaire: index.questionnaire.code, version: index.questionnaire.version,
            states: reading.states,
            questions: index.questions, cleared: reading.cleared, warnings: reading.warnings)
    }

    /// linkIds of the rankings whose comparisons contradict each other in a circle.
    package var circles: [String] {
        questions.filter { linkId in
            if case .answered(.ranking(let ranking))? = states[linkId] { ranking.hasCircle } else { false }
        }
    }

    /// The state of a question; one that this version does not have is `notInVersion`.
    package func state(of linkId: String) -> AnswerState {
        states[linkId] ?? .missing(.notInVersion)
    }

    /// The answer to a question, if there is one.
    package func answer(to linkId: String) -> Answer? {
        guard case .answered(let answer)? = states[linkId] else { return nil }
        return answer
    }
}

extension AnswerSheet {
    /// linkId -> value of the answered items, in order; read back it gives this sheet.
    package var json: JSONObject { AnswerState.answers(states, questions) }

    /// linkId -> why there is no value, of all others, in order; of a repeating group that is answered those of its
    /// instances, as a list of such objects.
    package var reasons: JSONObject { AnswerState.reasons(states, questions) { _ in true } }

    /// The reasons that were given, without those that follow from conditions: what stays when answers are corrected.
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
