/// Checks the decision points of rules, and whether a rule can act.
extension StudyCheck {
    mutating func checkPoint(
        of rule: DecisionRule, _ signatures: VariableSignatures, _ collections: Set<String>?,
        _ pointer: String
    ) {
        let isMessage = rule.message != nil && rule.recipient == .participant
        switch rule.point {
        case .after(let after): check(after, "\(pointer.dropLast("/after".count))")
        case .calendar(let calendar): check(calendar, isMessage: isMessage, pointer)
        case .perDay(let perDay): check(perDay, isMessage: isMessage, pointer)
        case .adaptive(let adaptive): check(adaptive, isMessage: isMessage, signatures, pointer)
        case .cycle(let cycle): check(cycle, isMessage: isMessage, pointer)
        case .entry(let code): checkRuleQuestionnaire(code, pointer)
        case .reached(let reached):
            if let span = reached.firstAfter {
                check(span, least: 60, "\(pointer.dropLast("/reached".count))/first_after")
            }
        case .published(let collection):
            if collection != "programmes" { checkCollection(collection, collections, pointer) }
        case .appOpen: break
        }
    }

    private mutating func checkRuleQuestionnaire(_ code: String, _ pointer: String) {
        guard study.questionnaire(code) == nil else { return }
        faults.add(
            pointer, "unknown_questionnaire", "The study has no questionnaire \(code.prefix(60)).",
            naming: code)
    }

    private mutating func check(_ span: DecisionPoint.Span, least: Int, _ pointer: String) {
        switch span {
        case .seconds(let seconds):
            if !(least...Self.maximumDays * 86_400).contains(seconds) {
                faults.add(
                    pointer, "out_of_range", "The time must be 1 minute to \(Self.maximumDays) days.")
            }
        case .months(let months):
            if !(1...120).contains(months) {
                faults.add(pointer, "out_of_range", "The time must be 1 to 120 months.")
            }
        }
    }

    private mutating func check(_ after: DecisionPoint.After, _ pointer: String) {
        switch after.start {
        case .enrolment, .inactive: break
        case .event(let code): checkEvent(code, "\(pointer)/after/event")
        case .firstCompletion(let code): checkRuleQuestionnaire(code, "\(pointer)/after/first_completion")
        case .lastCompletion(let code): checkRuleQuestionnaire(code, "\(pointer)/after/last_completion")
        case .variable(let id):
            guard let variable = study.variables.first(where: { $0.id == id }) else {
                faults.add(
                    "\(pointer)/after/variable", "unknown_variable", "There is no variable \(id.prefix(60)).",
                    naming: id)
                break
            }
            guard case .at = variable.kind, variable.by == nil else {
                faults.add(
                    "\(pointer)/after/variable", "not_a_moment",
                    "The variable \(id) is not of the kind `at`, without `by`.", naming: id)
                break
            }
        }
        check(after.firstAfter, least: 60, "\(pointer)/first_after")
        if let every = after.repeatEvery {
            check(every, least: 60, "\(pointer)/repeat_every")
            if case .seconds(let seconds) = every, seconds < 86_400, after.atMost == nil {
                faults.add(
                    "\(pointer)/repeat_every", "no_maximum",
                    "A rule that repeats more often than once a day needs `at_most`.")
            }
        } else if after.atMost != nil {
            faults.add("\(pointer)/at_most", "not_permitted", "`at_most` needs `repeat_every`.")
        }
        if let maximum = after.atMost, !(1...1000).contains(maximum) {
            faults.add("\(pointer)/at_most", "out_of_range", "The number must be 1 to 1000.")
        }
    }

    private mutating func checkQuietHours(_ time: LocalTime, _ pointer: String, _ isMessage: Bool) {
        guard isMessage, let hours = study.reminder?.quietHours, hours.contains(time) else { return }
        faults.add(
            pointer, "in_quiet_hours",
            "\(time) is in the quiet hours, so the message would always be postponed.")
    }

    private mutating func check(
        _ calendar: DecisionPoint.Calendar, isMessage: Bool, _ pointer: String
    ) {
        if calendar.times.isEmpty {
            faults.add("\(pointer)/times", "required", "A calendar point needs at least one time.")
        }
        if calendar.times.count > PerDayLimit.maximum {
            faults.add("\(pointer)/times", "too_many", "A day has at most \(PerDayLimit.maximum) times.")
        }
        var seen: Set<DecisionPoint.Input<LocalTime>> = []
        for (index, time) in calendar.times.enumerated() {
            let path = "\(pointer)/times/\(index)"
            if !seen.insert(time).inserted {
                faults.add(path, "duplicate", "The list already has this time.")
            }
            switch time {
            case .literal(let time): checkQuietHours(time, path, isMessage)
            case .setting(let item): checkSetting(item, path, "a time") { $0.type == .time }
            }
        }
        switch calendar.days {
        case .every: break
        case .weekdays(let days): check(days, 1...7, "a weekday, 1 (Monday) to 7", "\(pointer)/weekdays")
        case .ofMonth(let days): check(days, 1...31, "a day of the month", "\(pointer)/days_of_month")
        }
    }

