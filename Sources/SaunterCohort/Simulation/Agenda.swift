import SaunterCore

/// Something that somebody is going to do.
struct Errand: Sendable {
    enum Kind: Sendable {
        /// Hands in what a device kept back.
        case deliver
        /// Gets an account, some minutes before joining.
        case register
        case join
        /// Fetches what a phone keeps, once joined.
        case settle
        /// Looks what is planned for the next days.
        case look
        case walk
        case travel(Zone)
        case tell(event: String)
        case pause(Bool)
        case answer(questionnaire: String, occasion: String, ReplyMaker.Place)
        case volunteer(questionnaire: String, Int)
        case leave
    }

    var at: Instant
    var kind: Kind

    /// Whether the server must hear of it at its very moment: it keeps its own time of these, from which the plan follows. The rest says by itself
    /// when it happened.
    var isExact: Bool {
        switch kind {
        case .join, .travel, .tell, .pause, .leave: true
        case .deliver, .register, .settle, .look, .walk, .answer, .volunteer: false
        }
    }

    /// What comes first of one moment.
    fileprivate var rank: Int {
        switch kind {
        case .deliver, .join: 0
        case .leave: 2
        default: 1
        }
    }
}

/// What one person does in a round.
struct Doing: Sendable {
    /// By their place.
    var person: Int
    /// At least one, by their time.
    var errands: [Errand]
}

/// What happens side by side: everybody's doings, and the moment at which the server hears of them.
struct Round: Sendable {
    var doings: [Doing]
    var lastAt: Instant
}

/// Everybody's errands, in the order of their time.
struct Agenda {
    private var entries: [(errand: Errand, person: Int, number: Int)] = []
    private var count = 0

    mutating func add(_ errands: [Errand], of person: Int) {
        for errand in errands {
            let entry = (errand, person, count)
            count += 1
            entries.append(entry)
            var child = entries.count - 1
            while child > 0, comes(child, before: (child - 1) / 2) {
                entries.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }
    }

    /// The moment of the earliest; nil when there is none.
    var nextAt: Instant? { entries.first?.errand.at }

    /// Takes the earliest, and with it those that follow within `span` seconds and before `end` and may happen side by side with it. What is exact
    /// happens alone.
    /// - Returns: what each person does, in its order, and the last moment of all; nil when nothing is before `end`.
    mutating func nextRound(within span: Int, before end: Instant) -> Round? {
        guard let start = nextAt, start < end, let (first, person) = next() else { return nil }
        var round = Round(doings: [Doing(person: person, errands: [first])], lastAt: start)
        guard !first.isExact else { return round }
        var places = [person: 0]
        let last = start.adding(seconds: span)
        while let coming = entries.first?.errand, coming.at < end, coming.at <= last, !coming.isExact,
            let (errand, person) = next()
        {
            round.lastAt = errand.at
            if let place = places[person] {
                round.doings[place].errands.append(errand)
            } else {
                places[person] = round.doings.count
                round.doings.append(Doing(person: person, errands: [errand]))
            }
        }
        return round
    }

    /// The earliest, taken; nil when there is none.
    private mutating func next() -> (errand: Errand, person: Int)? {
        guard let first = entries.first else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if comes(child, before: least) { least = child }
            }
            guard least != parent else { break }
            entries.swapAt(parent, least)
            parent = least
        }
        return (first.errand, first.person)
    }

    private func comes(_ left: Int, before right: Int) -> Bool {
        let (one, other) = (entries[left], entries[right])
        return (one.errand.at, one.errand.rank, one.number) < (
            other.errand.at, other.errand.rank, other.number
        )
    }
}

extension Study {
    /// How long after its moment the server may hear of what somebody does: as phones hand things in when it suits them. An hour makes no difference
    /// to the plan, nor to any message, unless something that follows closes soon or may be reminded of.
    var roundSeconds: Int {
        let isUrgent =
            !notices.isEmpty
            || schedules.contains { schedule in
                let isReminded = reminder != nil && (schedule.reminded || !schedule.prompts.isEmpty)
                return followsEvent(schedule)
                    && (isReminded || schedule.slots.contains { $0.closeAfter <= 2 * 3600 })
            }
        return isUrgent ? 300 : 3600
    }
}
