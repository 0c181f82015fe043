import SaunterCore

/// What happens to one made-up participant whatever the study asks of them: when they join, journeys, walks, events, breaks, days without
/// network, and when they stop.
package struct LifeCourse: Sendable {
    package let place: Int
    package let home: Zone
    package let joinedAt: Instant
    /// What they tell of what the study divides its arms by.
    let factors: FactorLevels
    /// The share of occasions that this person answers.
    let propensity: Double
    let late: Double
    /// There and back again.
    package private(set) var journeys: [ZoneChange] = []
    /// When each walk ended.
    private(set) var walks: [Instant] = []
    private(set) var events: [(code: String, at: Instant)] = []
    private(set) var unscheduled: [(questionnaire: String, at: Instant)] = []
    private(set) var pauses: [Pause] = []
    private(set) var spells: [Range<Instant>] = []
    /// From then on nothing is answered, although nobody was told.
    package private(set) var silentFrom: Instant?
    package private(set) var leavesAt: Instant?

    /// - Parameter until: nothing happens from then on.
    init(
        place: Int, home: Zone, joinedAt: Instant, study: Study, behaviour: Behaviour, seed: UInt64,
        until: Instant
    ) {
        self.place = place
        self.home = home
        self.joinedAt = joinedAt
        var source = SeededNumbers(seed: seed, Matter.propensity.rawValue, place)
        propensity = behaviour.propensity(&source)
        late = behaviour.late
        factors = FactorLevels(
            study.allocation.factors.enumerated().compactMap { index, factor in
                var source = SeededNumbers(seed: seed, Matter.factors.rawValue, place, index)
                return factor.levels.randomElement(using: &source).map {
                    FactorLevels.Entry(factor: factor.code, level: $0)
                }
            })
        let end = min(until, home.startOfDay(home.local(of: joinedAt).date.adding(days: study.days + 1)))
        guard end > joinedAt.adding(seconds: 3600) else { return }
        let span = joinedAt.adding(seconds: 3600)..<end
        func numbers(_ matter: Matter) -> SeededNumbers { SeededNumbers(seed: seed, matter.rawValue, place) }

        spells = Self.spells(in: span, behaviour.offline, numbers(.offline))
        (silentFrom, leavesAt) = Self.ending(in: span, behaviour, numbers(.ending))
        if let spell = leavesAt.flatMap({ moment in spells.first { $0.contains(moment) } }) {
            leavesAt = min(spell.upperBound, end)
        }
        journeys = told(Self.journeys(in: span, from: home, behaviour.travel, numbers(.travel)))
        pauses = told(Self.pauses(in: span, behaviour.pause, numbers(.pause)))
        walks = study.knowsWalks ? moments(span, behaviour.walksPerDay, hours: 7...20, numbers(.walks)) : []
        for (index, code) in study.anyTime.enumerated() {
            let source = SeededNumbers(seed: seed, Matter.unscheduled.rawValue, place, index)
            let times = moments(span, behaviour.unscheduledPerDay, hours: 8...22, source)
            unscheduled += limited(times, to: study.anyTimeLimits[code]).map { (questionnaire: code, at: $0) }
        }
        for (index, event) in study.events.enumerated() {
            var source = SeededNumbers(seed: seed, Matter.events.rawValue, place, index)
            let at = received(Self.moment(in: span, &source))
            if source.chance(behaviour.event), at < end, takesPart(at: at) { events.append((event.code, at)) }
        }
    }

    /// What is drawn for itself.
    private enum Matter: Int {
        case propensity = 11, offline, ending, travel, pause, walks, events, unscheduled, factors
    }

    /// Whether they answer, walk and tell of events at this moment.
    func takesPart(at moment: Instant) -> Bool {
        moment >= joinedAt && moment < (silentFrom ?? .maximum) && moment < (leavesAt ?? .maximum)
            && !pauses.contains { $0.from <= moment && moment < ($0.to ?? .maximum) }
    }

    /// When something of this moment reaches the server.
    func received(_ moment: Instant) -> Instant {
        spells.first { $0.contains(moment) }?.upperBound ?? moment
    }

    /// Journeys and breaks are told by a request that keeps no time of its own: without network they begin for the server, and so for the plan,
    /// when the spell ends. Of two journeys in one spell the last holds.
    private func told(_ journeys: [ZoneChange]) -> [ZoneChange] {
        let all = journeys.map { ZoneChange(from: received($0.from), zone: $0.zone) }
        return all.indices.filter { !all.indices.contains($0 + 1) || all[$0 + 1].from > all[$0].from }.map {
            all[$0]
        }
    }

    private func told(_ pauses: [Pause]) -> [Pause] {
        pauses.map { Pause(from: received($0.from), to: $0.to.map(received)) }
            .filter { $0.from < $0.to ?? .maximum }
    }

    /// The zone that they live by.
    package func zone(at moment: Instant) -> Zone { journeys.last { $0.from <= moment }?.zone ?? home }

    /// So many moments a day, between these hours of the local clock, while they take part.
    private func moments(
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
                if span.contains(moment), takesPart(at: moment) { moments.append(moment) }
            }
            date = date.adding(days: 1)
        }
        return moments.sorted()
    }

    /// The first few of each local day.
    private func limited(_ moments: [Instant], to most: Int?) -> [Instant] {
        guard let most else { return moments }
        var counts: [LocalDate: Int] = [:]
        return moments.filter { moment in
            let date = zone(at: moment).local(of: moment).date
            counts[date, default: 0] += 1
            return counts[date, default: 0] <= most
        }
    }
}

