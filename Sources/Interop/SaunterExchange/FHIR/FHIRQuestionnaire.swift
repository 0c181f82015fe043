import SaunterCore
import SaunterPacks

/// Writes a published version of an instrument as a FHIR Questionnaire.
package enum FHIRQuestionnaire {
    /// The id of the resource: code, hyphen, version. FHIR ids cannot contain underscores, so they become hyphens,
    /// which codes cannot contain.
    package static func id(_ questionnaire: Questionnaire) -> String {
        "\(questionnaire.code.replacing("_", with: "-"))-\(questionnaire.version)"
    }

    /// The canonical URL without a version. QuestionnaireResponses refer to it, too.
    package static func url(_ code: String) -> String { "urn:saunter:questionnaire:\(code)" }

    /// A published version with its own id, URL and version. Items and options have the names of the source if the
    /// questionnaire was imported. The texts are in English if there are English texts, unless the questionnaire was
    /// imported; otherwise in the first language. Other languages are translations.
    package static func json(_ questionnaire: Questionnaire, mapping: FHIRSourceMapping) -> JSONObject {
        let isEnglish = !mapping.isImported && questionnaire.text["en"] != nil
        let writer = itemWriter(questionnaire, mapping, language: isEnglish ? "en" : nil)
        var object = head(writer)
        object["item"] = writer.json(questionnaire.item)
        return object
    }

    /// A questionnaire with its texts in all languages and the parts that an import preserved. An imported
    /// questionnaire that was not changed equals its source.
    package static func json(_ questionnaire: Questionnaire, preserved: PreservedMembers) -> JSONObject {
        let mapping = FHIRSourceMapping(preserved)
        let writer = itemWriter(questionnaire, mapping)
        var object = FHIRPatch.apply(mapping.root, to: .object(head(writer))).object ?? JSONObject()
        object["item"] = writer.json(questionnaire.item)
        return object
    }

    /// The writer of the items: in one language, with the other languages as translations.
    /// - Parameter language: nil for the first language.
    static func itemWriter(
        _ questionnaire: Questionnaire, _ mapping: FHIRSourceMapping = FHIRSourceMapping(),
        language: String? = nil
    ) -> FHIRItemWriter {
        let language = language ?? questionnaire.languages.first ?? "en"
        return FHIRItemWriter(
            questionnaire: questionnaire, language: language, texts: questionnaire.text(in: language),
            mapping: mapping,
            translations: questionnaire.languages.filter { $0 != language }.map {
                ($0, questionnaire.text(in: $0))
            })
    }

    /// Everything except the items.
    static func head(_ writer: FHIRItemWriter) -> JSONObject {
        let (questionnaire, texts) = (writer.questionnaire, writer.texts)
        var object: JSONObject = [
            "resourceType": "Questionnaire", "id": .string(id(questionnaire)),
            "language": .string(writer.language),
            "url": .string(url(questionnaire.code)), "version": .string(questionnaire.version),
            "name": .string(questionnaire.code), "title": .string(texts.title), "status": "active",
            "subjectType": ["Patient"],
        ]
        object["_title"] = writer.translated(texts.title) { $0.title }
        if let description = texts.description { object["description"] = .string(description) }
        object["_description"] = writer.translated(texts.description) { $0.description }
        if let copyright = questionnaire.copyright { object["copyright"] = .string(copyright) }
        let extensions = questionnaire.constraint.map { json($0, writer) } + FHIRScores(writer).variables
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        return object
    }

    /// A constraint as an extension of Saunter, because FHIR constraints use FHIRPath. Constraints that were imported
    /// in FHIRPath are preserved separately.
    private static func json(_ constraint: Constraint, _ writer: FHIRItemWriter) -> JSON {
        var parts: [JSON] = [
            ["url": "key", "valueId": .string(constraint.key.replacing("_", with: "-"))],
            ["url": "severity", "valueCode": .string(constraint.severity.rawValue)],
            ["url": "expression", "valueString": .string(constraint.expression)],
        ]
        if let human = writer.texts.constraints[constraint.key] {
            var part: JSONObject = ["url": "human", "valueString": .string(human)]
            part["_valueString"] = writer.translated(human) { $0.constraints[constraint.key] }
            parts.append(.object(part))
        }
        if let item = constraint.item { parts.append(["url": "item", "valueString": .string(item)]) }
        return ["url": "urn:saunter:constraint", "extension": .array(parts)]
    }
}
