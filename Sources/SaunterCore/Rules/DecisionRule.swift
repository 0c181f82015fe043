/// A decision rule of a study (`rules.yaml`): at a decision point, if a condition over tailoring variables holds, the
/// server acts.
///
/// The terms are those of the literature on just-in-time adaptive interventions.
package struct DecisionRule: Sendable, Hashable {
    /// For whom the rule acts.
    package enum Recipient: String, Sendable, Hashable, CaseIterable {
        case participant
        /// The administrators of each group. Such a rule is evaluated once per group in the study's zone.
        case groupAdmins = "group_admins"
    }

    /// At most `messages` messages in `per` seconds from all rules with the tag `among`.
    package struct Limit: Sendable, Hashable {
        /// At least 1.
        package var messages: Int
        /// Elapsed seconds.
        package var per: Int
        /// A tag of the study's rules.
        package var among: String

        /// Creates a limit.
        package init(messages: Int, per: Int, among: String) {
            self.messages = messages
            self.per = per
            self.among = among
        }
    }

    /// Unique among the rules and notices of the study.
    package var code: String
    /// When the rule is evaluated.
    package var point: DecisionPoint
    /// For whom the rule acts.
    package var recipient: Recipient
    /// The condition over tailoring variables (`when`); nil means true. A blank counts as false.
    package var condition: String?
    /// The boolean setting of the participant that permits the action; nil for none.
    package var allowed: String?
    /// The shortest time in seconds since the last action of this rule; nil for none.
    package var cooldown: Int?
    /// Names of groups of rules, for `limit`.
    package var tags: [String]
    /// The limit over several rules; nil for none.
    package var limit: Limit?
    /// Seconds after its moment in which a message may be sent. Nil: until the next point, at most 7 days.
    package var validFor: Int?
    /// Restricts the participant's channels; nil for no restriction.
    package var channels: [ReminderChannel]?
    /// Whether decisions that did nothing are stored too.
    package var logsAll: Bool
    /// The probability with which the action is done at an available point. Nil: always.
    package var probability: Double?
    /// What the rule does.
    package var action: Action

    /// Creates a rule without checking it; the study check does that. By default nothing restricts it.
    package init(
        code: String, point: DecisionPoint, recipient: Recipient = .participant, condition: String? = nil,
        allowed: String? = nil, cooldown: Int? = nil, tags: [String] = [], limit: Limit? = nil,
        validFor: Int? = nil, channels: [ReminderChannel]? = nil, logsAll: Bool = false,
        probability: Double? = nil, action: Action
    ) {
        self.code = code
        self.point = point
        self.recipient = recipient
        self.condition = condition
        self.allowed = allowed
        self.cooldown = cooldown
        self.tags = tags
        self.limit = limit
        self.validFor = validFor
        self.channels = channels
        self.logsAll = logsAll
        self.probability = probability
        self.action = action
    }

    /// The maximum number of rules of a study.
    package static let maximumNumber = 200
    /// The longest default time in which a message may be sent: 7 days.
    static let defaultValidity = 7 * 86_400
}

extension DecisionRule {
    /// What a rule does.
    package enum Action: Sendable, Hashable {
        case message(Message)
        case award(Award)
        /// Records a named event of the study.
        case event(String)
        /// Alerts the staff of the study. The value is a code that names the reason.
        case alert(about: String)
        /// Issues a participant report. Not available yet; the check reports it.
        case report(String)

        /// The name in the pack.
        package var name: String {
            switch self {
            case .message: "message"
            case .award: "award"
            case .event: "event"
            case .alert: "alert"
            case .report: "report"
            }
        }
    }

    /// A message to the recipient. Its subject and body are texts of the study.
    package struct Message: Sendable, Hashable {
        /// An https address or a path in the app, with placeholders; nil for the first page.
        package var target: String?
        /// The content that the message shows; nil for none.
        package var content: Content?
        /// The keyed variable whose keys repeat the text `line`; nil for none.
        package var lineFor: String?

        /// Creates a message; by default only with its text.
        package init(target: String? = nil, content: Content? = nil, lineFor: String? = nil) {
            self.target = target
            self.content = content
            self.lineFor = lineFor
        }
    }

    /// The selection of an item of a collection.
    package struct Content: Sendable, Hashable {
        /// How the item is selected.
        package enum Selection: String, Sendable, Hashable, CaseIterable {
            case daily, draw
            /// The new item of the edition, for rules with the point `published`.
            case published
        }

        /// The code of the collection.
        package var collection: String
        /// How the item is selected.
        package var selection: Selection
        /// The expression that restricts the items (`where`); nil for all.
        package var condition: String?

        /// Creates a selection; by default among all items.
        package init(collection: String, selection: Selection, condition: String? = nil) {
            self.collection = collection
            self.selection = selection
            self.condition = condition
        }
    }

    /// An award, granted once per enrolment unless it is repeatable.
    package struct Award: Sendable, Hashable {
        /// The code of the award.
        package var code: String
        /// Whether it can be granted several times.
        package var isRepeatable: Bool
        /// Whether it is withdrawn when its condition no longer holds after a deletion.
        package var isRevocable: Bool

        /// Creates an award; by default it is granted once and stays.
        package init(code: String, isRepeatable: Bool = false, isRevocable: Bool = false) {
            self.code = code
            self.isRepeatable = isRepeatable
            self.isRevocable = isRevocable
        }
    }

    /// The message of the rule; nil for other actions.
    package var message: Message? { if case .message(let message) = action { message } else { nil } }
}

/// The texts of a decision rule in one language.
package struct RuleText: Sendable, Hashable {
    /// One line.
    package var subject: String
    /// Plain text.
    package var body: String
    /// The sentence for each key of the list `line_for`; nil for none.
    package var line: String?

    /// Creates the texts of a rule.
    package init(subject: String, body: String, line: String? = nil) {
        self.subject = subject
        self.body = body
        self.line = line
    }
}

extension Study {
    /// Whether the study has a collection of this code.
    /// - Parameter codes: the codes of the collections of its content library; nil if the library is not known. Then
    ///   every code counts as known.
    package func hasCollection(_ code: String, among codes: Set<String>?) -> Bool {
        // With the content library in `Study`, its codes replace the parameter.
        codes?.contains(code) ?? true
    }

    /// The decision rule with this code; nil if the study has none.
    package func rule(_ code: String) -> DecisionRule? { rules.first { $0.code == code } }
}

extension Study {
    /// The address to which a message leads.
    /// - Parameters:
    ///   - target: an https address, `home`, the code of a feature, of a questionnaire or of a path in the app; nil for
    ///     the first page.
    ///   - home: the address of the participant's first page.
    package func address(of target: String?, home: String) -> String {
        guard let target, !target.isEmpty, target != "home" else { return home }
        if target.hasPrefix("https://") { return target }
        if features.contains(where: { $0.code == target }) { return "\(home)/f/\(target)" }
        if questionnaire(target) != nil { return "\(home)/q/\(target)" }
        return "\(home)/\(target)"
    }
}
