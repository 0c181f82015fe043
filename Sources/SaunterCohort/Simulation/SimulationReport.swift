import SaunterCore

/// The report of a dry run. Reports of disjoint groups of participants can be added.
package struct SimulationReport: Sendable, Hashable {
    /// The figures of a group of participants.
    package struct Figures: Sendable, Hashable {
        /// The number of participants.
        package var participants = 0
        /// The number of days of enrolment of all participants, including the days of joining.
        package var participantDays = 0
        /// The number of occasions that open, without excluded ones.
        package var occasions = 0
        /// The number of occasions that are answered or missed.
        package var settled = 0
        /// The number of occasions that are answered.
        package var completed = 0
        /// The number of occasions that are answered on time.
        package var onTime = 0
        /// The number of sheets without an occasion.
        package var unscheduled = 0
        /// The minutes that the questionnaires of all occasions take.
        package var minutesAsked = 0.0
        /// The minutes that the answered questionnaires take.
        package var minutesAnswered = 0.0
        /// The number of participants who leave the study.
        package var left = 0
        /// The number of participants who stop answering without leaving the study.
        package var stoppedAnswering = 0
        /// The number of messages.
        package var reminders = 0

        mutating func add(_ other: Figures) {
            participants += other.participants
            participantDays += other.participantDays
            occasions += other.occasions
            settled += other.settled
            completed += other.completed
            onTime += other.onTime
            unscheduled += other.unscheduled
            minutesAsked += other.minutesAsked
            minutesAnswered += other.minutesAnswered
            left += other.left
            stoppedAnswering += other.stoppedAnswering
            reminders += other.reminders
        }

        /// Creates figures of 0.
        package init() {}
    }

    /// A schedule in an arm: the numbers of participants and sheets for an analysis.
    package struct Cell: Sendable, Hashable {
        /// The code of the arm; empty if the study has no arms.
        package let arm: String
        /// The id of the schedule.
        package let schedule: String
        /// The number of participants who have at least one occasion.
        package var asked = 0
        /// The number of participants who answer at least one occasion.
        package var answering = 0
        /// The number of participants who answer all settled occasions.
        package var complete = 0
        /// The number of occasions that are answered or missed.
        package var settled = 0
        /// The number of occasions that are answered.
        package var completed = 0
        /// The number of occasions that are answered on time.
        package var onTime = 0
    }

    /// A calendar day or a study day.
    package struct Day: Sendable, Hashable {
        /// The number of participants who are enrolled on this day.
        package var enrolled = 0
        /// The number of occasions of this day.
        package var occasions = 0
        /// The number of answered occasions of this day.
        package var answered = 0
        /// The number of messages that are sent on this day.
        package var reminders = 0
        /// The number of participants who enrol on this day.
        package var joined = 0

        /// Creates a day without messages and without new participants.
        package init(enrolled: Int = 0, occasions: Int = 0, answered: Int = 0) {
            self.enrolled = enrolled
            self.occasions = occasions
            self.answered = answered
        }
    }

    /// The figures of all participants.
    package private(set) var total = Figures()
    /// In the order of the study's arms.
    package private(set) var arms: [(arm: String, figures: Figures)]
    /// By arm, then schedule, in the order of the study.
    package private(set) var cells: [Cell]
    /// By study day, from 0. Sheets count on the day of their occasion.
    package private(set) var studyDays: [Day] = []
    /// By local date.
    package private(set) var calendar: [LocalDate: Day] = [:]
    /// The number of participant days by their number of occasions.
    package private(set) var occasionsPerDay: [Int] = []
    /// The number of participants by adherence in whole percent, rounded down, without participants who have no settled
    /// occasion.
    package private(set) var adherences = Array(repeating: 0, count: 101)
    /// The number of sheets that reached the server later because the device had no network.
    package private(set) var delayedSheets = 0
    /// The number of walks that reached the server later because the device had no network.
    package private(set) var delayedWalks = 0
    /// The number of occasions that a mail announced although they were already answered on a device without network.
    package private(set) var announcedAfterAnswer = 0
    /// The number of participants who travel to another zone.
    package private(set) var travellers = 0
    /// The number of participants who take a break.
    package private(set) var pausing = 0
    /// The number of walks.
    package private(set) var walks = 0
    /// In the order of the study's rules, without those for administrators of groups.
    package private(set) var rules: [RuleFigures]
    /// Messages of all rules.
    package private(set) var ruleMessages = RuleMessages()
    private let minutes: [String: Double]

    init(study: Study) {
        let codes = study.arms.isEmpty ? [""] : study.arms.map(\.code)
        arms = codes.map { (arm: $0, figures: Figures()) }
        cells = codes.flatMap { arm in
            study.schedules.filter { $0.applies(to: arm.isEmpty ? nil : arm) }.map {
                Cell(arm: arm, schedule: $0.id)
            }
        }
        rules = study.rules.filter { $0.recipient == .participant }.map { RuleFigures($0) }
        minutes = Dictionary(
            study.questionnaires.map { ($0.code, $0.minutes) }, uniquingKeysWith: { first, _ in first })
    }

    /// Compares the reports as JSON.
    package static func == (left: Self, right: Self) -> Bool { left.json == right.json }
    /// Hashes the figures of all participants.
    package func hash(into hasher: inout Hasher) { hasher.combine(total) }

    /// Adds the report of other participants.
    mutating func add(_ other: SimulationReport) {
        total.add(other.total)
        for index in arms.indices where index < other.arms.count {
            arms[index].figures.add(other.arms[index].figures)
        }
        for index in cells.indices where index < other.cells.count { cells[index].add(other.cells[index]) }
        for (index, day) in other.studyDays.enumerated() { countDay(day, onStudyDay: index) }
        for (date, day) in other.calendar { calendar[date, default: Day()].add(day) }
        for (count, days) in other.occasionsPerDay.enumerated() { countDays(days, withOccasions: count) }
        for index in adherences.indices { adherences[index] += other.adherences[index] }
        delayedSheets += other.delayedSheets
        delayedWalks += other.delayedWalks
        announcedAfterAnswer += other.announcedAfterAnswer
        travellers += other.travellers
        pausing += other.pausing
        walks += other.walks
        for index in rules.indices where index < other.rules.count { rules[index].add(other.rules[index]) }
        ruleMessages.add(other.ruleMessages)
    }

    /// Adds one participant.
    mutating func add(_ participant: ParticipantSimulation) {
        let arm = participant.arm ?? ""
        let adherence = Adherence(occasions: participant.occasions, at: participant.until)
        var figures = Figures()
        figures.participants = 1
        figures.settled = adherence.settled
        figures.completed = adherence.completed
        figures.onTime = adherence.onTime
        figures.unscheduled = participant.unscheduled.count
        figures.reminders = participant.reminders.count
        figures.left = participant.course.leavesAt == nil ? 0 : 1
        figures.stoppedAnswering = participant.course.stopsAnsweringAt == nil ? 0 : 1
        for occasion in participant.occasions where occasion.isCounted {
            figures.occasions += 1
            figures.minutesAsked += minutes[occasion.questionnaire] ?? 0
            if occasion.isAnswered { figures.minutesAnswered += minutes[occasion.questionnaire] ?? 0 }
        }
        for sheet in participant.unscheduled { figures.minutesAnswered += minutes[sheet.questionnaire] ?? 0 }
        figures.participantDays = countDays(of: participant)
        total.add(figures)
        if let index = arms.firstIndex(where: { $0.arm == arm }) { arms[index].figures.add(figures) }
        for index in cells.indices where cells[index].arm == arm { cells[index].add(participant) }
        if adherence.settled > 0 { adherences[adherence.completed * 100 / adherence.settled] += 1 }
        let delayed = participant.occasions.filter { occasion in
            occasion.isAnswered && participant.receivedAt[occasion.id] != occasion.completedAt
        }
        delayedSheets += delayed.count + participant.unscheduled.filter { $0.at != $0.receivedAt }.count
        delayedWalks += participant.course.walks.count { participant.course.receiptTime(of: $0) > $0 }
        announcedAfterAnswer += participant.reminders.reduce(0) { $0 + $1.answeredCount }
        travellers += participant.course.journeys.isEmpty ? 0 : 1
        pausing += participant.course.pauses.isEmpty ? 0 : 1
        walks += participant.course.walks.count
        let decisions = Dictionary(grouping: participant.decisions, by: \.point.rule)
        for index in rules.indices {
            rules[index].add(decisions[rules[index].rule] ?? [], of: participant)
        }
        ruleMessages.add(participant.decisions, of: participant)
    }

    /// Counts the days of one participant.
    /// - Returns: the number of days on which the participant was enrolled.
    private mutating func countDays(of participant: ParticipantSimulation) -> Int {
        let lastMoment = min(
            participant.course.leavesAt ?? .maximum, participant.until.adding(milliseconds: -1))
        let last = min(
            participant.course.zone(at: lastMoment).local(of: lastMoment).date,
            participant.enrolledOn.adding(days: participant.lastDay))
        var days: [LocalDate: Day] = [:]
        for number in participant.enrolledOn.days...max(participant.enrolledOn.days, last.days) {
            days[LocalDate(days: number)] = Day(enrolled: 1)
        }
        days[participant.enrolledOn, default: Day()].joined = 1
        for occasion in participant.occasions where occasion.isCounted {
            days[occasion.localDate, default: Day()].occasions += 1
            if occasion.isAnswered { days[occasion.localDate, default: Day()].answered += 1 }
        }
        for reminder in participant.reminders { days[reminder.date, default: Day()].reminders += 1 }
        for (date, day) in days {
            calendar[date, default: Day()].add(day)
            countDay(day, onStudyDay: date.days - participant.enrolledOn.days)
            if day.enrolled > 0 || day.occasions > 0 { countDays(1, withOccasions: day.occasions) }
        }
        return days.values.filter { $0.enrolled > 0 }.count
    }

    private mutating func countDay(_ day: Day, onStudyDay number: Int) {
        // An occasion on a fixed date may have opened before the participant joined.
        guard number >= 0 else { return }
        while studyDays.count <= number { studyDays.append(Day()) }
        studyDays[number].add(day)
    }

    private mutating func countDays(_ days: Int, withOccasions count: Int) {
        while occasionsPerDay.count <= count { occasionsPerDay.append(0) }
        occasionsPerDay[count] += days
    }
}

