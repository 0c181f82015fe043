import SaunterCore

/// One thing that a participant does.
struct Act: Sendable {
    enum Kind: Sendable {
        case join, calibrate, walk
        /// Answers whatever is open.
        case answer
        /// Answers without network; `deliver` hands it in.
        case answerOffline
        case deliver
        case withdraw
    }

    let at: Instant
    let person: Int
    /// Since enrolment.
    let day: Int
    let kind: Kind
}

/// The days of a cohort, in the order in which they happen.
struct Diary {
    let people: [Person]
    let acts: [Act]

    /// - Parameters:
    ///   - days: how many days ago the first people joined.
    ///   - until: nothing happens after this moment.
    init(people: [Person], days: Int, until: Instant, seed: UInt64) {
        self.people = people
        acts = people.flatMap { Self.acts(of: $0, days: days, until: until, seed: seed) }
            .filter { $0.at < until }
            .sorted { ($0.at, $0.person) < ($1.at, $1.person) }
    }

    private static func acts(of person: Person, days: Int, until: Instant, seed: UInt64) -> [Act] {
        var numbers = SeededNumbers(seed: seed, 2, person.place)
        let today = person.zone.local(of: until).date
        // Most join on the first day, the others within a third of the days that follow.
        let delay =
            person.place == 0 || numbers.chance(0.6)
            ? 0 : Int.random(in: 0...max(1, days / 3), using: &numbers)
        let joined = today.adding(days: -max(1, days - delay))
        func moment(_ day: Int, _ hours: ClosedRange<Double>) -> Instant {
            let seconds = Double.random(in: hours, using: &numbers) * 3600
            return person.zone.startOfDay(joined.adding(days: day)).adding(
                milliseconds: Int64(seconds * 1000))
        }
        func act(_ at: Instant, _ day: Int, _ kind: Act.Kind) -> Act {
            Act(at: at, person: person.place, day: day, kind: kind)
        }
        let arrival = moment(0, 8.5...11)
        var acts = [
            act(arrival, 0, .join), act(arrival.adding(seconds: 600), 0, .answer),
            act(arrival.adding(seconds: 2400), 0, .calibrate),
        ]
        for day in 0...max(0, today.days - joined.days) {
            if person.habit == .withdrawing, day == 5 {
                acts.append(act(moment(day, 12...13), day, .withdraw))
            }
            // The first person of the list leaves something to do on the last day: it is the one to try out.
            let isLast = joined.adding(days: day) == today
            if numbers.chance(person.habit.walking(onDay: day)) {
                let walk = moment(day, day == 0 ? 13...16 : 7...16)
                acts.append(act(walk, day, .walk))
                if numbers.chance(0.8) { acts.append(act(walk.adding(seconds: 3000), day, .answer)) }
            }
            guard numbers.chance(person.habit.diligence(onDay: day)), !(person.place == 0 && isLast) else {
                continue
            }
            switch person.habit {
            case .late: acts.append(act(moment(day, 20.5...27.5), day, .answer))
            case .offline:
                acts.append(act(moment(day, 18.5...21.5), day, .answerOffline))
                acts.append(act(moment(day + 1, 7.2...8.4), day + 1, .deliver))
            default: acts.append(act(moment(day, 17.5...21.8), day, .answer))
            }
        }
        return acts
    }
}
