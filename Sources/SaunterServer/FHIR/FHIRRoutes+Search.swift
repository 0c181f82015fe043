import SaunterCore
import SaunterExchange
import SaunterEvaluation

/// What the parameters of a FHIR search ask for.
extension FHIRRoutes {
    func search(_ call: Call<Identity>, _ known: [Questionnaire]) throws(Problem) -> ResponseSearch {
        var search = ResponseSearch()
        if let id = call.query("_id") {
            // An id of another form is nobody's.
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
        search.authored = try Self.moments(call, "authored")
        search.updated = try Self.moments(call, "_lastUpdated")
        return search
    }

    static func moments(_ call: Call<Identity>, _ name: String) throws(Problem)
        -> [ResponseSearch.Moment]
    {
        var moments: [ResponseSearch.Moment] = []
        for text in call.queryList(name) ?? [] {
            guard let moment = ResponseSearch.Moment(fhir: text) else {
                throw invalid(name, "It must be a date of FHIR, with a prefix or without.")
            }
            moments.append(moment)
        }
        return moments
    }

    static func place(_ call: Call<Identity>) throws(Problem) -> [String]? {
        guard let text = call.query("_cursor") else { return nil }
        guard let cursor = Cursor(text), cursor.parts.count == 2 else {
            throw invalid("_cursor", "It must come from the link next of a page.")
        }
        return cursor.parts
    }

    static func invalid(_ name: String, _ detail: String) -> Problem {
        Problem(
            .requestInvalid, Faults([Fault(pointer: "/\(name)", code: "wrong_format", detail: detail)]))
    }

    /// `url|version`, either alone too.
    static func canonical(_ text: String?) -> (url: String?, version: String?) {
        let parts = (text ?? "").split(separator: "|", maxSplits: 1).map(String.init)
        return (parts.first, parts.count == 2 ? parts[1] : nil)
    }

    /// Whether a version is one that the query asks for.
    static func fits(_ questionnaire: Questionnaire, _ call: Call<Identity>) -> Bool {
        let (url, version) = canonical(call.query("url"))
        if let id = call.query("_id"), id != FHIRQuestionnaire.id(questionnaire) { return false }
        if let url, url != FHIRQuestionnaire.url(questionnaire.code) { return false }
        if let version = version ?? call.query("version"), version != questionnaire.version { return false }
        guard let name = call.query("name") else { return true }
        return questionnaire.code.hasPrefix(name.lowercased())
    }
}
