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
    /// Key of a constraint -> what is said where it does not hold.
    package var constraints: [String: String]
    /// linkId -> the words in place of its picture, sound or film.
    package var media: [String: String]

    package init(
        title: String, description: String? = nil, items: [String: String],
        options: [String: [String: String]],
        scales: [String: String] = [:], bands: [String: [String: String]] = [:],
        constraints: [String: String] = [:], media: [String: String] = [:]
    ) {
        self.title = title
        self.description = description
        self.items = items
        self.options = options
        self.scales = scales
        self.bands = bands
        self.constraints = constraints
        self.media = media
    }
}

/// A rule over several answers of a sheet.
package struct Constraint: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The sheet is refused.
        case error
        /// The sheet is kept, with a flag.
        case warning
    }

    /// Unique in its questionnaire; a name as a linkId is.
    package var key: String
    package var severity: Severity
    /// What must hold; see `Expression`. Blank counts as holding.
    package var expression: String
    /// The item at which it is shown; nil = the sheet as a whole. Of an item in a repeating group it is judged in every
    /// instance, by that instance and what stands before the group.
    package var item: String?

    package init(key: String, severity: Severity, expression: String, item: String? = nil) {
        self.key = key
        self.severity = severity
        self.expression = expression
        self.item = item
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
    package var constraint: [Constraint]
    package var scoring: ScoringKey?
    /// Expected minutes to answer, for the burden.
    package var minutes: Double
    package var copyright: String?
    package var license: String?

    package init(
        code: String, version: String, item: [Item], text: [String: QuestionnaireText], languages: [String],
        edit: EditPolicy = EditPolicy(), scoring: ScoringKey? = nil, minutes: Double = 1,
        copyright: String? = nil, license: String? = nil, constraint: [Constraint] = []
    ) {
        self.code = code
        self.version = version
        self.item = item
        self.text = text
        self.languages = languages
        self.edit = edit
        self.constraint = constraint
        self.scoring = scoring
        self.minutes = minutes
        self.copyright = copyright
        self.license = license
    }

    /// Items that take answers, in depth-first order: the order of stored answers and of columns. A repeating group is
    /// one of them, and its own questions are not.
    package var questions: [Item] {
        func collect(_ items: [Item]) -> [Item] {
            items.flatMap { ($0.takesAnswer ? [$0] : []) + ($0.isRepeatingGroup ? [] : collect($0.item)) }
        }
        return collect(item)
    }

    /// The questions of repeating groups, each with its group, in depth-first order.
    package var repeatedQuestions: [(group: Item, item: Item)] {
        func collect(_ items: [Item], _ group: Item?) -> [(group: Item, item: Item)] {
            items.flatMap { item in
                (group.map { item.type.isQuestion ? [($0, item)] : [] } ?? [])
                    + collect(item.item, group ?? (item.isRepeatingGroup ? item : nil))
            }
        }
        return collect(item, nil)
    }

    /// The words in the wanted language, else in the fallback language.
    package func text(in language: String) -> QuestionnaireText {
        text[language] ?? languages.first.flatMap { text[$0] }
            ?? QuestionnaireText(title: code, items: [:], options: [:])
    }
}
