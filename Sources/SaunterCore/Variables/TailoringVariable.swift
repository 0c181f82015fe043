/// A named value that the server computes from one participant's own data (`variables.yaml`).
///
/// The term is that of the literature on just-in-time adaptive interventions. A variable with a value per key, such as
/// the mean mood per hour, is keyed.
package struct TailoringVariable: Sendable, Hashable {
    /// Who may read the value.
    package enum Visibility: Sendable, Hashable {
        /// Only other variables use it.
        case hidden
        /// Researchers and coordinators.
        case staff
        /// The participant and staff.
        case participants
    }

    /// The name, unique among the study's variables and covariates.
    package var id: String
    /// What is computed.
    package var kind: Kind
    /// The facts from which it is computed; nil for kinds that use other variables.
    package var source: Source?
    /// The facts that count; nil for the whole participation.
    package var window: Window?
    /// What the keys are; nil for a single value.
    package var by: Grouping?
    /// The expression that must be true (`where`): over the answers of a sheet, or over the keys of the kind `keys`.
    package var condition: String?
    /// The smallest n for a value; nil for 1. With keys it applies to each key.
    package var least: Int?
    /// Who sees the value.
    package var shown: Visibility
    /// Codes of the questionnaires whose receipts contain the value.
    package var after: [String]

    /// Creates a variable without checking it; the study check does that.
    package init(
        id: String, kind: Kind, source: Source? = nil, window: Window? = nil, by: Grouping? = nil,
        condition: String? = nil, least: Int? = nil, shown: Visibility = .hidden, after: [String] = []
    ) {
        self.id = id
        self.kind = kind
        self.source = source
        self.window = window
        self.by = by
        self.condition = condition
        self.least = least
        self.shown = shown
        self.after = after
    }

    /// The maximum number of variables of a study.
    package static let maximumNumber = 200
    /// The maximum number of dates of a window.
    package static let maximumWindowDays = 3660
    /// The permitted numbers of options of the kind `top`.
    package static let topRange = 1...20
    /// The maximum number of points of a series.
    package static let maximumPoints = 400

    /// Whether the texts of the variable distinguish a positive, a negative and a zero value.
    package var isComparison: Bool {
        switch kind {
        case .change, .slope: true
        default: false
        }
    }
}

extension TailoringVariable {
    /// What a variable computes.
    package enum Kind: Sendable, Hashable {
        /// The newest or oldest answer that is not blank.
        case latest, first
        /// The moment of the newest or oldest fact.
        case at(isOldest: Bool)
        /// The number of facts, or of chosen options.
        case count
        /// The number of different local dates.
        case days
        /// A statistic of numbers.
        case statistic(Statistic)
        /// The share of the entries that fulfil the condition.
        case share
        /// The most frequent options.
        case top(most: Int)
        /// One value per calendar unit.
        case series(each: CalendarUnit)
        /// The slope per day, by least squares.
        case slope
        /// The difference of another variable between its window and the previous window, or since the start of a
        /// window.
        case change(of: String, since: Window?)
        /// The number of consecutive local dates with a fact, up to today or yesterday.
        case streak
        /// The keys of another variable that fulfil the condition.
        case keys(of: String)
        /// Entries as keys, with one of their answers as value; only those that were active in the window.
        case list(activeIn: Window?)
        /// Computed from other variables.
        case expression(String)

        /// The name of the kind in the pack.
        package var name: String {
            switch self {
            case .latest: "latest"
            case .first: "first"
            case .at: "at"
            case .count: "count"
            case .days: "days"
            case .statistic(let statistic): statistic.rawValue
            case .share: "share"
            case .top: "top"
            case .series: "series"
            case .slope: "slope"
            case .change: "change"
            case .streak: "streak"
            case .keys: "keys"
            case .list: "list"
            case .expression: "expression"
            }
        }
    }

    /// A statistic of numbers.
    package enum Statistic: String, Sendable, Hashable, CaseIterable {
        case sum, mean, min, max
        /// The standard deviation of a sample, with n − 1.
        case sd
    }

    /// A unit of the calendar. A week begins on Monday.
    package enum CalendarUnit: String, Sendable, Hashable, CaseIterable {
        case day, week, month
    }

    /// What the keys of a variable are.
    package enum Grouping: Sendable, Hashable {
        /// The answers to an item of the same sheet, by linkId.
        case item(String)
        case questionnaire, hour, weekday, day
        /// The author of a sheet: `participant`, or the code of a partner.
        case source
        /// The entry to which a sheet refers.
        case refersTo
        /// The feature of a usage event.
        case feature

        /// The name in the pack.
        package var name: String {
            switch self {
            case .item(let linkId): linkId
            case .questionnaire: "questionnaire"
            case .hour: "hour"
            case .weekday: "weekday"
            case .day: "day"
            case .source: "source"
            case .refersTo: "refers_to"
            case .feature: "feature"
            }
        }

        /// The grouping of this name. Any other name is the linkId of an item.
        package init(_ name: String) {
            let named: [Grouping] = [.questionnaire, .hour, .weekday, .day, .source, .refersTo, .feature]
            self = named.first { $0.name == name } ?? .item(name)
        }
    }
}

extension TailoringVariable {
    /// The facts from which a variable is computed.
    package enum Source: Sendable, Hashable {
        case entry(Entries)
        /// Usage events of a kind. If `feature` is nil, those of every feature.
        /// - Parameter isSeconds: whether the value of an event is its duration (`field: seconds`).
        case usage(UsageEventKind, feature: String?, isSeconds: Bool)
        /// Messages by a rule. If `rule` is nil, those by every rule.
        case message(rule: String?, MessageState)
        /// Occasions of a schedule. If `schedule` is nil, those of every schedule.
        case occasion(schedule: String?, OccasionSelection)
        /// Walks, with a metric as their value. If the metric is nil, only the walks themselves count.
        case walk(WalkMetric?)
        /// Observations with a code; their value is the mean of the first component.
        case observation(system: String, code: String)
        case enrolment
        /// A named event of the study.
        case event(String)

        /// The name of the source in the pack.
        package var name: String {
            switch self {
            case .entry: "entry"
            case .usage: "usage"
            case .message: "message"
            case .occasion: "occasion"
            case .walk: "walk"
            case .observation: "observation"
            case .enrolment: "enrolment"
            case .event: "event"
            }
        }
    }

    /// Entries of one or several questionnaires, and the answer that counts.
    package struct Entries: Sendable, Hashable {
        /// The answer or score of an entry.
        package enum Value: Sendable, Hashable {
            case item(String)
            case items([String])
            case scale(String)
        }

        /// The codes of the questionnaires.
        package var questionnaires: [String]
        /// Nil if only the entries themselves count.
        package var value: Value?
        /// Whether only active entries count.
        package var isActive: Bool

        /// Creates a source; by default it counts sheets.
        package init(_ questionnaires: [String], _ value: Value? = nil, isActive: Bool = false) {
            self.questionnaires = questionnaires
            self.value = value
            self.isActive = isActive
        }
    }

    /// The state that a message must have. Its moment is that of the state.
    package enum MessageState: String, Sendable, Hashable, CaseIterable {
        case sent, delivered, opened
    }

    /// The occasions that count.
    package enum OccasionSelection: String, Sendable, Hashable, CaseIterable {
        /// They have opened, and they are answered or not excluded.
        case offered
        case answered
        /// They have closed without an answer.
        case missed
    }
}
