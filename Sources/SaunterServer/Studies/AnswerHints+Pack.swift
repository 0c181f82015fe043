import SaunterCohort
import SaunterCore
import SaunterPacks

extension AnswerHints {
    /// The hints in the files of a study, by code of the questionnaire. Questionnaires without hints have no entry.
    /// - Parameter files: the text of each file, by path.
    package static func all(of study: Study, in files: [String: String]) throws(AnswerHintFault) -> [String:
        AnswerHints]
    {
        var hints: [String: AnswerHints] = [:]
        for questionnaire in study.questionnaires {
            let preserved = PreservedMembers(
                PackFiles(files: files), code: questionnaire.code, version: questionnaire.version)
            let items = preserved.items.compactMapValues { $0[key] }
            guard preserved.root[key] != nil || !items.isEmpty else { continue }
            hints[questionnaire.code] = try AnswerHints(root: preserved.root[key], items: items)
        }
        return hints
    }
}
