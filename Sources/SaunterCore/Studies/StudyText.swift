/// A title with a text: a step of the study's course, the guidance for an arm, or a message.
package struct TitledText: Sendable, Hashable {
    /// One line of plain text.
    package var title: String
    /// Plain text; it may have several paragraphs.
    package var text: String

    /// Creates a text with its title.
    package init(title: String, text: String) {
        self.title = title
        self.text = text
    }
}

/// The texts of a study in one language.
package struct StudyText: Sendable, Hashable {
    /// The name of the study.
    package var title: String
    /// A few sentences for people who consider participating.
    package var summary: String
    /// Markdown.
    package var consent: String
    /// The steps of the study, in order.
    package var course: [TitledText]
    /// Arm code -> title and guidance. Not shown if the allocation is concealed.
    package var arms: [String: TitledText]
    /// Factor code -> question at enrolment and its answers.
    package var factors: [String: FactorText]
    /// Template of the daily mail. Placeholders: `{{name}}`, `{{study}}`, `{{count}}`, `{{titles}}`, `{{url}}`.
    package var reminderSubject: String
    /// Plain text with the same placeholders as the subject.
    package var reminderBody: String
    /// Template of messages about single occasions, with the additional placeholder `{{closes}}`. Empty = the texts of
    /// the daily mail.
    package var occasionSubject: String
    /// Plain text with the same placeholders as the subject.
    package var occasionBody: String
    /// Texts that a device shows for messages about occasions. Other people may see them. Empty = a text that does not
    /// mention the study.
    package var notificationSubject: String
    /// Plain text. Placeholders: `{{study}}`, `{{count}}`, `{{closes}}`.
    package var notificationBody: String
    /// Code of a notification rule -> title (subject) and text (body), with `{{name}}`, `{{study}}` and `{{url}}`.
    package var notificationTexts: [String: TitledText]
    /// Code of a decision rule -> texts of its message.
    package var rules: [String: RuleText]
    /// Code of an award -> title and text.
    package var awards: [String: TitledText]
    /// Code of a feature -> title and explanation.
    package var features: [String: TitledText]
    /// Code of a data kind -> title and the question that asks for consent.
    package var dataKinds: [String: TitledText]
    /// Id of a variable -> texts.
    package var variables: [String: VariableText]
    /// The name below the icon of the installed app; nil = the beginning of the title.
    package var shortName: String?
    /// What participants read after joining, step by step; may be empty.
    package var welcome: [TitledText]
    /// Code of an entitlement -> its name.
    package var entitlements: [String: String]
    /// Code of a plan -> texts.
    package var plans: [String: PlanText]

    /// Creates the texts. Optional ones are empty by default.
    package init(
        title: String, summary: String, consent: String, course: [TitledText],
        arms: [String: TitledText] = [:], factors: [String: FactorText] = [:],
        reminderSubject: String, reminderBody: String, occasionSubject: String = "",
        occasionBody: String = "", notificationSubject: String = "", notificationBody: String = "",
        notificationTexts: [String: TitledText] = [:], rules: [String: RuleText] = [:],
        awards: [String: TitledText] = [:], features: [String: TitledText] = [:],
        dataKinds: [String: TitledText] = [:], variables: [String: VariableText] = [:],
        shortName: String? = nil, welcome: [TitledText] = [], entitlements: [String: String] = [:],
        plans: [String: PlanText] = [:]
    ) {
        self.title = title
        self.summary = summary
        self.consent = consent
        self.course = course
        self.arms = arms
        self.factors = factors
        self.reminderSubject = reminderSubject
        self.reminderBody = reminderBody
        self.occasionSubject = occasionSubject
        self.occasionBody = occasionBody
        self.notificationSubject = notificationSubject
        self.notificationBody = notificationBody
        self.notificationTexts = notificationTexts
        self.rules = rules
        self.awards = awards
        self.features = features
        self.dataKinds = dataKinds
        self.variables = variables
        self.shortName = shortName
        self.welcome = welcome
        self.entitlements = entitlements
        self.plans = plans
    }
}

/// The question about one factor at enrolment, in one language.
package struct FactorText: Sendable, Hashable {
    /// The question.
    package var title: String
    /// Level -> label.
    package var levels: [String: String]

    /// Creates the question with the labels of its answers.
    package init(title: String, levels: [String: String]) {
        self.title = title
        self.levels = levels
    }
}

/// The texts about one variable, in one language.
package struct VariableText: Sendable, Hashable {
    /// The name of the variable.
    package var title: String
    /// The sentence about the value, with `{{value}}`, `{{n}}` and `{{best}}`. Nil for `change` and `slope`.
    package var text: String?
    /// The sentence for a positive value of the kinds `change` and `slope`.
    package var above: String?
    /// The sentence for a negative value of these kinds.
    package var below: String?
    /// The sentence for the value 0 of these kinds.
    package var equal: String?

    /// Creates the texts; only the title is necessary.
    package init(
        title: String, text: String? = nil, above: String? = nil, below: String? = nil, equal: String? = nil
    ) {
        self.title = title
        self.text = text
        self.above = above
        self.below = below
        self.equal = equal
    }
}
