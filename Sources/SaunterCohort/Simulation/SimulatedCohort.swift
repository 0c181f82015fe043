import SaunterCore

/// The participants of a dry run, who use the public API of a server with `clock`. They behave as in the run without a
/// server, because their decisions use the same draws. The server plans occasions, evaluates rules at their decision
/// points and sends messages. Participants act concurrently in batches (`Study.batchSeconds`). During a batch the
/// server has no background work to do. The server receives a batch at the time of its last action; records state their
/// own time.
package struct SimulatedCohort: Sendable {
    /// The dry run whose decisions the participants repeat.
    package let simulation: Simulation
    /// The clock that the server uses during the run.
    package let clock: SimulatedClock
    private let password: String

    /// The maximum number of participants of one run: they join one after another, and each password is hashed.
    package static let maximumParticipants = 1000

    /// After how many seconds unfinished background work is retried.
    private static let retrySeconds = 20

    /// - Parameter password: the password of every participant.
    package init(_ simulation: Simulation, password: String) {
        self.simulation = simulation
        self.password = password
        clock = SimulatedClock(at: Zone.utc.startOfDay(simulation.start.adding(days: -1)))
    }

    /// Runs all actions.
    /// - Parameters:
    ///   - enrolmentCode: a code for all participants, if the study has no open enrolment.
    ///   - nextWork: when the server has background work to do; nil if it currently has none.
    ///   - doWork: runs the background work of the server. It is called when work is due and at every midnight (UTC;
    ///     `nightly` is true). Returns the same as `nextWork`.
    ///   - progress: receives the simulated time.
    /// - Returns: which submitted records the server accepted and rejected.
    package func run(
        on server: ServerClient, enrolmentCode: String? = nil, nextWork: () async throws -> Instant?,
        doWork: (_ nightly: Bool) async throws -> Instant?,
        progress: (Instant) -> Void = { _ in }
    ) async throws -> SubmissionOutcomes {
        let courses = simulation.courses().sorted { ($0.joinedAt, $0.index) < ($1.joinedAt, $1.index) }
        var participants = courses.map {
            SimulatedParticipant($0, simulation, password: password, server: server)
        }
        for index in participants.indices { participants[index].enrolmentCode = enrolmentCode }
        var queue = ActionQueue()
        for index in participants.indices { queue.add(participants[index].firstActions(), of: index) }
        var midnight = clock.now()
        var lastWorkAt = clock.now().adding(seconds: -Self.retrySeconds)
        /// - Returns: until when the server currently has no work; later than `moment`.
        func runServerWork(until moment: Instant) async throws -> Instant {
            var workAt = try await nextWork()
            while true {
                // Work that could not be finished is retried after some seconds, like on a server.
                var due = workAt ?? .maximum
                if due <= lastWorkAt { due = lastWorkAt.adding(seconds: Self.retrySeconds) }
                let next = min(due, midnight)
                guard next <= moment else { return next }
                clock.advance(to: next)
                workAt = try await doWork(next == midnight)
                lastWorkAt = next
                if next == midnight {
                    progress(midnight)
                    midnight = midnight.adding(seconds: 86_400)
                }
            }
        }
        let span = simulation.study.batchSeconds
        while let first = queue.nextAt, first < simulation.until {
            let idleUntil = try await runServerWork(until: first)
            let end = min(idleUntil, simulation.until)
            guard let batch = queue.nextBatch(within: span, before: end) else { break }
            clock.advance(to: batch.lastAt)
            for (index, participant, following) in try await run(batch, participants) {
                participants[index] = participant
                queue.add(following, of: index)
            }
        }
        _ = try await runServerWork(until: simulation.until.adding(milliseconds: -1))
        clock.advance(to: simulation.until)
        _ = try await doWork(true)
        return participants.reduce(into: SubmissionOutcomes()) { $0.add($1.outcomes) }
    }

    /// Runs a batch.
    /// - Returns: for each entry, in order, the index of the participant, the participant afterwards and the actions
    ///   that follow.
    private func run(
        _ batch: ActionBatch, _ participants: [SimulatedParticipant]
    ) async throws -> [(index: Int, participant: SimulatedParticipant, following: [PlannedAction])] {
        let now = clock.now()
        let entries = batch.participants
        var results: [Int: (SimulatedParticipant, [PlannedAction])] = [:]
        try await withThrowingTaskGroup(of: (Int, SimulatedParticipant, [PlannedAction]).self) { group in
            var startedCount = 0
            func startNext() {
                guard startedCount < entries.count else { return }
                let number = startedCount
                let entry = entries[number]
                let before = participants[entry.participant]
                group.addTask {
                    var participant = before
                    var following: [PlannedAction] = []
                    for action in entry.actions { following += try await participant.run(action, now: now) }
                    return (number, participant, following)
                }
                startedCount += 1
            }
            for _ in 0..<ServerClient.maximumConnections { startNext() }
            while let (number, participant, following) = try await group.next() {
                results[number] = (participant, following)
                startNext()
            }
        }
        return entries.enumerated().compactMap { number, entry in
            results[number].map { (index: entry.participant, participant: $0.0, following: $0.1) }
        }
    }
}
