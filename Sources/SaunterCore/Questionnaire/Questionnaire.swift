/// The words of one questionnaire in one language.
package struct QuestionnaireText: Sendable, Hashable {
    package var title: String
    package var description: String?
    /// linkId -> the question's (or group's, or display's) words.
    package var items: [String: String]
    /// linkId -> option value as text -> label. Options of a shared set are copied to every item when a pack
    /// is read.
    package var options: [String: [String: String]]
    /// scale id -> label, scale id -> band id -> label.
    package var scales: [String: String]
    package var bands: [String: [String: String]]

    package init(
        title: String, description: String? = nil, items: [String: String],
        options: [String: [String: String]],
        scales: [String: String] = [:], bands: [String: [String: String]] = [:]
    ) {
        self.title = title
        self.description = description
        self.items = items
        self.options = options
        self.scales = scales
        self.bands = bands
    }
}

/// What participants may do to a sheet that they have handed in.
package struct EditPolicy: Sendable, Hashable {
    /// Seconds after receipt during which answers can be corrected; nil = never.
    package var correctWithin: Int?
    /// Seconds after receipt during which the sheet can be deleted; nil = never.
    package var deleteWithin: Int?

    package init(correctWithin: Int? = nil, deleteWithin: Int? = nil) {
        self.correctWithin = correctWithin
        self.deleteWithin = deleteWithin
    }
}

/// One immutable version of an instrument.
package struct Questionnaire: Sendable, Hashable {
    /// `[a-z][a-z0-9_]*`, at most 24 characters.
    package var code: String
    /// `major.minor.patch`.
    package var version: String
    /// The tree of items, in order.
    package var item: [Item]
    /// Language (BCP 47, such as `de`) -> words. Never empty; the first of `languages` is the fallback.
    package var text: [String: QuestionnaireText]
    package var languages: [String]
    package var edit: EditPolicy
    package var scoring: ScoringKey?
    /// Expected minutes to answer, for the burden.
    package var minutes: Double
    package var copyright: String?
    package var license: String?

    package init(
        code: String, version: String, item: [Item], text: [String: QuestionnaireText], languages: [String],
        edit: EditPolicy = EditPolicy(), scoring: ScoringKey? = nil, minutes: Double = 1,
        copyright: String? = nil, license: String? = nil
    ) {
        self.code = code
        self.version = version
        self.item = item
        self.text = text
        self.languages = languages
        self.edit = edit
        self.scoring = scoring
        self.minutes = minutes
        self.copyright = copyright
        self.license = license
    }

    /// Items that take answers, in depth-first order: the order of stored answers and of columns.
    package var questions: [Item] {
        func collect(_ items: [Item]) -> [Item] {
            items.flatMap { ($0.type.isQuestion ? [$0] : []) + collect($0.item) }
        }
        return collect(item)
    }

    /// The words in the wanted language, else in the fallback language.
    package func text(in language: String) -> QuestionnaireText {
        text[language] ?? languages.first.flatMap { text[$0] }
            ?? QuestionnaireText(title: code, items: [:], options: [:])
    }
}