extension SimulationReport {
    /// A quantile of adherence over participants, in whole percent; nil without participants.
    package func adherence(quantile percent: Int) -> Int? {
        let participants = adherences.reduce(0, +)
        guard participants > 0 else { return nil }
        var sum = 0
        return adherences.indices.first { index in
            sum += adherences[index]
            return sum * 100 >= percent * participants
        }
    }

    /// 100 × part / total, to one decimal; nil if the total is 0.
    package static func percent(_ part: Int, of whole: Int) -> Double? {
        whole > 0 ? (Double(part) / Double(whole) * 1000).rounded() / 10 : nil
    }
}

extension SimulationReport.Figures {
    /// Occasions per participant day.
    package var occasionsPerDay: Double { perParticipantDay(Double(occasions)) }
    /// Minutes of all occasions per participant day.
    package var minutesAskedPerDay: Double { perParticipantDay(minutesAsked) }
    /// Minutes of answered sheets per participant day.
    package var minutesAnsweredPerDay: Double { perParticipantDay(minutesAnswered) }
    /// Answered occasions in percent of settled ones; nil if none is settled.
    package var adherencePercent: Double? { SimulationReport.percent(completed, of: settled) }
    /// Occasions answered on time in percent of settled ones; nil if none is settled.
    package var onTimePercent: Double? { SimulationReport.percent(onTime, of: settled) }

    /// The mean per participant day, to two decimals.
    private func perParticipantDay(_ sum: Double) -> Double {
        participantDays > 0 ? (sum / Double(participantDays) * 100).rounded() / 100 : 0
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

    fileprivate mutating func add(_ participant: ParticipantSimulation) {
        let occasions = participant.occasions.filter { $0.key.schedule == schedule && $0.isCounted }
        guard !occasions.isEmpty else { return }
        let adherence = Adherence(occasions: occasions, at: participant.until)
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
        occasions += other.occasions
        answered += other.answered
        reminders += other.reminders
        joined += other.joined
    }
}

extension Occasion {
    /// Whether the occasion counts: it is not excluded, or it was answered.
    var isCounted: Bool { exclusion == nil || isAnswered }
}