    private mutating func check(
        _ days: [DecisionPoint.Input<Int>], _ range: ClosedRange<Int>, _ noun: String, _ pointer: String
    ) {
        if days.isEmpty { faults.add(pointer, "required", "The list is empty, so the rule never acts.") }
        for (index, day) in days.enumerated() {
            let path = "\(pointer)/\(index)"
            switch day {
            case .literal(let number):
                if !range.contains(number) {
                    faults.add(
                        path, "out_of_range",
                        "The number must be \(range.lowerBound) to \(range.upperBound).")
                }
            case .setting(let item):
                checkSetting(item, path, noun) { $0.numbersAreIn(range) }
            }
        }
    }

    private enum PerDayLimit {
        static let maximum = DecisionPoint.PerDay.maximumCount
    }

    private mutating func check(_ perDay: DecisionPoint.PerDay, isMessage: Bool, _ pointer: String) {
        switch perDay.count {
        case .literal(let count):
            if !(1...PerDayLimit.maximum).contains(count) {
                faults.add(
                    "\(pointer)/count", "out_of_range", "The number must be 1 to \(PerDayLimit.maximum).")
            }
        case .setting(let item):
            checkSetting(
                item, "\(pointer)/count",
                "a whole number with minValue and maxValue between 0 and \(PerDayLimit.maximum)"
            ) { item in
                guard item.type == .integer, !item.repeats, let least = item.minValue,
                    let most = item.maxValue
                else { return false }
                return least >= 0 && most <= Double(PerDayLimit.maximum)
            }
        }
        if perDay.from >= perDay.to {
            faults.add("\(pointer)/to", "out_of_order", "`to` must be after `from`, on the same day.")
            return
        }
        if !(0...perDay.to.seconds - perDay.from.seconds).contains(perDay.minimumGap) {
            faults.add(
                "\(pointer)/minimum_gap", "out_of_range",
                "The gap must not be longer than the time between `from` and `to`.")
        }
        checkQuietHours(perDay.from, "\(pointer)/from", isMessage)
        if let last = LocalTime(seconds: perDay.to.seconds - 1) {
            checkQuietHours(last, "\(pointer)/to", isMessage)
        }
    }

    private mutating func check(
        _ adaptive: DecisionPoint.Adaptive, isMessage: Bool, _ signatures: VariableSignatures,
        _ pointer: String
    ) {
        if let variable = study.variables.first(where: { $0.id == adaptive.by }) {
            let hasNumbers = signatures[adaptive.by].map { $0.element == .number && !$0.meansKeys } ?? true
            if variable.by != .hour || !hasNumbers {
                faults.add(
                    "\(pointer)/by", "not_by_hour",
                    "The variable \(adaptive.by) needs numbers and `by: hour`.", naming: adaptive.by)
            }
        } else {
            faults.add(
                "\(pointer)/by", "unknown_variable", "There is no variable \(adaptive.by.prefix(60)).",
                naming: adaptive.by)
        }
        if adaptive.from >= adaptive.to {
            faults.add("\(pointer)/to", "out_of_order", "`to` must be after `from`, on the same day.")
        }
        if !(0...43_200).contains(adaptive.ahead) {
            faults.add("\(pointer)/ahead", "out_of_range", "The time must be at most 12 hours.")
        }
        for (name, number) in [("entries", adaptive.leastEntries), ("days", adaptive.leastDays)]
        where !(0...100_000).contains(number) {
            faults.add("\(pointer)/needs/\(name)", "out_of_range", "The number must be 0 to 100000.")
        }
        checkQuietHours(adaptive.otherwise, "\(pointer)/otherwise", isMessage)
    }

    private mutating func check(_ cycle: DecisionPoint.Cycle, isMessage: Bool, _ pointer: String) {
        if cycle.over.isEmpty {
            faults.add("\(pointer)/over", "required", "The list is empty, so the rule never acts.")
        }
        var seen: Set<String> = []
        for (index, element) in cycle.over.enumerated() {
            if !DefinitionName.isValid(element) {
                faults.add("\(pointer)/over/\(index)", "invalid_name", DefinitionName.rule)
            }
            if !seen.insert(element).inserted {
                faults.add("\(pointer)/over/\(index)", "duplicate", "The list already has this element.")
            }
        }
        if !(1...Self.maximumDays).contains(cycle.days) {
            faults.add("\(pointer)/every", "out_of_range", "A span has 1 to \(Self.maximumDays) days.")
        }
        checkQuietHours(cycle.time, "\(pointer)/time", isMessage)
    }

