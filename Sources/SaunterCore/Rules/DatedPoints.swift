/// The points of a rule that follow from local dates: `calendar`, `per_day` and `cycle`.
struct DatedPoints {
    let rule: DecisionRule
    let clock: RuleClock
    let settings: RuleSettings
    /// The local date of the enrolment.
    let enrolledOn: LocalDate
    /// Makes the random generator of a local date, for `spread: random`.
    var draw: (LocalDate) -> SeededDraw? = { _ in nil }

    /// One point of a local date, before the clock is applied.
    private struct Nominal {
        var point: String
        var key = ""
        var seconds: Int
    }

    /// The points after `from` and until `through`, in order of time.
    func points(from: Instant, through: Instant) -> [PlannedPoint] {
        guard from < through else { return [] }
        // The default of `valid_for` depends on the next point, at most some days later.
        let horizon = through.adding(seconds: DecisionRule.defaultValidity)
        let all = moments(from: from, through: horizon)
        return all.enumerated().compactMap { position, nominal in
            guard nominal.moment <= through else { return nil }
            let next = all.indices.contains(position + 1) ? all[position + 1].moment : .maximum
            let validity = nominal.moment.adding(seconds: rule.validFor ?? DecisionRule.defaultValidity)
            return PlannedPoint(
                rule: rule.code, point: nominal.point, key: nominal.key, moment: nominal.moment,
                expiresAt: rule.validFor == nil ? min(validity, next) : validity)
        }
    }

    private func moments(
        from: Instant, through: Instant
    ) -> [(point: String, key: String, moment: Instant)] {
        // A journey can delay the points of up to two dates until its end.
        var date = clock.date(of: from).adding(days: -2)
        let last = clock.date(of: through).adding(days: 1)
        var found: [(point: String, key: String, moment: Instant)] = []
        while date <= last {
            for nominal in nominal(date) {
                let moment = clock.instant(date, nominal.seconds)
                if from < moment, moment <= through { found.append((nominal.point, nominal.key, moment)) }
            }
            guard date < .maximum else { break }
            date = date.adding(days: 1)
        }
        return found
    }

    private func nominal(_ date: LocalDate) -> [Nominal] {
        switch rule.point {
        case .calendar(let calendar):
            guard falls(calendar.days, date) else { return [] }
            return settings.times(calendar.times).enumerated().map {
                Nominal(point: "\(date)#\($0.offset + 1)", seconds: $0.element.seconds)
            }
        case .perDay(let perDay):
            return perDay.seconds(count: settings.number(perDay.count) ?? 0) { draw(date) }.enumerated().map {
                Nominal(point: "\(date)#\($0.offset + 1)", seconds: $0.element)
            }
        case .cycle(let cycle):
            guard let element = cycle.element(date, enrolledOn: enrolledOn) else { return [] }
            return [Nominal(point: "\(date)", key: element, seconds: cycle.time.seconds)]
        case .after, .adaptive, .entry, .reached, .published, .appOpen: return []
        }
    }

    private func falls(_ days: DecisionPoint.Days, _ date: LocalDate) -> Bool {
        switch days {
        case .every: return true
        case .weekdays(let inputs): return settings.numbers(inputs).contains(date.weekday)
        case .ofMonth(let inputs):
            let (year, month, day) = date.components
            let length = LocalDate.length(ofMonth: month, year: year)
            return settings.numbers(inputs).contains { $0 >= 1 && min($0, length) == day }
        }
    }
}

extension DecisionPoint.PerDay {
    /// The moments of a day in seconds since 00:00, with S = `to` − `from` in seconds and n = `count`.
    ///
    /// - `even`: n is at most ⌊S / `minimumGap`⌋, but at least 1 if `count` is at least 1. The k-th moment, from 0,
    ///   is `from` + ⌊(2k + 1) · S / (2n)⌋: the middle of the k-th of n equal parts.
    /// - `random`: n is at most ⌊S / `minimumGap`⌋ + 1. F = S − (n − 1) · `minimumGap`. n numbers are drawn in 0...F
    ///   and sorted; the k-th moment is `from` + the k-th number + k · `minimumGap`.
    func seconds(count: Int, draw: () -> SeededDraw?) -> [Int] {
        let span = to.seconds - from.seconds
        var count = min(max(count, 0), Self.maximumCount)
        guard count > 0, span > 0 else { return [] }
        switch spread {
        case .even:
            if minimumGap > 0 { count = min(count, max(1, span / minimumGap)) }
            return (0..<count).map { from.seconds + (2 * $0 + 1) * span / (2 * count) }
        case .random:
            if minimumGap > 0 { count = min(count, span / minimumGap + 1) }
            guard var source = draw() else { return [] }
            return Slot.randomMoments(from: from, to: to, count: count, minimumGap: minimumGap, draw: &source)
        }
    }
}

extension DecisionPoint.Cycle {
    /// The element of the span that begins on this date. Nil if no span begins on it.
    func element(_ date: LocalDate, enrolledOn: LocalDate) -> String? {
        let elapsed = date.days - (since ?? enrolledOn.startOf(.week)).days
        guard elapsed >= 0, days > 0, elapsed % days == 0, !over.isEmpty else { return nil }
        return over[elapsed / days % over.count]
    }
}
