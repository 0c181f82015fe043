/// The texts of one questionnaire in one language.
package struct QuestionnaireText: Sendable, Hashable {
    /// The title of the questionnaire.
    package var title: String
    /// The introduction that the participant sees.
    package var description: String?
    /// linkId -> the text of the question, group or display.
    package var items: [String: String]
    /// linkId -> option value as text -> label. The pack loader copies the options of a shared set to every item.
    package var options: [String: [String: String]]
    /// scale id -> label.
    package var scales: [String: String]
    /// scale id -> band id -> label.
    package var bands: [String: [String: String]]
    /// The key of a constraint -> the message when it is violated.
    package var constraints: [String: String]
    /// linkId -> the alternative text of its image, sound or film.
    package var media: [String: String]
    /// linkId -> a text that helps to answer the question.
    package var help: [String: String]
    /// linkId -> option value as text -> the alternative text of the option's image, sound or film.
    package var optionMedia: [String: [String: String]]
    /// linkId -> the text that an empty input field shows.
    package var placeholders: [String: String]
    /// linkId of a slider or visual analogue scale -> `minimum`, `maximum` and optionally `middle` -> the end label.
    package var anchors: [String: [String: String]]

    /// Creates the texts of one language; optional ones are empty by default.
    package init(
        title: String, description: String? = nil, items: [String: String],
        options: [String: [String: String]],
        scales: [String: String] = [:], bands: [String: [String: String]] = [:],
        constraints: [String: String] = [:], media: [String: String] = [:],
        help: [String: String] = [:], anchors: [String: [String: String]] = [:],
        optionMedia: [String: [String: String]] = [:], placeholders: [String: String] = [:]
    ) {
        self.title = title
        self.description = description
        self.items = items
        self.options = options
        self.scales = scales
        self.bands = bands
        self.constraints = constraints
        self.media = media
        self.help = help
        self.anchors = anchors
        self.optionMedia = optionMedia
        self.placeholders = placeholders
    }

    /// The text of an item, and its end labels: `Mood? (minimum: bad; maximum: good)`.
    package func question(_ linkId: String) -> String? {
        guard let text = items[linkId], let labels = anchors[linkId] else { return items[linkId] }
        let ends = Self.anchorNames.compactMap { name in labels[name].map { "\(name): \($0)" } }
        return "\(text) (\(ends.joined(separator: "; ")))"
    }

    /// The names of the end labels in their order on the line.
    package static let anchorNames = ["minimum", "middle", "maximum"]
}

/// A rule that several answers of a sheet must satisfy together.
package struct Constraint: Sendable, Hashable {
    /// What happens if the constraint is violated.
    package enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The server rejects the sheet.
        case error
        /// The server stores the sheet with a flag.
        case warning
    }

    /// The name of the constraint, unique in its questionnaire. It follows the rules of linkIds.
    package var key: String
    /// What happens if the constraint is violated.
    package var severity: Severity
    /// The expression that must be true, see `Expression`. A blank counts as true.
    package var expression: String
    /// The item that shows the message; nil for the complete sheet. A constraint on an item in a repeating group is
    /// evaluated for every instance. It can use the answers in that instance and before the group.
    package var item: String?

    /// Creates a constraint; by default on the complete sheet.
    package init(key: String, severity: Severity, expression: String, item: String? = nil) {
        self.key = key
        self.severity = severity
        self.expression = expression
        self.item = item
    }
}

/// How long a participant can edit a submitted sheet.
package enum EditLimit: Sendable, Hashable {
    /// The participant cannot edit it.
    case never
    /// The edit is possible until this many seconds after the server received the sheet.
    case within(seconds: Int)
    /// The edit is always possible.
    case always
}

/// How participants can edit their submitted sheets.
package struct EditPolicy: Sendable, Hashable {
    /// What a deletion removes.
    package enum Deletion: String, Sendable, Hashable, CaseIterable {
        /// The answers stay stored, and the sheet is marked as deleted.
        case keep
        /// Answers, texts and scores of all revisions are removed. The row of the sheet stays.
        case purge
    }

    /// How long the participant can correct answers.
    package var correctWithin: EditLimit
    /// How long the participant can delete the sheet.
    package var deleteWithin: EditLimit
    /// What a deletion removes.
    package var deletion: Deletion

    /// Creates a policy; by default sheets are final.
    package init(
        correctWithin: EditLimit = .never, deleteWithin: EditLimit = .never, deletion: Deletion = .keep
    ) {
        self.correctWithin = correctWithin
        self.deleteWithin = deleteWithin
        self.deletion = deletion
    }
}

/// One immutable version of an instrument.
package struct Questionnaire: Sendable, Hashable {
    /// The name of the questionnaire: `[a-z][a-z0-9_]*`, at most 24 characters.
    package var code: String
    /// The version: `major.minor.patch`.
    package var version: String
    /// The tree of items, in order.
    package var item: [Item]
    /// Language (BCP 47, such as `de`) -> texts. Never empty.
    package var text: [String: QuestionnaireText]
    /// All languages. The first one is the fallback.
    package var languages: [String]
    /// How participants can edit their sheets.
    package var edit: EditPolicy
    /// The rules over several answers.
    package var constraint: [Constraint]
    /// The scoring key; nil without scores.
    package var scoring: ScoringKey?
    /// The expected time to answer in minutes. It is part of the burden that a study places on participants.
    package var minutes: Double
    /// The copyright notice of the instrument.
    package var copyright: String?
    /// The licence of the instrument.
    package var license: String?

    /// Creates a questionnaire without checking it.
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

    /// The maximum number of items: groups, displays and questions.
    package static let maximumItems = 1000

    /// The items with an answer, in depth-first order. Stored answers and columns have the same order. A repeating
    /// group is one of them, but its own questions are not.
    package var questions: [Item] {
        func collect(_ items: [Item]) -> [Item] {
            items.flatMap { ($0.acceptsAnswer ? [$0] : []) + ($0.isRepeatingGroup ? [] : collect($0.item)) }
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

    /// The texts in a language, or in the fallback language if that language is missing.
    package func text(in language: String) -> QuestionnaireText {
        text[language] ?? languages.first.flatMap { text[$0] }
            ?? QuestionnaireText(title: code, items: [:], options: [:])
    }
}
