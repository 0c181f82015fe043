/// When a decision rule is evaluated (`at`).
package enum DecisionPoint: Sendable, Hashable {
    /// Some time after something happened.
    case after(After)
    /// At local times of some days.
    case calendar(Calendar)
    /// Several moments of each day.
    case perDay(PerDay)
    /// At the hour of the day that a variable finds.
    case adaptive(Adaptive)
    /// At the beginning of each span, with one element of a list in turn.
    case cycle(Cycle)
    /// Right after a sheet of this questionnaire is stored.
    case entry(questionnaire: String)
    /// When a condition becomes true.
    case reached(Reached)
    /// When an edition with a new item of this collection is published.
    case published(collection: String)
    /// When the app requests prompts.
    case appOpen(Visit)

    /// The name in the pack.
    package var name: String {
        switch self {
        case .after: "after"
        case .calendar: "calendar"
        case .perDay: "per_day"
        case .adaptive: "adaptive"
        case .cycle: "cycle"
        case .entry: "entry"
        case .reached: "reached"
        case .published: "published"
        case .appOpen: "app_open"
        }
    }
}

extension DecisionPoint {
    /// The names of all points, in the order of the cases.
    package static let names = [
        "after", "calendar", "per_day", "adaptive", "cycle", "entry", "reached", "published", "app_open",
    ]

    /// A length of time: elapsed seconds, or calendar months on the participant's clock.
    package enum Span: Sendable, Hashable {
        case seconds(Int)
        /// The same local time on the same day of a later month, or on its last day if the month is shorter.
        case months(Int)
    }

    /// A value of the pack, or the value of a participant's setting (`{setting: item}`).
    package enum Input<Value: Sendable & Hashable>: Sendable, Hashable {
        case literal(Value)
        case setting(String)

        /// The value in the pack; nil for a setting.
        package var literal: Value? { if case .literal(let value) = self { value } else { nil } }
        /// The item of the setting; nil for a value.
        package var setting: String? { if case .setting(let item) = self { item } else { nil } }
    }

    /// From what `after` counts.
    package enum Start: Sendable, Hashable {
        case enrolment
        /// A named event of the study.
        case event(String)
        /// The first or last current sheet of a questionnaire.
        case firstCompletion(String), lastCompletion(String)
        /// A variable of the kind `at`.
        case variable(String)
        /// The last sheet or walk, or the enrolment. Breaks do not count.
        case inactive
    }

    /// `firstAfter` after the start, then every `repeatEvery`, at most `atMost` times.
    package struct After: Sendable, Hashable {
        /// From what the points count.
        package var start: Start
        /// From the start to the first point.
        package var firstAfter: Span
        /// Between two points; nil for one point.
        package var repeatEvery: Span?
        /// The maximum number of points; nil for no maximum.
        package var atMost: Int?

        /// Creates a point; by default it happens once per start.
        package init(start: Start, firstAfter: Span, repeatEvery: Span? = nil, atMost: Int? = nil) {
            self.start = start
            self.firstAfter = firstAfter
            self.repeatEvery = repeatEvery
            self.atMost = atMost
        }
    }

    /// The days of a calendar point.
    package enum Days: Sendable, Hashable {
        case every
        /// ISO weekdays, 1 is Monday.
        case weekdays([Input<Int>])
        /// Days of the month. A day that the month does not have is its last day.
        case ofMonth([Input<Int>])
    }

    /// Local times on some days.
    package struct Calendar: Sendable, Hashable {
        /// The local times.
        package var times: [Input<LocalTime>]
        /// The days.
        package var days: Days

        /// Creates a point; by default of every day.
        package init(times: [Input<LocalTime>], days: Days = .every) {
            self.times = times
            self.days = days
        }
    }

