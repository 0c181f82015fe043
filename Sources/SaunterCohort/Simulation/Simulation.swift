import SaunterCore

/// A dry run of a whole study with made-up people, by the engine that the server uses and without a database. The same values give the same run.
package struct Simulation: Sendable {
    package let study: Study
    package let participants: Int
    /// The first local day on which somebody may join, and how many there are.
    package let start: LocalDate
    package let recruitingDays: Int
    package let zones: [Zone]
    package let behaviour: Behaviour
    package let seed: UInt64
    /// The moment from which the run looks back, a midnight of the study's zone; nothing happens from then on.
    package let until: Instant

    /// The most people of one run.
    package static let mostParticipants = 1_000_000

    /// - Parameters:
    ///   - participants: 1 to `mostParticipants`; clamped.
    ///   - recruitingDays: at least 1; everybody joins in these days.
    ///   - zones: homes, in turn; empty = the study's.
    ///   - days: how long the run is, from its first day; nil = until everybody's study is over.
    package init(
        of study: Study, participants: Int, from start: LocalDate, recruitingDays: Int = 1,
        zones: [Zone] = [],
        days: Int? = nil, behaviour: Behaviour = Behaviour(), seed: UInt64
    ) {
        self.study = study
        self.participants = min(max(participants, 1), Self.mostParticipants)
        self.start = start
        self.recruitingDays = min(max(recruitingDays, 1), Study.longestDays)
        self.zones = zones.isEmpty ? [study.zone] : zones
        self.behaviour = behaviour
        self.seed = seed
        // Windows of the last day may close days after it.
        let longest = study.schedules.flatMap(\.slots).map(\.closeAfter).max() ?? 0
        let whole = self.recruitingDays + study.days + min(max(longest, 0) / 86_400, Study.longestDays) + 3
        until = study.zone.startOfDay(start.adding(days: min(max(days ?? whole, 1), whole)))
    }

    /// Everybody's course, by place.
    package func courses() -> [LifeCourse] {
        (0..<participants).map { place in
            var numbers = SeededNumbers(seed: seed, 10, place)
            let home = zones[place % zones.count]
            let date = start.adding(days: Int.random(in: 0..<recruitingDays, using: &numbers))
            let seconds = Int.random(in: 8 * 3600..<20 * 3600, using: &numbers)
            return LifeCourse(
                place: place, home: home, joinedAt: home.startOfDay(date).adding(seconds: seconds),
                study: study, behaviour: behaviour, seed: seed, until: until)
        }.filter { $0.joinedAt < until }
    }

    /// Lets all of it happen on several threads.
    /// - Parameters:
    ///   - workers: how many run at once; the outcome does not depend on it.
    ///   - each: gets everybody's life in the order of joining, a few hundred at a time, and how many there are in all.
    package func run(
        workers: Int, each: (_ lives: [SimulatedLife], _ all: Int) throws -> Void = { _, _ in }
    ) async throws -> SimulationReport {
        let courses = self.courses().sorted { ($0.joinedAt, $0.place) < ($1.joinedAt, $1.place) }
        // By the study's own rule, in the order of joining; a study without one has no arms.
        let source = Array("saunter.simulation \(seed)".utf8)
        let arms = study.allot(all: courses.map(\.factors), seed: source) ?? []
        var report = SimulationReport(study: study)
        try await withThrowingTaskGroup(of: (Int, [SimulatedLife], SimulationReport).self) { group in
            let chunks = (courses.count + Self.chunk - 1) / Self.chunk
            var begun = 0
            var written = 0
            var waiting: [Int: ([SimulatedLife], SimulationReport)] = [:]
            func begin() {
                guard begun < chunks else { return }
                let number = begun
                let places = number * Self.chunk..<min((number + 1) * Self.chunk, courses.count)
                let mine = places.map { (course: courses[$0], arm: $0 < arms.count ? arms[$0] : nil) }
                group.addTask { try lives(number, mine) }
                begun += 1
            }
            for _ in 0..<max(1, workers) { begin() }
            while let (number, lives, part) = try await group.next() {
                waiting[number] = (lives, part)
                while let (lives, part) = waiting.removeValue(forKey: written) {
                    try each(lives, courses.count)
                    report.add(part)
                    written += 1
                }
                begin()
            }
        }
        return report
    }

    /// People of one task.
    private static let chunk = 128

    private func lives(_ number: Int, _ courses: [(course: LifeCourse, arm: String?)]) throws -> (
        Int, [SimulatedLife], SimulationReport
    ) {
        try Task.checkCancellation()
        let lives = courses.map {
            SimulatedLife(course: $0.course, study: study, arm: $0.arm, seed: seed, until: until)
        }
        var report = SimulationReport(study: study)
        for life in lives { report.add(life) }
        return (number, lives, report)
    }
}
