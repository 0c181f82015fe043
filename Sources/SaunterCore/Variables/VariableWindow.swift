extension TailoringVariable {
    /// The facts that count, by their local dates.
    package enum Window: Sendable, Hashable {
        case today
        /// From Monday until today.
        case thisWeek
        /// From the first day of the calendar month until today.
        case thisMonth
        /// The whole calendar month before this one.
        case lastMonth
        /// This number of dates. The last one is `ending` days before today; 0 is today.
        case last(days: Int, ending: Int)
        /// From a named event of the study until today.
        case since(event: String)
        /// From the completion of a questionnaire's active entry until today.
        case during(questionnaire: String)

        /// The windows that a single word names.
        package static let words: [String: Window] = [
            "today": .today, "this_week": .thisWeek, "this_month": .thisMonth, "last_month": .lastMonth,
        ]

        /// Whether a previous window exists, so that `change` can compare both.
        package var hasPrevious: Bool {
            switch self {
            case .today, .thisWeek, .thisMonth, .lastMonth, .last: true
            case .since, .during: false
            }
        }

        /// The local dates; nil for a window that begins with an event or an entry.
        package func dates(today: LocalDate) -> ClosedRange<LocalDate>? {
            switch self {
            case .today: return today...today
            case .thisWeek: return today.startOf(.week)...today
            case .thisMonth: return today.startOf(.month)...today
            case .lastMonth: return Self.month(before: today)
            case .last(let days, let ending):
                let last = today.adding(days: -max(ending, 0))
                return last.adding(days: 1 - max(days, 1))...last
            case .since, .during: return nil
            }
        }

        /// The local dates of the window before: as many dates, or the calendar unit.
        package func previousDates(today: LocalDate) -> ClosedRange<LocalDate>? {
            switch self {
            case .today: return today.adding(days: -1)...today.adding(days: -1)
            case .thisWeek:
                let monday = today.startOf(.week)
                return monday.adding(days: -7)...monday.adding(days: -1)
            case .thisMonth: return Self.month(before: today)
            case .lastMonth: return Self.month(before: Self.month(before: today).lowerBound)
            case .last(let days, let ending):
                return Window.last(days: days, ending: max(ending, 0) + max(days, 1)).dates(today: today)
            case .since, .during: return nil
            }
        }

        private static func month(before date: LocalDate) -> ClosedRange<LocalDate> {
            let last = date.startOf(.month).adding(days: -1)
            return last.startOf(.month)...last
        }
    }
}

extension LocalDate {
    /// The first date of the calendar unit that contains the date.
    package func startOf(_ unit: TailoringVariable.CalendarUnit) -> LocalDate {
        switch unit {
        case .day: self
        case .week: adding(days: 1 - weekday)
        case .month: adding(days: 1 - components.day)
        }
    }

    /// The first date of the next calendar unit.
    package func startOfNext(_ unit: TailoringVariable.CalendarUnit) -> LocalDate {
        switch unit {
        case .day: adding(days: 1)
        case .week: startOf(.week).adding(days: 7)
        case .month: startOf(.month).adding(days: 31).startOf(.month)
        }
    }
}
