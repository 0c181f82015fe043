import SaunterCore

/// How the server judges the fields of a question document. `rules.js` judges them in the browser, with the same
/// outcome.
package struct FormJudgement: Sendable {
    /// A fault of an answer.
    package struct AnswerFault: Sendable, Hashable {
        /// The linkId of the item; nil for a fault of the complete sheet.
        package let linkId: String?
        /// The index of the instance among the answers to a repeating group, from 0; nil outside of one.
        package let instance: Int?
        /// The code of the fault, such as `required`.
        package let code: String
    }

    /// Which items and options the form shows.
    package let state: FormState
    /// The faults of the sheet that the fields become.
    package let faults: Set<AnswerFault>
}

/// Judges the fields of many forms with the same questionnaire.
package struct FormJudge: Sendable {
    private let index: QuestionnaireIndex
    private let items: [JSON]
    private let language: String

    /// Prepares to judge forms of a valid questionnaire.
    package init(_ questionnaire: Questionnaire) {
        index = QuestionnaireIndex(questionnaire)
        language = questionnaire.languages.first ?? ""
        items = questionnaire.json(language: language)["item"]?.array ?? []
    }

    /// The codes of the data kinds that answers belong to.
    package var dataKinds: Set<String> { index.dataKinds }

    /// The rules of the questionnaire, as the document has them for `rules.js`.
    /// - Parameter forbiddenKinds: the data kinds that the participant does not permit.
    package func rules(forbiddenKinds: Set<String>) -> JSON {
        index.rules(language: language, forbiddenKinds: forbiddenKinds)
    }

    /// Judges the fields of a form.
    /// - Parameters:
    ///   - fields: name -> text, as the form sends them.
    ///   - zone: the participant's zone.
    ///   - forbiddenKinds: the data kinds that the participant does not permit.
    package func judgement(
        of fields: JSONObject, zone: Zone, now: Instant, forbiddenKinds: Set<String>
    ) -> FormJudgement {
        let read = AnswerFields(items, fields, zone: zone)
        let today = zone.local(of: now).date
        let state = index.formState(
            answers: read.answers, reasons: read.reasons, today: today, forbiddenKinds: forbiddenKinds)
        do throws(Faults) {
            _ = try AnswerSheet(
                answers: read.answers, reasons: read.reasons, of: index, today: today, language: language,
                forbiddenKinds: forbiddenKinds)
            return FormJudgement(state: state, faults: [])
        } catch {
            let faults = error.list.map { FormJudgement.AnswerFault($0, of: index) }
            return FormJudgement(state: state, faults: Set(faults))
        }
    }
}

extension FormJudgement.AnswerFault {
    /// - Parameter fault: a fault with a pointer such as `/answers/mood` or `/answers/meals/0/what`.
    fileprivate init(_ fault: Fault, of index: QuestionnaireIndex) {
        let parts = fault.pointer.split(separator: "/").dropFirst().map(String.init)
        let isInInstance = parts.count > 2 && index.item(parts[0])?.isRepeatingGroup == true
        linkId = isInInstance ? parts[2] : parts.first
        instance = isInInstance ? Int(parts[1]) : nil
        code = fault.code
    }
}
