import SaunterCore

/// One action of a participant.
struct CohortAction: Sendable {
    enum Kind: Sendable, Hashable {
        case join, calibrate, walk
        /// Permits or refuses each kind of data, and answers the settings.
        case setUp
        /// Answers all open occasions.
        case answer
        /// Answers without network. `upload` submits the sheets.
        case answerOffline
        /// Makes an entry of a questionnaire that can be answered at any time.
        case makeEntry(questionnaire: String, isOffline: Bool)
        /// Answers one of the settings again.
        case changeSetting(questionnaire: String)
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
    /// How often a participant makes entries of a questionnaire that can be answered at any time.
    struct EntryRate: Sendable, Hashable {
        let questionnaire: String
        let perDay: Double
        let maximumPerDay: Int
    }

    /// The mean number of entries per day if the pack does not state it.
    private static let usualEntriesPerDay = 0.3

    let people: [Person]
    let actions: [CohortAction]

    /// - Parameters:
    ///   - days: how many days ago the first participants joined.
    ///   - until: nothing happens after this moment.
    init(people: [Person], study: Study, model: AnswerModel, days: Int, until: Instant, seed: UInt64) {
        self.people = people
        let rates = study.entriesOfSimulation.map { rule in
            EntryRate(
                questionnaire: rule.questionnaire,
                perDay: model.entriesPerDay(of: rule.questionnaire) ?? Self.usualEntriesPerDay,
                maximumPerDay: rule.maximumPerDay ?? .max)
        }
        var all: [CohortAction] = []
        for person in people {
            var plan = PersonActions(person, days: days, until: until, seed: seed)
            plan.addObligations()
            plan.addEntries(rates, settings: study.settings)
            all += plan.actions.filter { $0.at < until }
        }
        actions = all.sorted { ($0.at, $0.participant) < ($1.at, $1.participant) }
    }
}

/// The actions of one participant: walks, answers to occasions, entries and changes of settings.
private struct PersonActions {
    private(set) var actions: [CohortAction] = []
    private let person: Person
    private let joinedOn: LocalDate
    private let today: LocalDate
    /// The study days on which the participant does anything.
    private let activeDays: ClosedRange<Int>
    /// The study days without any answer, for example on holiday.
    private let gapDays: Set<Int>
    private let seed: UInt64
    private var numbers: SeededNumbers

    /// The probability that a gap of 3 to 8 days begins on a day.
    private static let gapProbability = 0.015
    /// The probability of changing a setting on a day.
    private static let settingProbability = 0.01

    init(_ person: Person, days: Int, until: Instant, seed: UInt64) {
        var numbers = SeededNumbers(seed: seed, 2, person.index)
        today = person.zone.local(of: until).date
        // Most participants join on the first day, the others within the first third of the following days.
        let delay =
            person.index == 0 || numbers.chance(0.6)
            ? 0 : Int.random(in: 0...max(1, days / 3), using: &numbers)
        joinedOn = today.adding(days: -max(1, days - delay))
        let end = min(today.days - joinedOn.days, person.habit.lastDay(of: days) ?? .max)
        activeDays = 0...max(0, end)
        var gaps = SeededNumbers(seed: seed, 9, person.index)
        var gapDays: Set<Int> = []
        for day in 4...max(4, end) where gaps.chance(Self.gapProbability) {
            gapDays.formUnion(day..<day + Int.random(in: 3...8, using: &gaps))
        }
        self.gapDays = gapDays
        self.person = person
        self.seed = seed
        self.numbers = numbers
    }

    /// A random moment of a study day.
    private mutating func moment(_ day: Int, _ hours: ClosedRange<Double>) -> Instant {
        let seconds = Double.random(in: hours, using: &numbers) * 3600
        return person.zone.startOfDay(joinedOn.adding(days: day)).adding(milliseconds: Int64(seconds * 1000))
    }

    private mutating func add(_ kind: CohortAction.Kind, at moment: Instant, onDay day: Int) {
        actions.append(CohortAction(at: moment, participant: person.index, day: day, kind: kind))
    }

    /// Whether the participant answers nothing on this day. The account of the first participant is for trying out the
    /// app, so its occasions of the last day stay open.
    private func isForTryingOut(_ day: Int) -> Bool {
        person.index == 0 && joinedOn.adding(days: day) == today
    }

    /// Joining, walks, answers to occasions, and the end.
    mutating func addObligations() {
        let joinedAt = moment(0, 8.5...11)
        add(.join, at: joinedAt, onDay: 0)
        add(.setUp, at: joinedAt.adding(seconds: 300), onDay: 0)
        add(.answer, at: joinedAt.adding(seconds: 600), onDay: 0)
        add(.calibrate, at: joinedAt.adding(seconds: 2400), onDay: 0)
        for day in activeDays {
            if numbers.chance(person.habit.walkProbability), !gapDays.contains(day) {
                let walk = moment(day, day == 0 ? 13...16 : 7...16)
                add(.walk, at: walk, onDay: day)
                if numbers.chance(0.8) { add(.answer, at: walk.adding(seconds: 3000), onDay: day) }
            }
            guard numbers.chance(person.habit.answerProbability), !isForTryingOut(day),
                !gapDays.contains(day)
            else { continue }
            switch person.habit {
            case .late: add(.answer, at: moment(day, 20.5...27.5), onDay: day)
            case .offline:
                add(.answerOffline, at: moment(day, 18.5...21.5), onDay: day)
                add(.upload, at: moment(day + 1, 7.2...8.4), onDay: day + 1)
            default: add(.answer, at: moment(day, 17.5...21.8), onDay: day)
            }
        }
        if person.habit == .withdrawing, joinedOn.adding(days: activeDays.upperBound) < today {
            add(.withdraw, at: moment(activeDays.upperBound + 1, 12...13), onDay: activeDays.upperBound + 1)
        }
    }

    /// Entries at any time, and changes of settings. There are days with many entries and days without any.
    mutating func addEntries(_ rates: [CohortActions.EntryRate], settings: [String]) {
        numbers = SeededNumbers(seed: seed, 8, person.index)
        let diligence = max(0.2, numbers.number(around: 1, spread: 0.35))
        for day in activeDays where !gapDays.contains(day) && !isForTryingOut(day) {
            if day > 0, let setting = settings.randomElement(using: &numbers),
                numbers.chance(Self.settingProbability)
            {
                add(.changeSetting(questionnaire: setting), at: moment(day, 12...20), onDay: day)
            }
            for rate in rates {
                let expected = rate.perDay * diligence * Double.random(in: 0...2, using: &numbers)
                let count = Int(expected) + (numbers.chance(expected - Double(Int(expected))) ? 1 : 0)
                for _ in 0..<min(count, rate.maximumPerDay) {
                    let isOffline = person.habit == .offline && numbers.chance(0.5)
                    add(
                        .makeEntry(questionnaire: rate.questionnaire, isOffline: isOffline),
                        at: moment(day, day == 0 ? 12...22 : 7.5...22.5), onDay: day)
                    if isOffline { add(.upload, at: moment(day + 1, 7.2...8.4), onDay: day + 1) }
                }
            }
        }
    }
}
