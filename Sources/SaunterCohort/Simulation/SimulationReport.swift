import SaunterCore

/// What a dry run shows of a study. Reports of parts of its people add up.
package struct SimulationReport: Sendable, Hashable {
    /// What is asked of people and what comes of it.
    package struct Figures: Sendable, Hashable {
        /// Those whom it concerns.
        package var people = 0
        /// Days on which they were enrolled, their day of joining included.
        package var personDays = 0
        /// Occasions that open; what is set aside is not among them.
        package var prompts = 0
        package var settled = 0
        package var completed = 0
        package var onTime = 0
        /// Sheets without an occasion.
        package var unscheduled = 0
        package var minutesAsked = 0.0
        package var minutesAnswered = 0.0
        package var left = 0
        package var silent = 0
        package var reminders = 0

        mutating func add(_ other: Figures) {
            people += other.people
            personDays += other.personDays
            prompts += other.prompts
            settled += other.settled
            completed += other.completed
            onTime += other.onTime
            unscheduled += other.unscheduled
            minutesAsked += other.minutesAsked
            minutesAnswered += other.minutesAnswered
            left += other.left
            silent += other.silent
            reminders += other.reminders
        }

        package init() {}
    }

    /// A schedule in an arm: how many people and sheets an analysis will have.
    package struct Cell: Sendable, Hashable {
        package let arm: String
        package let schedule: String
        /// People who are asked at least once, who answer at least once, and who answer everything that is settled.
        package var asked = 0
        package var answering = 0
        package var complete = 0
        package var settled = 0
        package var completed = 0
        package var onTime = 0
    }

    /// A day, of the calendar or of everybody's study.
    package struct Day: Sendable, Hashable {
        package var enrolled = 0
        package var prompts = 0
        package var answered = 0
        package var reminders = 0
        package var joined = 0

        package init(enrolled: Int = 0, prompts: Int = 0, answered: Int = 0) {
            self.enrolled = enrolled
            self.prompts = prompts
            self.answered = answered
        }
    }

    package private(set) var total = Figures()
    /// In the order of the study.
    package private(set) var arms: [(arm: String, figures: Figures)]
    /// By arm, then schedule, in the order of the study.
    package private(set) var cells: [Cell]
    /// By the day of the study, from 0; sheets count on the day of their occasion.
    package private(set) var studyDays: [Day] = []
    /// By local date.
    package private(set) var calendar: [LocalDate: Day] = [:]
    /// How many of a participant's days have so many prompts, by their number.
    package private(set) var promptsPerDay: [Int] = []
    /// How many people have this adherence, by whole percent, rounded down; people with nothing settled are not among them.
    package private(set) var adherences = Array(repeating: 0, count: 101)
    /// Sheets that a device kept back while it had no network.
    package private(set) var keptBack = 0
    /// Walks likewise.
    package private(set) var walksKeptBack = 0
    /// Occasions that a mail counted although they were answered, on such a device.
    package private(set) var remindedInVain = 0
    package private(set) var travellers = 0
    package private(set) var pausing = 0
    package private(set) var walks = 0
    private let minutes: [String: Double]

    init(study: Study) {
        let codes = study.arms.isEmpty ? [""] : study.arms.map(\.code)
        arms = codes.map { (arm: $0, figures: Figures()) }
        cells = codes.flatMap { arm in
            study.schedules.filter { $0.applies(to: arm.isEmpty ? nil : arm) }.map {
                Cell(arm: arm, schedule: $0.id)
            }
        }
        minutes = Dictionary(
            study.questionnaires.map { ($0.code, $0.minutes) }, uniquingKeysWith: { first, _ in first })
    }

    package static func == (left: Self, right: Self) -> Bool { left.json == right.json }
    package func hash(into hasher: inout Hasher) { hasher.combine(total) }

    /// Joins in the people of another part.
    mutating func add(_ other: SimulationReport) {
        total.add(other.total)
        for index in arms.indices where index < other.arms.count {
            arms[index].figures.add(other.arms[index].figures)
        }
        for index in cells.indices where index < other.cells.count { cells[index].add(other.cells[index]) }
        for (index, day) in other.studyDays.enumerated() { note(day, onStudyDay: index) }
        for (date, day) in other.calendar { calendar[date, default: Day()].add(day) }
        for (count, days) in other.promptsPerDay.enumerated() { note(days, daysWithPrompts: count) }
        for index in adherences.indices { adherences[index] += other.adherences[index] }
        keptBack += other.keptBack
        walksKeptBack += other.walksKeptBack
        remindedInVain += other.remindedInVain
        travellers += other.travellers
        pausing += other.pausing
        walks += other.walks
    }

    /// Joins in one participant.
    mutating func add(_ life: SimulatedLife) {
        let arm = life.arm ?? ""
        let adherence = Adherence(occasions: life.occasions, at: life.until)
        var figures = Figures()
        figures.people = 1
        figures.settled = adherence.settled
        figures.completed = adherence.completed
        figures.onTime = adherence.onTime
        figures.unscheduled = life.unscheduled.count
        figures.reminders = life.reminders.count
        figures.left = life.course.leavesAt == nil ? 0 : 1
        figures.silent = life.course.silentFrom == nil ? 0 : 1
        for occasion in life.occasions where occasion.isAsked {
            figures.prompts += 1
            figures.minutesAsked += minutes[occasion.questionnaire] ?? 0
            if occasion.isAnswered { figures.minutesAnswered += minutes[occasion.questionnaire] ?? 0 }
        }
        for sheet in life.unscheduled { figures.minutesAnswered += minutes[sheet.questionnaire] ?? 0 }
        figures.personDays = noteDays(of: life)
        total.add(figures)
        if let index = arms.firstIndex(where: { $0.arm == arm }) { arms[index].figures.add(figures) }
        for index in cells.indices where cells[index].arm == arm { cells[index].add(life) }
        if adherence.settled > 0 { adherences[adherence.completed * 100 / adherence.settled] += 1 }
        let late = life.occasions.filter { occasion in
            occasion.isAnswered && life.receivedAt[occasion.id] != occasion.completedAt
        }
        keptBack += late.count + life.unscheduled.filter { $0.at != $0.receivedAt }.count
        walksKeptBack += life.course.walks.count { life.course.received($0) > $0 }
        remindedInVain += life.reminders.reduce(0) { $0 + $1.answeredCount }
        travellers += life.course.journeys.isEmpty ? 0 : 1
        pausing += life.course.pauses.isEmpty ? 0 : 1
        walks += life.course.walks.count
    }

    /// - Returns: the days on which the participant was enrolled.
    private mutating func noteDays(of life: SimulatedLife) -> Int {
        let lastMoment = min(life.course.leavesAt ?? .maximum, life.until.adding(milliseconds: -1))
        let last = min(
            life.course.zone(at: lastMoment).local(of: lastMoment).date,
            life.enrolledOn.adding(days: life.lastDay))
        var days: [LocalDate: Day] = [:]
        for number in life.enrolledOn.days...max(life.enrolledOn.days, last.days) {
            days[LocalDate(days: number)] = Day(enrolled: 1)
        }
        days[life.enrolledOn, default: Day()].joined = 1
        for occasion in life.occasions where occasion.isAsked {
            days[occasion.localDate, default: Day()].prompts += 1
            if occasion.isAnswered { days[occasion.localDate, default: Day()].answered += 1 }
        }
        for reminder in life.reminders { days[reminder.date, default: Day()].reminders += 1 }
        for (date, day) in days {
            calendar[date, default: Day()].add(day)
            note(day, onStudyDay: date.days - life.enrolledOn.days)
            if day.enrolled > 0 || day.prompts > 0 { note(1, daysWithPrompts: day.prompts) }
        }
        return days.values.filter { $0.enrolled > 0 }.count
    }

    private mutating func note(_ day: Day, onStudyDay number: Int) {
        // What is bound to a date may have opened before somebody joined.
        guard number >= 0 else { return }
        while studyDays.count <= number { studyDays.append(Day()) }
        studyDays[number].add(day)
    }

    private mutating func note(_ days: Int, daysWithPrompts count: Int) {
        while promptsPerDay.count <= count { promptsPerDay.append(0) }
        promptsPerDay[count] += days
    }
}

extension SimulationReport.Cell {
    mutating func add(_ other: Self) {
        asked += other.asked
        answering += other.answering
        complete += other.complete
        settled += other.settled
        completed += other.completed
        onTime += other.onTime
    }

    fileprivate mutating func add(_ life: SimulatedLife) {
        let mine = life.occasions.filter { $0.key.schedule == schedule && $0.isAsked }
        guard !mine.isEmpty else { return }
        let adherence = Adherence(occasions: mine, at: life.until)
        asked += 1
        answering += adherence.completed > 0 ? 1 : 0
        complete += adherence.settled > 0 && adherence.completed == adherence.settled ? 1 : 0
        settled += adherence.settled
        completed += adherence.completed
        onTime += adherence.onTime
    }
}

extension SimulationReport.Day {
    fileprivate mutating func add(_ other: Self) {
        enrolled += other.enrolled
        prompts += other.prompts
        answered += other.answered
        reminders += other.reminders
        joined += other.joined
    }
}

extension Occasion {
    /// It counts: nothing set it aside, or it was answered all the same.
    var isAsked: Bool { setAside == nil || isAnswered }
}
