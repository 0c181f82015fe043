import SaunterCore

/// A planned action of one participant.
struct PlannedAction: Sendable {
    enum Kind: Sendable {
        /// Submits the records that the device stored while it had no network.
        case upload
        /// Registers an account, some minutes before joining.
        case register
        case join
        /// Fetches the data that a phone caches after joining.
        case fetchStudyData
        /// Fetches the occasions of the next days.
        case fetchOccasions
        case walk
        case travel(Zone)
        case reportEvent(String)
        case pause(Bool)
        case answer(questionnaire: String, occasion: String, AnswerPlanner.DrawKey)
        /// Submits a sheet without an occasion. The index is the index of the sheet in the participant's course.
        case answerUnscheduled(questionnaire: String, index: Int)
        case leave
    }

    var at: Instant
    var kind: Kind

    /// Whether the server must receive it at its exact time, because the server records its own time and plans from it.
    /// Other actions state their time in the request.
    var isExact: Bool {
        switch kind {
        case .join, .travel, .reportEvent, .pause, .leave: true
        case .upload, .register, .fetchStudyData, .fetchOccasions, .walk, .answer, .answerUnscheduled: false
        }
    }

    /// The order of actions at the same instant.
    fileprivate var rank: Int {
        switch kind {
        case .upload, .join: 0
        case .leave: 2
        default: 1
        }
    }
}

/// The actions of one participant in a batch.
struct ParticipantActions: Sendable {
    /// The index of the participant in the list of all participants.
    var participant: Int
    /// At least one, in the order of time.
    var actions: [PlannedAction]
}

/// Concurrent actions of several participants, and the instant at which the server receives them.
struct ActionBatch: Sendable {
    /// One entry for each participant who has an action in the batch.
    var participants: [ParticipantActions]
    var lastAt: Instant
}

/// The planned actions of all participants, in the order of time (a binary heap).
struct ActionQueue {
    private var entries: [(action: PlannedAction, participant: Int, sequence: Int)] = []
    private var addedCount = 0

    mutating func add(_ actions: [PlannedAction], of participant: Int) {
        for action in actions {
            let entry = (action, participant, addedCount)
            addedCount += 1
            entries.append(entry)
            var child = entries.count - 1
            while child > 0, isEarlier(child, than: (child - 1) / 2) {
                entries.swapAt(child, (child - 1) / 2)
                child = (child - 1) / 2
            }
        }
    }

    /// The time of the earliest action; nil if there is none.
    var nextAt: Instant? { entries.first?.action.at }

    /// Removes the earliest action and the actions that follow it within `span` seconds and before `end`, if they can
    /// run concurrently. An exact action is the only one in its batch.
    /// - Returns: the actions of each participant in order, and the last time; nil if no action is before `end`.
    mutating func nextBatch(within span: Int, before end: Instant) -> ActionBatch? {
        guard let start = nextAt, start < end, let (first, participant) = removeFirst() else { return nil }
        var batch = ActionBatch(
            participants: [ParticipantActions(participant: participant, actions: [first])], lastAt: start)
        guard !first.isExact else { return batch }
        var indexes = [participant: 0]
        let last = start.adding(seconds: span)
        while let next = entries.first?.action, next.at < end, next.at <= last, !next.isExact,
            let (action, participant) = removeFirst()
        {
            batch.lastAt = action.at
            if let index = indexes[participant] {
                batch.participants[index].actions.append(action)
            } else {
                indexes[participant] = batch.participants.count
                batch.participants.append(ParticipantActions(participant: participant, actions: [action]))
            }
        }
        return batch
    }

    /// Removes the earliest action; nil if there is none.
    private mutating func removeFirst() -> (action: PlannedAction, participant: Int)? {
        guard let first = entries.first else { return nil }
        entries.swapAt(0, entries.count - 1)
        entries.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if isEarlier(child, than: least) { least = child }
            }
            guard least != parent else { break }
            entries.swapAt(parent, least)
            parent = least
        }
        return (first.action, first.participant)
    }

    private func isEarlier(_ left: Int, than right: Int) -> Bool {
        let (one, other) = (entries[left], entries[right])
        return (one.action.at, one.action.rank, one.sequence) < (
            other.action.at, other.action.rank, other.sequence
        )
    }
}

extension Study {
    /// The maximum delay, in seconds, between an action and its arrival at the server. Actions are delayed because
    /// phones submit at their own time. The delay is 5 minutes if the study has rules for notifications or decision
    /// rules, or if an occasion after an event, walk or sheet has a reminder or closes within 2 hours. Otherwise a
    /// delay of an hour changes neither the plan nor a message.
    var batchSeconds: Int {
        let isUrgent =
            !notificationRules.isEmpty || !rules.isEmpty
            || schedules.contains { schedule in
                let isReminded = reminder != nil && (schedule.isInDailyMail || !schedule.reminders.isEmpty)
                return followsEvent(schedule)
                    && (isReminded || schedule.slots.contains { $0.closeAfter <= 2 * 3600 })
            }
        return isUrgent ? 300 : 3600
    }
}
