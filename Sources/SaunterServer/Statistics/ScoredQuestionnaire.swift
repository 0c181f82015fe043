import HTTPTypes
import SaunterCore
import SaunterStore

/// A questionnaire of a study with scales, for its team.
struct ScoredQuestionnaire: Sendable {
    let code: String
    /// First the version that the live version of the study has, if it has one. Never empty.
    let versions: [Questionnaire]
    /// The language of texts.
    let language: String

    /// The questionnaires that have scales.
    /// - Parameter all: every version of every questionnaire of a study, as `StudyCatalogue.findQuestionnaires` sorts
    ///   them.
    static func all(_ all: [Questionnaire], language: String) -> [ScoredQuestionnaire] {
        var codes: [String] = []
        for questionnaire in all where !codes.contains(questionnaire.code) {
            codes.append(questionnaire.code)
        }
        return codes.map { code in
            ScoredQuestionnaire(
                code: code, versions: all.filter { $0.code == code }, language: language)
        }.filter { !$0.scales.isEmpty }
    }

    var title: String { versions[0].text(in: language).title }

    /// The ids of the scales of all versions that are not helpers.
    var scales: [String] {
        var scales: [String] = []
        for scale in versions.flatMap({ $0.scoring?.scales ?? [] })
        where !scale.isHelper && !scales.contains(scale.id) { scales.append(scale.id) }
        return scales
    }

    /// The name of a scale.
    func label(_ scale: String) -> String {
        versions.lazy.compactMap { $0.text(in: language).scales[scale] }.first ?? scale
    }

    /// The report of one version as it was stored, with texts in the language of this value.
    /// - Parameter showsArms: whether the scores by arm are included.
    func json(_ report: JSON, showsArms: Bool) -> JSON {
        let version = versions.first { $0.version == report["version"]?.string } ?? versions[0]
        let text = version.text(in: language)
        var object = report.object ?? [:]
        object["title"] = .string(text.title)
        object["scales"] = .array(
            (report["scales"]?.array ?? []).map { scale in
                var object = scale.object ?? [:]
                let id = scale["scale"]?.string ?? ""
                object["title"] = .string(text.scales[id] ?? id)
                object["items"] = .array((scale["items"]?.array ?? []).map { Self.json($0, version, text) })
                if !showsArms { object["arms"] = [] }
                return .object(object)
            })
        return .object(object)
    }

    private static func json(_ item: JSON, _ version: Questionnaire, _ text: QuestionnaireText) -> JSON {
        var object = item.object ?? [:]
        let id = item["item"]?.string ?? ""
        let options = version.questions.first { $0.linkId == id }?.numberedOptions(text) ?? []
        object["answers"] = .array(
            (item["answers"]?.array ?? []).map { answer in
                var object = answer.object ?? [:]
                let option = options.first { $0.number == answer["value"]?.double }
                if let option { object["label"] = .string(option.label) }
                return .object(object)
            })
        object["title"] = .string(text.items[id] ?? text.scales[id] ?? id)
        return .object(object)
    }
}

extension ServerContext {
    /// The questionnaires with scales of the study in the path, with texts in the caller's language.
    /// - Throws: `not-found` if there is no such study.
    func scoredQuestionnaires(_ call: Call<Identity>) async throws -> [ScoredQuestionnaire] {
        let study = try call.text("study")
        guard let live = try await catalogue.findLive(study),
            let all = try await catalogue.findQuestionnaires(of: study)
        else { throw Problem(.notFound) }
        let languages = live.published.study.languages
        return ScoredQuestionnaire.all(
            all, language: language(call.headers[.acceptLanguage], of: languages, fallback: languages[0]))
    }
}
