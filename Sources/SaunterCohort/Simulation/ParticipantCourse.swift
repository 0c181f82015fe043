import SaunterCore

/// The course of one simulated participant, as far as it does not depend on the study's occasions: joining, journeys,
/// walks, events, breaks, periods without network, and the end.
package struct ParticipantCourse: Sendable {
    /// The index of the participant in the run, from 0.
    package let index: Int
    /// The zone of the participant at home.
    package let home: Zone
    /// When the participant enrols.
    package let joinedAt: Instant
    /// The levels of the allocation factors.
    let factors: FactorLevels
    /// The share of occasions that the participant answers.
    let propensity: Double
    /// The share of answered occasions that the participant answers after the due time.
    let late: Double
    /// Departures and returns.
    package private(set) var journeys: [ZoneChange] = []
    /// The end of each walk.
    private(set) var walks: [Instant] = []
    private(set) var events: [(code: String, at: Instant)] = []
    /// Sheets without an occasion, by questionnaire, then in the order of completion. Settings come last.
    private(set) var unscheduled: [(questionnaire: String, at: Instant)] = []
    private(set) var pauses: [Pause] = []
    /// The periods without network. They do not overlap.
    private(set) var offlinePeriods: [Range<Instant>] = []
    /// From then on the participant answers nothing, but does not leave the study. Nil if that does not happen.
    package private(set) var stopsAnsweringAt: Instant?
    /// When the participant leaves the study; nil if that does not happen.
    package private(set) var leavesAt: Instant?

    /// - Parameter until: the end of the run.
    init(
        index: Int, home: Zone, joinedAt: Instant, study: Study, behaviour: Behaviour, seed: UInt64,
        until: Instant
    ) {
        self.index = index
        self.home = home
        self.joinedAt = joinedAt
        var source = SeededNumbers(seed: seed, RandomStream.propensity.rawValue, index)
        propensity = behaviour.propensity(&source)
        late = behaviour.late
        factors = FactorLevels(
            study.allocation.factors.enumerated().compactMap { number, factor in
                var source = SeededNumbers(seed: seed, RandomStream.factors.rawValue, index, number)
                return factor.levels.randomElement(using: &source).map {
                    FactorLevels.Entry(factor: factor.code, level: $0)
                }
            })
        let end = min(until, home.startOfDay(home.local(of: joinedAt).date.adding(days: study.days + 1)))
        guard end > joinedAt.adding(seconds: 3600) else { return }
        let span = joinedAt.adding(seconds: 3600)..<end
        func numbers(_ stream: RandomStream) -> SeededNumbers {
            SeededNumbers(seed: seed, stream.rawValue, index)
        }

        offlinePeriods = Self.offlinePeriods(in: span, behaviour.offline, numbers(.offline))
        (stopsAnsweringAt, leavesAt) = Self.ending(in: span, behaviour, numbers(.ending))
        if let period = leavesAt.flatMap({ moment in offlinePeriods.first { $0.contains(moment) } }) {
            leavesAt = min(period.upperBound, end)
        }
        journeys = withReceiptTimes(Self.journeys(in: span, from: home, behaviour.travel, numbers(.travel)))
        pauses = withReceiptTimes(Self.pauses(in: span, behaviour.pause, numbers(.pause)))
        walks =
            study.usesWalks ? randomTimes(span, behaviour.walksPerDay, hours: 7...20, numbers(.walks)) : []
        for (number, rule) in study.entriesOfSimulation.enumerated() {
            let source = SeededNumbers(seed: seed, RandomStream.unscheduled.rawValue, index, number)
            let times = randomTimes(span, behaviour.unscheduledPerDay, hours: 8...22, source)
            unscheduled += limited(times, to: rule.maximumPerDay).map {
                (questionnaire: rule.questionnaire, at: $0)
            }
        }
        let settings = study.settings.filter { study.anyTimeRule(of: $0) == nil }
        for (number, questionnaire) in settings.enumerated() {
            var source = SeededNumbers(seed: seed, RandomStream.settings.rawValue, index, number)
            let isAnswered = source.chance(behaviour.settings)
            let at = joinedAt.adding(seconds: Int.random(in: 120...3000, using: &source))
            if isAnswered { unscheduled.append((questionnaire: questionnaire, at: at)) }
        }
        for (number, event) in study.events.enumerated() {
            var source = SeededNumbers(seed: seed, RandomStream.events.rawValue, index, number)
            let at = receiptTime(of: Self.randomInstant(in: span, &source))
            if source.chance(behaviour.event), at < end, isParticipating(at: at) {
                events.append((event.code, at))
            }
        }
    }

    /// Each kind of draw has a separate generator. The raw value identifies the generator.
    private enum RandomStream: Int {
        case propensity = 11, offline, ending, travel, pause, walks, events, unscheduled, factors, settings
    }

    /// Whether the participant answers, walks and reports events at this instant.
    func isParticipating(at moment: Instant) -> Bool {
        moment >= joinedAt && moment < (stopsAnsweringAt ?? .maximum) && moment < (leavesAt ?? .maximum)
            && !pauses.contains { $0.from <= moment && moment < ($0.to ?? .maximum) }
    }

    /// When a record of this instant reaches the server.
    func receiptTime(of moment: Instant) -> Instant {
        offlinePeriods.first { $0.contains(moment) }?.upperBound ?? moment
    }

    /// The journeys as the server knows them. Requests about journeys and breaks contain no time, so without network
    /// they take effect on the server when the period without network ends. If two journeys begin in one period, the
    /// last one counts.
    private func withReceiptTimes(_ journeys: [ZoneChange]) -> [ZoneChange] {
        let all = journeys.map { ZoneChange(from: receiptTime(of: $0.from), zone: $0.zone) }
        return all.indices.filter { !all.indices.contains($0 + 1) || all[$0 + 1].from > all[$0].from }.map {
            all[$0]
        }
    }

    private func withReceiptTimes(_ pauses: [Pause]) -> [Pause] {
        pauses.map { Pause(from: receiptTime(of: $0.from), to: $0.to.map(receiptTime(of:))) }
            .filter { $0.from < $0.to ?? .maximum }
    }

    /// The zone of the participant at an instant.
    package func zone(at moment: Instant) -> Zone { journeys.last { $0.from <= moment }?.zone ?? home }

    /// Random times during participation, between these hours of local time, with a mean of `perDay`.
    private func randomTimes(
        _ span: Range<Instant>, _ perDay: Double, hours: ClosedRange<Double>, _ numbers: SeededNumbers
    ) -> [Instant] {
        var numbers = numbers
        let rate = min(max(0, perDay), 24)
        var moments: [Instant] = []
        var date = home.local(of: joinedAt).date
        while home.startOfDay(date) < span.upperBound {
            let count = Int(rate) + (numbers.chance(rate - Double(Int(rate))) ? 1 : 0)
            for _ in 0..<count {
                let seconds = Int(Double.random(in: hours, using: &numbers) * 3600)
                let moment = zone(at: home.startOfDay(date)).startOfDay(date).adding(seconds: seconds)
                if span.contains(moment), isParticipating(at: moment) { moments.append(moment) }
            }
            date = date.adding(days: 1)
        }
        return moments.sorted()
    }

    /// The first times of each local day, up to the limit.
    private func limited(_ moments: [Instant], to maximum: Int?) -> [Instant] {
        guard let maximum else { return moments }
        var counts: [LocalDate: Int] = [:]
        return moments.filter { moment in
            let date = zone(at: moment).local(of: moment).date
            counts[date, default: 0] += 1
            return counts[date, default: 0] <= maximum
        }
    }
}