    // MARK: Whether the rule can act

    /// Reports rules that can never act.
    mutating func checkPossibility(of rule: DecisionRule, _ pointer: String) {
        if let source = rule.condition, Self.isNeverTrue(source) {
            faults.add(
                "\(pointer)/when", "never_acts", "The condition is never true, so the rule never acts.")
        }
        if case .reached(let reached) = rule.point, Self.isNeverTrue(reached.condition) {
            faults.add(
                "\(pointer)/at/reached", "never_acts", "The condition is never true, so the rule never acts.")
        }
        switch rule.point {
        case .after(let after):
            if after.firstAfter.days > study.days {
                faults.add(
                    "\(pointer)/at/first_after", "never_acts",
                    "The study ends after \(study.days) days, so the rule never acts.")
            }
        case .reached(let reached):
            if let span = reached.firstAfter, span.days > study.days {
                faults.add(
                    "\(pointer)/at/first_after", "never_acts",
                    "The study ends after \(study.days) days, so the rule never acts.")
            }
        case .perDay(let perDay):
            if let item = perDay.count.setting.flatMap({ setting($0) }), item.maxValue == 0 {
                faults.add(
                    "\(pointer)/at/per_day/count", "never_acts",
                    "The setting is always 0, so the rule never acts.")
            }
        case .calendar, .adaptive, .cycle, .entry, .published, .appOpen: break
        }
    }

    /// Whether a condition names nothing and is false or blank.
    private static func isNeverTrue(_ source: String) -> Bool {
        do throws(ExpressionFault) {
            let expression = try Expression(source, dialect: .variables)
            let scope = ExpressionScope(value: { _ in .blank }, today: nil)
            guard expression.items.isEmpty, !expression.usesToday else { return false }
            return expression.value(in: scope).truth != true
        } catch {
            return false
        }
    }

    /// Reports a rule that exceeds the daily maximum for every participant.
    mutating func checkDailyMaximum(of rule: DecisionRule, _ pointer: String) {
        guard rule.recipient == .participant, let maximum = study.reminder?.maximumPerDay else { return }
        let least: Int
        let path: String
        switch rule.point {
        case .perDay(let perDay):
            path = "\(pointer)/at/per_day/count"
            let count =
                perDay.count.literal
                ?? perDay.count.setting.flatMap { setting($0)?.minValue }.map { Int(min(max($0, 0), 100)) }
                ?? 0
            let span = perDay.to.seconds - perDay.from.seconds
            let fit = perDay.minimumGap > 0 ? max(1, span / perDay.minimumGap) : count
            least = perDay.spread == .even ? min(count, fit) : min(count, fit + 1)
        case .calendar(let calendar):
            path = "\(pointer)/at/calendar/times"
            least = Set(calendar.times.compactMap(\.literal)).count
        default: return
        }
        if least > maximum {
            faults.add(
                path, "above_daily_maximum",
                "The rule has \(least) messages a day, but `most_per_day` is \(maximum).")
        }
    }

    private func setting(_ linkId: String) -> Item? {
        study.settings.compactMap { study.questionnaire($0) }.lazy.flatMap(\.questions)
            .first { $0.linkId == linkId }
    }
}

extension DecisionPoint.Span {
    /// The least number of days.
    fileprivate var days: Int {
        switch self {
        case .seconds(let seconds): seconds / 86_400
        case .months(let months): months * 28
        }
    }
}

extension Item {
    /// Whether every possible value is a number in the range, or the code of one.
    fileprivate func numbersAreIn(_ range: ClosedRange<Int>) -> Bool {
        if type == .integer {
            guard let minValue, let maxValue else { return false }
            return Double(range.lowerBound) <= minValue && maxValue <= Double(range.upperBound)
        }
        guard type == .choice, !answerOption.isEmpty else { return false }
        return answerOption.allSatisfy { option in
            switch option.value {
            case .integer(let number): range.contains(number)
            case .code(let code): RuleSettings.number(ofCode: code).map { range.contains($0) } ?? false
            }
        }
    }
}

extension Expression {
    /// Whether the value depends on the date.
    fileprivate var usesToday: Bool { root.usesToday }
}

extension Expression.Term {
    fileprivate var usesToday: Bool {
        switch form {
        case .literal, .item: false
        case .call(let function, let arguments): function == .today || arguments.contains { $0.usesToday }
        case .not(let term), .negative(let term): term.usesToday
        case .binary(_, let left, let right): left.usesToday || right.usesToday
        case .among(let term, let values): term.usesToday || values.contains { $0.usesToday }
        }
    }
}
