/// The settings of one questionnaire that are in force for a participant.
package struct SettingValues: Sendable, Hashable {
    /// linkId -> value before the first change: the `initial` answers of the questionnaire.
    package let defaults: JSONObject
    /// linkId -> value in force. An item that the participant left blank is absent.
    package let values: JSONObject

    /// - Parameters:
    ///   - newest: the newest sheet by its corrected completion; nil if the participant has changed nothing. It can
    ///     belong to an earlier version of the questionnaire. An item that this version does not have gets its default.
    ///   - questionnaire: the questionnaire in the version of the enrolment.
    package init(newest: AnswerSheet?, of questionnaire: Questionnaire) {
        let questions = questionnaire.questions
        defaults = JSONObject(
            questions.compactMap { item in
                item.initial.map { JSONObject.Member(name: item.linkId, value: $0.json) }
            })
        guard let newest else {
            values = defaults
            return
        }
        values = JSONObject(
            questions.compactMap { item in
                switch newest.state(of: item.linkId) {
                case .answered(let answer): JSONObject.Member(name: item.linkId, value: answer.json)
                case .missing(.notInVersion):
                    item.initial.map { JSONObject.Member(name: item.linkId, value: $0.json) }
                case .missing: nil
                }
            })
    }
}
