import SaunterCore
import SaunterEvaluation
import SaunterExchange
import SaunterServer

/// The query parameters of a FHIR search.
struct FHIRSearchParameters {
    let call: Call<Identity>

    /// The search for QuestionnaireResponses. Throws `request-invalid` for a date that cannot be read.
    /// - Parameter known: every questionnaire version of the study.
    func responseSearch(_ known: [Questionnaire]) throws(Problem) -> ResponseSearch {
        var search = ResponseSearch()
        if let id = call.query("_id") {
            // An id in any other format matches no sheet.
            search.sheet = FHIRResponseID.read(id) ?? (enrolment: "E", sheet: "S")
        }
        if let list = call.query("questionnaire") {
            search.questionnaires = list.split(separator: ",").map {
                entry -> (code: String, version: String?) in
                let name = String(entry.split(separator: "/").last ?? "")
                if let found = known.first(where: { FHIRQuestionnaire.id($0) == name }) {
                    return (found.code, found.version)
                }
                let (url, version) = Self.canonical(String(entry))
                let code = known.first { FHIRQuestionnaire.url($0.code) == url }?.code
                return (code ?? "", version)
            }
        }
        if let subject = call.query("subject") ?? call.query("subject:identifier") {
            search.participant = subject.split(separator: "|").last.map(String.init) ?? ""
        }
        search.authored = try dateConditions("authored")
        search.updated = try dateConditions("_lastUpdated")
        search.includesScores = call.query("_revinclude") != nil
        return search
    }

    /// The parts of `_cursor`: the key of the last resource on the previous page; nil on the first page. Throws
    /// `request-invalid`.
    func cursor() throws(Problem) -> [String]? {
        guard let text = call.query("_cursor") else { return nil }
        guard let cursor = Cursor(text), cursor.parts.count == 2 else { throw Self.invalidCursor }
        return cursor.parts
    }

    /// Whether the parameters select this questionnaire version.
    func selects(_ questionnaire: Questionnaire) -> Bool {
        let (url, version) = Self.canonical(call.query("url"))
        if let id = call.query("_id"), id != FHIRQuestionnaire.id(questionnaire) { return false }
        if let url, url != FHIRQuestionnaire.url(questionnaire.code) { return false }
        if let version = version ?? call.query("version"), version != questionnaire.version { return false }
        guard let name = call.query("name") else { return true }
        return questionnaire.code.hasPrefix(name.lowercased())
    }

    /// The error for a `_cursor` that no page contains.
    static let invalidCursor = Problem.invalidParameter(
        "_cursor", "It must be the _cursor of the next link of a page.")

    private func dateConditions(_ name: String) throws(Problem) -> [ResponseSearch.DateCondition] {
        var conditions: [ResponseSearch.DateCondition] = []
        for text in call.queryList(name) ?? [] {
            guard let condition = ResponseSearch.DateCondition(fhir: text) else {
                throw Problem.invalidParameter(name, "It must be a FHIR date, optionally with a prefix.")
            }
            conditions.append(condition)
        }
        return conditions
    }

    /// The parts of `url|version`. Each part may be absent.
    private static func canonical(_ text: String?) -> (url: String?, version: String?) {
        let parts = (text ?? "").split(separator: "|", maxSplits: 1).map(String.init)
        return (parts.first, parts.count == 2 ? parts[1] : nil)
    }
}
