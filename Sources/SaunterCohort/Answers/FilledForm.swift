import SaunterCore

/// A questionnaire that a simulated participant fills in, which takes about as long as the questionnaire says.
struct FilledForm {
    let startedAt: Instant
    /// linkId -> value.
    let answers: JSONObject

    /// - Parameters:
    ///   - questionnaire: the definition from the API.
    ///   - person: in the zone of the completion.
    ///   - day: days since enrolment.
    ///   - permitted: the kinds of data that the participant permits.
    init(
        _ questionnaire: JSON, completedAt: Instant, by person: Person, day: Int, permitted: Set<String>,
        isTreated: Bool, model: AnswerModel, _ numbers: inout SeededNumbers
    ) {
        let minutes = questionnaire["minutes"]?.double ?? 2
        let seconds = Int(minutes * 60 * Double.random(in: 0.6...1.4, using: &numbers))
        let local = person.zone.local(of: completedAt)
        startedAt = completedAt.adding(seconds: -seconds)
        answers = AnswerMaker.answers(
            to: questionnaire, by: person, day: day, today: local.date, at: local.time, permitted: permitted,
            isTreated: isTreated, model: model, numbers: SeededNumbers(seed: numbers.next()))
    }
}