extension LifeCourse {
    private static let destinations = [
        "America/Los_Angeles", "America/New_York", "America/Sao_Paulo", "Asia/Kolkata", "Asia/Tokyo",
        "Australia/Sydney", "Europe/Lisbon", "Pacific/Auckland",
    ].compactMap { Zone($0) }

    private static func moment(in span: Range<Instant>, _ numbers: inout SeededNumbers) -> Instant {
        let seconds = Int(span.upperBound.milliseconds(since: span.lowerBound) / 1000)
        return span.lowerBound.adding(seconds: Int.random(in: 0..<max(1, seconds), using: &numbers))
    }

    private static func spells(in span: Range<Instant>, _ chance: Double, _ numbers: SeededNumbers) -> [Range<
        Instant
    >] {
        var numbers = numbers
        var spells: [Range<Instant>] = []
        var day = span.lowerBound
        while day < span.upperBound {
            let start = day.adding(seconds: Int.random(in: 0..<86_400, using: &numbers))
            let end = start.adding(seconds: Int.random(in: 6...48, using: &numbers) * 3600)
            // One spell at a time.
            if numbers.chance(chance), start >= spells.last?.upperBound ?? .minimum {
                spells.append(start..<end)
            }
            day = day.adding(seconds: 86_400)
        }
        return spells
    }

    private static func ending(in span: Range<Instant>, _ behaviour: Behaviour, _ numbers: SeededNumbers) -> (
        silentFrom: Instant?, leavesAt: Instant?
    ) {
        var numbers = numbers
        let at = moment(in: span, &numbers)
        let fate = Double.random(in: 0..<1, using: &numbers)
        if fate < behaviour.withdrawal { return (nil, at) }
        return (fate < behaviour.withdrawal + behaviour.dropout ? at : nil, nil)
    }

    private static func journeys(
        in span: Range<Instant>, from home: Zone, _ chance: Double, _ numbers: SeededNumbers
    )
        -> [ZoneChange]
    {
        var numbers = numbers
        let there = moment(in: span, &numbers)
        let days = Int.random(in: 3...14, using: &numbers)
        let zone = destinations.filter { $0 != home }.randomElement(using: &numbers) ?? .utc
        guard numbers.chance(chance) else { return [] }
        let back = ZoneChange(from: there.adding(seconds: days * 86_400), zone: home)
        return [ZoneChange(from: there, zone: zone), back].filter { $0.from < span.upperBound }
    }

    private static func pauses(in span: Range<Instant>, _ chance: Double, _ numbers: SeededNumbers) -> [Pause]
    {
        var numbers = numbers
        let from = moment(in: span, &numbers)
        let days = Int.random(in: 2...7, using: &numbers)
        return numbers.chance(chance) ? [Pause(from: from, to: from.adding(seconds: days * 86_400))] : []
    }
}

extension Study {
    /// Whether anything in the study has to do with walks.
    var knowsWalks: Bool { walking != nil || schedules.contains { $0.anchor == .walk } }
}
