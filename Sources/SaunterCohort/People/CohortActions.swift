import SaunterCore

/// One action of a participant.
struct CohortAction: Sendable {
    enum Kind: Sendable {
        case join, calibrate, walk
        /// Answers all open occasions.
        case answer
        /// Answers without network. `upload` submits the sheets.
        case answerOffline
        case upload
        case withdraw
    }

    let at: Instant
    /// The index of the participant in the cohort.
    let participant: Int
    /// Days since enrolment.
    let day: Int
    let kind: Kind
}

/// The actions of a cohort, in the order of time.
struct CohortActions {
    let people: [Person]
    let actions: [CohortAction]

    /// - Parameters:
    ///   - days: how many days ago the first participants joined.
    ///   - until: nothing happens after this moment.
    init(people: [Person], days: Int, until: Instant, seed: UInt64) {
        self.people = people
        actions = people.flatMap { Self.actions(of: $0, days: days, until: until, seed: seed) }
            .filter { $0.at < until }
            .sorted { ($0.at, $0.participant) < ($1.at, $1.participant) }
    }

    private static func actions(
        of person: Person, days: Int, until: Instant, seed: UInt64
    ) -> [CohortAction] {
        var numbers = SeededNumbers(seed: seed, 2, person.index)
        let today = person.zone.local(of: until).date
        // Most participants join on the first day, the others within the first third of the following days.
        let delay =
            person.index == 0 || numbers.chance(0.6)
            ? 0 : Int.random(in: 0...max(1, days / 3), using: &numbers)
        let joinedOn = today.adding(days: -max(1, days - delay))
        func moment(_ day: Int, _ hours: ClosedRange<Double>) -> Instant {
            let seconds = Double.random(in: hours, using: &numbers) * 3600
            return person.zone.startOfDay(joinedOn.adding(days: day)).adding(
                milliseconds: Int64(seconds * 1000))
        }
        func action(_ at: Instant, _ day: Int, _ kind: CohortAction.Kind) -> CohortAction {
            CohortAction(at: at, participant: person.index, day: day, kind: kind)
        }
        let joinedAt = moment(0, 8.5...11)
        var actions = [
            action(joinedAt, 0, .join), action(joinedAt.adding(seconds: 600), 0, .answer),
            action(joinedAt.adding(seconds: 2400), 0, .calibrate),
        ]
        for day in 0...max(0, today.days - joinedOn.days) {
            if person.habit == .withdrawing, day == 5 {
                actions.append(action(moment(day, 12...13), day, .withdraw))
            }
            // The first participant does not answer on the last day, because this is the account for trying out the
            // app.
            let isLast = joinedOn.adding(days: day) == today
            if numbers.chance(person.habit.walkProbability(onDay: day)) {
                let walk = moment(day, day == 0 ? 13...16 : 7...16)
                actions.append(action(walk, day, .walk))
                if numbers.chance(0.8) { actions.append(action(walk.adding(seconds: 3000), day, .answer)) }
            }
            guard numbers.chance(person.habit.answerProbability(onDay: day)), !(person.index == 0 && isLast)
            else {
                continue
            }
            switch person.habit {
            case .late: actions.append(action(moment(day, 20.5...27.5), day, .answer))
            case .offline:
                actions.append(action(moment(day, 18.5...21.5), day, .answerOffline))
                actions.append(action(moment(day + 1, 7.2...8.4), day + 1, .upload))
            default: actions.append(action(moment(day, 17.5...21.8), day, .answer))
            }
        }
        return actions
    }
}
