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

    /// A published version, in English if it has English texts, otherwise in its first language.
    package static func json(_ questionnaire: Questionnaire) -> JSONObject {
        let language = questionnaire.text["en"] == nil ? questionnaire.languages.first ?? "en" : "en"
        var object = head(questionnaire, language)
        object["item"] = FHIRItemWriter(questionnaire: questionnaire, texts: questionnaire.text(in: language))
            .json(questionnaire.item)
        return object
    }

    /// A questionnaire with its texts in all languages and the parts that an import preserved. An imported
    /// questionnaire that was not changed equals its source.
    package static func json(_ questionnaire: Questionnaire, preserved: PreservedMembers) -> JSONObject {
        let mapping = FHIRSourceMapping(preserved)
        let head = JSON.object(translatedHead(questionnaire, mapping))
        var object = FHIRPatch.apply(mapping.root, to: head).object ?? JSONObject()
        object["item"] = itemWriter(questionnaire, mapping).json(questionnaire.item)
        return object
    }

    /// The writer of the items: in the first language, with the other languages as translations.
    static func itemWriter(_ questionnaire: Questionnaire, _ mapping: FHIRSourceMapping) -> FHIRItemWriter {
        let language = questionnaire.languages.first ?? "en"
        return FHIRItemWriter(
            questionnaire: questionnaire, texts: questionnaire.text(in: language), mapping: mapping,
            translations: questionnaire.languages.dropFirst().map { ($0, questionnaire.text(in: $0)) })
    }

    /// Everything except the items, with the title in all languages.
    static func translatedHead(
        _ questionnaire: Questionnaire, _ mapping: FHIRSourceMapping = FHIRSourceMapping()
    ) -> JSONObject {
        var object = head(questionnaire, questionnaire.languages.first ?? "en", mapping)
        object["_title"] = itemWriter(questionnaire, mapping).translated(object["title"]?.string) { $0.title }
        return object
    }

    /// Everything except the items.
    static func head(
        _ questionnaire: Questionnaire, _ language: String, _ mapping: FHIRSourceMapping = FHIRSourceMapping()
    ) -> JSONObject {
        let texts = questionnaire.text(in: language)
        var object: JSONObject = [
            "resourceType": "Questionnaire", "id": .string(id(questionnaire)), "language": .string(language),
            "url": .string(url(questionnaire.code)), "version": .string(questionnaire.version),
            "name": .string(questionnaire.code), "title": .string(texts.title), "status": "active",
            "subjectType": ["Patient"],
        ]
        if let description = texts.description { object["description"] = .string(description) }
        if let copyright = questionnaire.copyright { object["copyright"] = .string(copyright) }
        let extensions =
            questionnaire.constraint.map { json($0, texts) }
            + FHIRScores(questionnaire: questionnaire, mapping: mapping).variables
        if !extensions.isEmpty { object["extension"] = .array(extensions) }
        return object
    }

    /// A constraint as an extension of Saunter, because FHIR constraints use FHIRPath. Constraints that were imported
    /// in FHIRPath are preserved separately.
    private static func json(_ constraint: Constraint, _ texts: QuestionnaireText) -> JSON {
        var parts: [JSON] = [
            ["url": "key", "valueId": .string(constraint.key.replacing("_", with: "-"))],
            ["url": "severity", "valueCode": .string(constraint.severity.rawValue)],
            ["url": "expression", "valueString": .string(constraint.expression)],
        ]
        if let human = texts.constraints[constraint.key] {
            parts.append(["url": "human", "valueString": .string(human)])
        }
        if let item = constraint.item { parts.append(["url": "item", "valueString": .string(item)]) }
        return ["url": "urn:saunter:constraint", "extension": .array(parts)]
    }
}
