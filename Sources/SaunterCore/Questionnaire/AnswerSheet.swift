/// The answers of one person to one version of a questionnaire. A held sheet is valid: everything about it
/// was checked when it was made.
package struct AnswerSheet: Sendable, Hashable {
    package let questionnaire: String
    package let version: String
    /// The state of every question, by linkId.
    package let states: [String: AnswerState]
    /// linkIds of the questions in the questionnaire's order.
    package let questions: [String]
    /// linkIds of answers that were removed, because their item was not shown.
    package let cleared: [String]

    init(
        questionnaire: String, version: String, states: [String: AnswerState], questions: [String],
        cleared: [String] = []
    ) {
        self.questionnaire = questionnaire
        self.version = version
        self.states = states
        self.questions = questions
        self.cleared = cleared
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
    /// wrong, and named in `cleared`. Blanks are `skipped` unless a reason is given. Items that are read-only
    /// or hidden take their `initial` when the sheet leaves them out; a read-only item with an `initial`
    /// takes nothing else. A required item needs an answer when it is shown and not `hidden`; a reason is
    /// none.
    /// - Parameters:
    ///   - answers: linkId -> value; null is no answer; a list where the item repeats.
    ///   - reasons: linkId -> `skipped`, `refused`, `dont_know`, `not_applicable` or `not_reached`;
    ///     `not_shown` is taken where it is true.
    ///   - pointer: where `answers` stands in the body, for the faults.
    ///   - reasonsPointer: where `reasons` stands.
    package init(
        answers: JSONObject, reasons: JSONObject = [:], of index: QuestionnaireIndex,
        pointer: String = "/answers", reasonsPointer: String = "/reasons"
    ) throws(Faults) {
        var reading = SheetReading(index: index, pointer: pointer, reasonsPointer: reasonsPointer)
        reading.take(answers: answers)
        reading.take(reasons: reasons)
        reading.settle()
        try reading.faults.check()
        self.init(
            questionnaire: index.questionnaire.code, version: index.questionnaire.version,
            states: reading.states,
            questions: index.questions, cleared: reading.cleared)
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
    package var json: JSONObject {
        JSONObject(
            questions.compactMap { linkId in
                answer(to: linkId).map { JSONObject.Member(name: linkId, value: $0.json) }
            })
    }

    /// linkId -> why there is no value, of all others, in order.
    package var reasons: JSONObject {
        JSONObject(
            questions.compactMap { linkId in
                guard case .missing(let reason) = state(of: linkId) else { return nil }
                return JSONObject.Member(name: linkId, value: .string(reason.code))
            })
    }
}