extension ParticipantCourse {
    private static let destinations = [
        "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Tokyo",
        "Australia/Sydney", "Europe/Lisbon", "Pacific/Auckland",
    ].compactMap { Zone($0) }

    private static func randomInstant(in span: Range<Instant>, _ numbers: inout SeededNumbers) -> Instant {
        let seconds = Int(span.upperBound.milliseconds(since: span.lowerBound) / 1000)
        return span.lowerBound.adding(seconds: Int.random(in: 0..<max(1, seconds), using: &numbers))
    }

    private static func offlinePeriods(
        in span: Range<Instant>, _ chance: Double, _ numbers: SeededNumbers
    ) -> [Range<Instant>] {
        var numbers = numbers
        var offlinePeriods: [Range<Instant>] = []
        var day = span.lowerBound
        while day < span.upperBound {
            let start = day.adding(seconds: Int.random(in: 0..<86_400, using: &numbers))
            let end = start.adding(seconds: Int.random(in: 6...48, using: &numbers) * 3600)
            // Periods without network do not overlap.
            if numbers.chance(chance), start >= offlinePeriods.last?.upperBound ?? .minimum {
                offlinePeriods.append(start..<end)
            }
            day = day.adding(seconds: 86_400)
        }
        return offlinePeriods
    }

    private static func ending(
        in span: Range<Instant>, _ behaviour: Behaviour, _ numbers: SeededNumbers
    ) -> (stopsAnsweringAt: Instant?, leavesAt: Instant?) {
        var numbers = numbers
        let at = randomInstant(in: span, &numbers)
        let draw = Double.random(in: 0..<1, using: &numbers)
        if draw < behaviour.withdrawal { return (nil, at) }
        return (draw < behaviour.withdrawal + behaviour.dropout ? at : nil, nil)
    }

    private static func journeys(
        in span: Range<Instant>, from home: Zone, _ chance: Double, _ numbers: SeededNumbers
    ) -> [ZoneChange] {
        var numbers = numbers
        let departure = randomInstant(in: span, &numbers)
        let days = Int.random(in: 3...14, using: &numbers)
        let zone = destinations.filter { $0 != home }.randomElement(using: &numbers) ?? .utc
        guard numbers.chance(chance) else { return [] }
        let homecoming = ZoneChange(from: departure.adding(seconds: days * 86_400), zone: home)
        return [ZoneChange(from: departure, zone: zone), homecoming].filter { $0.from < span.upperBound }
    }

    private static func pauses(
        in span: Range<Instant>, _ chance: Double, _ numbers: SeededNumbers
    ) -> [Pause] {
        var numbers = numbers
        let from = randomInstant(in: span, &numbers)
        let days = Int.random(in: 2...7, using: &numbers)
        return numbers.chance(chance) ? [Pause(from: from, to: from.adding(seconds: days * 86_400))] : []
    }
}

extension Study {
    /// Whether the study uses walks.
    var usesWalks: Bool { walking != nil || schedules.contains { $0.anchor == .walk } }
}
