import SaunterCore
import SaunterStore

/// The response bodies for the functions of an app: `features` of an enrolment and of the overview.
enum FeatureResponse {
    static let schema = Schema.named(
        "Feature",
        .object([
            .required("feature", .string(), "The code of the feature. Usage events name it."),
            .required("title", .string(), "The name of the feature in the participant's language."),
            .required("text", .string(), "The explanation of the feature in the participant's language."),
            .required(
                "page", .nullable(.string(values: StudyFeature.Page.allCases.map(\.rawValue))),
                "The kind of page that shows the feature; null if the study states none."),
            .required(
                "questionnaire", .nullable(.string()),
                "The questionnaire that the feature asks; null if it asks none."),
            .required(
                "settings", .nullable(.string()),
                "The questionnaire with the settings of the feature; null if it has none."),
            .required(
                "collection", .nullable(.string()),
                "The collection of the library that the feature shows; null if it shows none."),
            .required(
                "first_opened_at", .nullable(.instant),
                """
                When the participant first opened the feature, from the usage events `feature_opened`; null if they \
                have not opened it.
                """),
            .required("icon", .nullable(.string()), "Always null: features have no pictures."),
        ]))

    /// The features of a study in a language.
    /// - Parameter opened: feature -> when the participant first opened it.
    static func json(of study: Study, language: String, opened: [String: Instant] = [:]) -> JSON {
        let texts = study.text[language] ?? study.languages.first.flatMap { study.text[$0] }
        return .array(
            study.features.map { given in
                let feature = study.completed(given)
                let text = texts?.features[feature.code]
                return [
                    "feature": .string(feature.code), "title": .string(text?.title ?? feature.code),
                    "text": .string(text?.text ?? ""),
                    "page": .optional(feature.page) { .string($0.rawValue) },
                    "questionnaire": .optional(feature.questionnaire, JSON.string),
                    "settings": .optional(feature.settings, JSON.string),
                    "collection": .optional(feature.collection, JSON.string),
                    "first_opened_at": .instant(opened[feature.code]), "icon": .null,
                ]
            })
    }
}

extension ServerContext {
    /// The features of the study, each with the time at which the participant first opened it.
    func features(of study: Study, _ enrolment: Enrolment) async throws -> JSON {
        guard !study.features.isEmpty else { return .array([]) }
        let opened = try await store.listFirstOpenings(of: study.features.map(\.code), by: enrolment.id)
        return FeatureResponse.json(of: study, language: enrolment.language, opened: opened)
    }
}
