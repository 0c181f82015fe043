/// How a questionnaire without an occasion is answered: event-contingent recording. Its sheets are called entries.
package struct AnyTimeRule: Sendable, Hashable {
    /// The link from an entry to an earlier entry (`refers_to`).
    package struct Reference: Sendable, Hashable {
        /// The questionnaire of the entry to which the link points.
        package var questionnaire: String
        /// Whether every entry must have the link.
        package var isRequired: Bool

        /// Creates a link; by default every entry must have it.
        package init(questionnaire: String, isRequired: Bool = true) {
            self.questionnaire = questionnaire
            self.isRequired = isRequired
        }
    }

    /// The code of the questionnaire.
    package var questionnaire: String
    /// The maximum number of entries per local date; nil for no maximum.
    package var maximumPerDay: Int?
    /// The schedule whose open occasion an entry without `occasion_id` fulfils (`settles`); nil for none.
    package var fulfilledSchedule: String?
    /// Whether only the newest entry is active (`active: one`). Otherwise no entry of the questionnaire is active.
    package var isActiveOne: Bool
    /// The questionnaire whose entries end an active entry; nil if only a newer entry ends it.
    package var endsWith: String?
    /// The link of an entry to another entry; nil if the study defines none.
    package var refersTo: Reference?
    /// Whether the questionnaire is a practice: a module that programmes of the content library can contain.
    package var isPractice: Bool
    /// The entitlement without which the questionnaire is locked; nil if everyone can answer it.
    package var entitlement: String?

    /// Creates a rule. By default it has no limit, no link, and fulfils no occasions.
    package init(
        questionnaire: String, maximumPerDay: Int? = nil, fulfilledSchedule: String? = nil,
        isActiveOne: Bool = false, endsWith: String? = nil, refersTo: Reference? = nil,
        isPractice: Bool = false, entitlement: String? = nil
    ) {
        self.questionnaire = questionnaire
        self.maximumPerDay = maximumPerDay
        self.fulfilledSchedule = fulfilledSchedule
        self.isActiveOne = isActiveOne
        self.endsWith = endsWith
        self.refersTo = refersTo
        self.isPractice = isPractice
        self.entitlement = entitlement
    }
}

extension AnyTimeRule: ExpressibleByStringLiteral {
    /// The short form: a questionnaire without further rules.
    package init(stringLiteral questionnaire: String) { self.init(questionnaire: questionnaire) }
}

extension Study {
    /// The rule of a questionnaire in `any_time`; nil if the study has none.
    package func anyTimeRule(of questionnaire: String) -> AnyTimeRule? {
        anyTime.first { $0.questionnaire == questionnaire }
    }

    /// The codes of the practices, in the order of `any_time`.
    package var practices: [String] {
        anyTime.filter(\.isPractice).map(\.questionnaire)
    }

    /// Whether the questionnaire is a practice.
    package func isPractice(_ questionnaire: String) -> Bool {
        anyTimeRule(of: questionnaire)?.isPractice ?? false
    }

    /// Whether a sheet of the questionnaire needs no occasion: an entry, or a setting.
    package func isAnsweredAnyTime(_ questionnaire: String) -> Bool {
        anyTime.contains { $0.questionnaire == questionnaire } || settings.contains(questionnaire)
    }
}