    /// `count` moments between two local times of each day.
    package struct PerDay: Sendable, Hashable {
        /// How the moments are spread.
        package enum Spread: String, Sendable, Hashable, CaseIterable {
            /// In the middle of equal parts.
            case even
            /// Drawn, as the random windows of a slot.
            case random
        }

        /// The number of moments.
        package var count: Input<Int>
        /// The beginning of the span.
        package var from: LocalTime
        /// The end of the span, on the same day.
        package var to: LocalTime
        /// The shortest time between two moments in seconds.
        package var minimumGap: Int
        /// How the moments are spread.
        package var spread: Spread

        /// Creates a point.
        package init(
            count: Input<Int>, from: LocalTime, to: LocalTime, minimumGap: Int = 0, spread: Spread = .even
        ) {
            self.count = count
            self.from = from
            self.to = to
            self.minimumGap = minimumGap
            self.spread = spread
        }

        /// The maximum number of moments of a day.
        static let maximumCount = 24
    }

    /// The hour of the day at which a variable is lowest or highest.
    package struct Adaptive: Sendable, Hashable {
        /// Which hour is sought.
        package enum Seek: String, Sendable, Hashable, CaseIterable {
            case low, high
        }

        /// The id of a variable with `by: hour`.
        package var by: String
        /// Which hour is sought.
        package var seek: Seek
        /// The first possible local time.
        package var from: LocalTime
        /// The last possible local time.
        package var to: LocalTime
        /// Seconds before the hour.
        package var ahead: Int
        /// The number of entries below which the moment is `otherwise`.
        package var leastEntries: Int
        /// The number of local dates with an entry below which the moment is `otherwise`.
        package var leastDays: Int
        /// The local time without enough entries.
        package var otherwise: LocalTime

        /// Creates a point.
        package init(
            by: String, seek: Seek, from: LocalTime, to: LocalTime, ahead: Int = 0, leastEntries: Int = 0,
            leastDays: Int = 0, otherwise: LocalTime
        ) {
            self.by = by
            self.seek = seek
            self.from = from
            self.to = to
            self.ahead = ahead
            self.leastEntries = leastEntries
            self.leastDays = leastDays
            self.otherwise = otherwise
        }
    }

    /// One element of a list in each span of some days.
    package struct Cycle: Sendable, Hashable {
        /// The elements, in their order.
        package var over: [String]
        /// The days of a span.
        package var days: Int
        /// The local time on the first day of each span.
        package var time: LocalTime
        /// The first day of the first span for all participants. Nil: the Monday of the week of the enrolment.
        package var since: LocalDate?

        /// Creates a point; by default it counts from the week of the enrolment.
        package init(over: [String], days: Int, time: LocalTime, since: LocalDate? = nil) {
            self.over = over
            self.days = days
            self.time = time
            self.since = since
        }
    }

    /// The change of a condition from false or blank to true.
    package struct Reached: Sendable, Hashable {
        /// An expression over variables; with `over`, `it` is the key.
        package var condition: String
        /// The keyed variable for whose keys the condition is checked; nil for one condition.
        package var over: String?
        /// From the change to the point; nil for at once.
        package var firstAfter: Span?

        /// Creates a point; by default of one condition, at once.
        package init(condition: String, over: String? = nil, firstAfter: Span? = nil) {
            self.condition = condition
            self.over = over
            self.firstAfter = firstAfter
        }
    }

    /// How often a rule with `app_open` is evaluated.
    package enum Visit: String, Sendable, Hashable, CaseIterable {
        /// Once in the 30 minutes from the first request.
        case visit
        /// Once per local date.
        case day

        /// Seconds of a visit.
        static let length = 1800
    }
}

extension DecisionPoint {
    /// The items of settings from which moments follow.
    var settings: [String] {
        switch self {
        case .calendar(let calendar):
            var found = calendar.times.compactMap(\.setting)
            switch calendar.days {
            case .every: break
            case .weekdays(let days), .ofMonth(let days): found += days.compactMap(\.setting)
            }
            return found
        case .perDay(let perDay): return perDay.count.setting.map { [$0] } ?? []
        default: return []
        }
    }

    /// The elements or the keyed variable that give `it` a meaning.
    var elements: (literal: [String]?, variable: String?) {
        switch self {
        case .cycle(let cycle): (cycle.over, nil)
        case .reached(let reached): (nil, reached.over)
        default: (nil, nil)
        }
    }
}
