/// A function of the app that the study offers, such as a check-in or a journal. Usage events name it.
package struct StudyFeature: Sendable, Hashable {
    /// The kind of page that shows a feature.
    package enum Page: String, Sendable, Hashable, CaseIterable {
        case entry, journal, goal, ranking, contacts, cards, player, pacer, entries, insights, programmes,
            report, groups, walk
    }

    /// The code of the feature, unique in the study.
    package var code: String
    /// The kind of page; nil if the pack does not state it.
    package var page: Page?
    /// The questionnaire that the feature asks; nil for none.
    package var questionnaire: String?
    /// The settings questionnaire that belongs to the feature; nil for none.
    package var settings: String?
    /// The collection of the content library that the feature shows; nil for none.
    package var collection: String?

    /// Creates a feature; by default only with a code.
    package init(
        code: String, page: Page? = nil, questionnaire: String? = nil, settings: String? = nil,
        collection: String? = nil
    ) {
        self.code = code
        self.page = page
        self.questionnaire = questionnaire
        self.settings = settings
        self.collection = collection
    }
}

extension Study {
    /// The feature with everything that follows from its code: a feature with the code of a questionnaire asks this
    /// questionnaire, and a feature with the code of a setting has these settings. Its page is `entry` if it asks a
    /// questionnaire and the pack states no page.
    package func completed(_ feature: StudyFeature) -> StudyFeature {
        var feature = feature
        if settings.contains(feature.code) {
            feature.settings = feature.settings ?? feature.code
        } else if questionnaire(feature.code) != nil {
            feature.questionnaire = feature.questionnaire ?? feature.code
        }
        if feature.page == nil, feature.questionnaire != nil { feature.page = .entry }
        return feature
    }
}
