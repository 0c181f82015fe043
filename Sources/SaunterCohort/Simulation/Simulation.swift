import SaunterCore

/// A dry run of a complete study with simulated participants. It uses the engine of the server and no database. The
/// same values produce the same run.
package struct Simulation: Sendable {
    /// The study in which the participants take part.
    package let study: Study
    /// How participants answer through the API, by code of the questionnaire.
    package var hints: [String: AnswerHints] = [:]
    /// The number of participants.
    package let participants: Int
    /// The first local date on which participants may join.
    package let start: LocalDate
    /// The number of days on which participants may join.
    package let recruitingDays: Int
    /// The home zones of the participants, assigned in turn.
    package let zones: [Zone]
    /// How likely participants answer, travel, take breaks and leave.
    package let behaviour: Behaviour
    /// The start of all random decisions. Equal seeds produce equal runs.
    package let seed: UInt64
    /// The length of the run in days.
    package let days: Int
    /// The end of the run, a midnight in the study's zone. Nothing happens from then on.
    package let until: Instant
    /// After this number of planned occasions of a participant, no further sheet is followed.
    var planLimit = Int.max

    /// The maximum number of participants of one run.
    package static let maximumParticipants = 1_000_000

    /// - Parameters:
    ///   - participants: 1 to `maximumParticipants`; clamped.
    ///   - recruitingDays: at least 1; all participants join on these days.
    ///   - zones: the home zones, assigned in turn; if empty, all participants live in the study's zone.
    ///   - days: the length of the run from its first day. If nil, the run ends with the study of the last participant.
    package init(
        of study: Study, participants: Int, from start: LocalDate, recruitingDays: Int = 1,
        zones: [Zone] = [],
        days: Int? = nil, behaviour: Behaviour = Behaviour(), seed: UInt64
    ) {
        self.study = study
        self.participants = min(max(participants, 1), Self.maximumParticipants)
        self.start = start
        self.recruitingDays = min(max(recruitingDays, 1), Study.maximumDays)
        self.zones = zones.isEmpty ? [study.zone] : zones
        self.behaviour = behaviour
        self.seed = seed
        // Assessment windows of the last day may close days later.
        let longest = study.schedules.flatMap(\.slots).map(\.closeAfter).max() ?? 0
        let fullLength =
            self.recruitingDays + study.days + min(max(longest, 0) / 86_400, Study.maximumDays) + 3
        self.days = min(max(days ?? fullLength, 1), fullLength)
        until = study.zone.startOfDay(start.adding(days: self.days))
    }

    /// The courses of all participants, by index.
    package func courses() -> [ParticipantCourse] {
        (0..<participants).map { index in
            var numbers = SeededNumbers(seed: seed, 10, index)
            let home = zones[index % zones.count]
            let date = start.adding(days: Int.random(in: 0..<recruitingDays, using: &numbers))
            let seconds = Int.random(in: 8 * 3600..<20 * 3600, using: &numbers)
            return ParticipantCourse(
                index: index, home: home, joinedAt: home.startOfDay(date).adding(seconds: seconds),
                study: study, behaviour: behaviour, seed: seed, until: until)
        }.filter { $0.joinedAt < until }
    }

    /// Simulates all participants on several threads.
    /// - Parameters:
    ///   - workers: the number of concurrent tasks; the result does not depend on it.
    ///   - each: receives the simulated participants in the order of joining, a few hundred at a time, and the total
    ///     number of participants.
    package func run(
        workers: Int, each: (_ part: [ParticipantSimulation], _ total: Int) throws -> Void = { _, _ in }
    ) async throws -> SimulationReport {
        let courses = self.courses().sorted { ($0.joinedAt, $0.index) < ($1.joinedAt, $1.index) }
        // The study's allocation rule assigns arms in the order of joining. A study without a rule has no arms.
        let source = Array("saunter.simulation \(seed)".utf8)
        let arms = study.assignArms(to: courses.map(\.factors), seed: source) ?? []
        let rules = SimulatedRules(study, hints: hints, seed: seed)
        var report = SimulationReport(study: study)
        try await withThrowingTaskGroup(of: (Int, [ParticipantSimulation], SimulationReport).self) { group in
            let chunks = (courses.count + chunkSize - 1) / chunkSize
            var startedChunks = 0
            var reportedChunks = 0
            var finished: [Int: ([ParticipantSimulation], SimulationReport)] = [:]
            func startNext() {
                guard startedChunks < chunks else { return }
                let number = startedChunks
                let range = number * chunkSize..<min((number + 1) * chunkSize, courses.count)
                let chunk = range.map { (course: courses[$0], arm: $0 < arms.count ? arms[$0] : nil) }
                group.addTask { try simulate(number, chunk, rules) }
                startedChunks += 1
            }
            for _ in 0..<max(1, workers) { startNext() }
            while let (number, part, partReport) = try await group.next() {
                finished[number] = (part, partReport)
                while let (part, partReport) = finished.removeValue(forKey: reportedChunks) {
                    try each(part, courses.count)
                    report.add(partReport)
                    reportedChunks += 1
                }
                startNext()
            }
        }
        return report
    }

    /// The number of participants of one task. With rules each of them takes much longer.
    private var chunkSize: Int { study.rules.isEmpty ? 128 : 8 }

    private func simulate(
        _ number: Int, _ courses: [(course: ParticipantCourse, arm: String?)], _ rules: SimulatedRules?
    ) throws -> (Int, [ParticipantSimulation], SimulationReport) {
        var part: [ParticipantSimulation] = []
        for (course, arm) in courses {
            part.append(
                ParticipantSimulation(
                    course: course, study: study, arm: arm, seed: seed, until: until, rules: rules,
                    planLimit: planLimit))
            // A cancelled task leaves a participant incomplete.
            try Task.checkCancellation()
        }
        var report = SimulationReport(study: study)
        for participant in part { report.add(participant) }
        return (number, part, report)
    }
}
