import SaunterCore

/// One simulated participant of a dry run: the complete plan of the engine, the answered occasions and the messages.
package struct ParticipantSimulation: Sendable {
    /// What happens to the participant, independent of occasions.
    package let course: ParticipantCourse
    /// Derived from the seed, the index and the instant of joining.
    package let enrolmentID: EnrolmentID
    /// The code of the arm; nil if the study has no arms.
    package let arm: String?
    /// The local date of the enrolment, day 0.
    package let enrolledOn: LocalDate
    /// All occasions that open before the end of the run, answered or not.
    package private(set) var occasions: [Occasion] = []
    /// For answered occasions: when the sheet reached the server.
    package private(set) var receivedAt: [OccasionID: Instant] = [:]
    /// For occasions after a walk or a sheet: when the server received it and planned them.
    package private(set) var plannedAt: [OccasionID: Instant] = [:]
    /// Sheets without an occasion, by questionnaire, then in the order of completion.
    package private(set) var unscheduled: [(questionnaire: String, at: Instant, receivedAt: Instant)] = []
    /// All sheets in the order of completion, with the draws from which their answers follow.
    private(set) var completedSheets: [(id: SheetID, questionnaire: String, at: Instant, draws: SheetDraws)] =
        []
    /// The first answered sheet whose following occasions were not planned, because the limit was reached; nil if the
    /// plan is complete.
    package private(set) var plannedBefore: Instant?
    /// The messages, in the order of sending.
    package private(set) var reminders: [SimulatedReminder] = []
    /// The decisions of the study's rules, in the order in which they were made, including those that a server does not
    /// store.
    package private(set) var decisions: [RuleDecision] = []
    /// The end of the run.
    package let until: Instant
    /// The last day of the study, counted from the day of joining, which is day 0.
    let lastDay: Int

    /// - Parameters:
    ///   - until: the end of the run. Occasions have the state of this instant.
    ///   - seed: the seed of the run.
    ///   - rules: the decision rules of the study; nil if it has none.
    ///   - planLimit: after this number of planned occasions, no further sheet is followed. An occasion counts each
    ///     time that it is planned.
    init(
        course: ParticipantCourse, study: Study, arm: String?, seed: UInt64, until: Instant,
        rules: SimulatedRules? = nil, planLimit: Int = .max
    ) {
        var numbers = SeededNumbers(seed: seed, 31, course.index)
        let enrolment = EnrolmentID(numbers.uuid(at: course.joinedAt))
        self.course = course
        self.arm = arm
        self.until = until
        lastDay = max(study.days, 0)
        enrolmentID = enrolment
        enrolledOn = course.home.local(of: course.joinedAt).date
        unscheduled = course.unscheduled.filter { $0.at < until }
            .map { (questionnaire: $0.questionnaire, at: $0.at, receivedAt: course.receiptTime(of: $0.at)) }
        let walks = course.walks.map { AnchorEvent.walk(WalkID(numbers.uuid(at: $0)), endedAt: $0) }
        completedSheets = course.unscheduled.enumerated().filter { $0.element.at < until }.map {
            index, sheet in
            (
                id: SheetID(numbers.uuid(at: sheet.at)), questionnaire: sheet.questionnaire, at: sheet.at,
                draws: SheetDraws.unscheduled(index)
            )
        }
        let sheets = completedSheets.map {
            AnchorEvent.completion(of: $0.questionnaire, sheet: $0.id, at: $0.at)
        }
        // Occasions after records without network are planned when the server receives the records.
        var receiptTimes = Dictionary(
            (walks + sheets).map { ($0.instance, course.receiptTime(of: $0.at)) },
            uniquingKeysWith: { first, _ in first })
        var input = PlanInput(
            study: study, enrolmentID: enrolment, arm: arm, enrolledAt: course.joinedAt,
            zones: [ZoneChange(from: course.joinedAt, zone: course.home)] + course.journeys,
            anchors: walks + sheets + course.events.map { AnchorEvent.event($0.code, at: $0.at) },
            seed: Array("saunter.simulation \(seed)".utf8),
            status: EnrolmentStatus(endedAt: course.leavesAt, pauses: course.pauses))
        let anchorQuestionnaires = study.followedQuestionnaires
        var planner = Planner(input)
        var drawKeys: [OccasionID: AnswerPlanner.DrawKey] = [:]
        // A sheet can cause further occasions, so sheets are added one by one in the order of time.
        var addedSheets: Set<String> = []
        var plannedOccasions = 0
        while true {
            (occasions, drawKeys) = Self.answered(planner, course, receiptTimes, seed: seed, until: until)
            plannedOccasions += occasions.count
            let next = occasions.filter { occasion in
                anchorQuestionnaires.contains(occasion.questionnaire) && occasion.isAnswered
                    && !addedSheets.contains(occasion.id.description)
            }.min { ($0.completedAt ?? .maximum, $0.id) < ($1.completedAt ?? .maximum, $1.id) }
            guard let next, let at = next.completedAt, addedSheets.count < Self.maximumFollowedSheets,
                !Task.isCancelled
            else {
                break
            }
            guard plannedOccasions < planLimit else {
                plannedBefore = at
                break
            }
            addedSheets.insert(next.id.description)
            let anchor = AnchorEvent.completion(
                of: next.questionnaire, sheet: SheetID(next.id.uuid), at: at)
            receiptTimes[anchor.instance] = course.receiptTime(of: at)
            input.anchors.append(anchor)
            planner = Planner(input)
        }
        for occasion in occasions {
            if let at = occasion.completedAt { receivedAt[occasion.id] = course.receiptTime(of: at) }
            plannedAt[occasion.id] = receiptTimes[occasion.key.anchorInstance]
        }
        completedSheets += occasions.compactMap { occasion in
            guard let at = occasion.completedAt, let key = drawKeys[occasion.id] else { return nil }
            return (
                id: SheetID(occasion.id.uuid), questionnaire: occasion.questionnaire, at: at,
                draws: SheetDraws.occasion(key)
            )
        }
        completedSheets.sort { ($0.at, $0.id) < ($1.at, $1.id) }
        var messages = MessageSimulation(for: self, study: study, planner: planner, rules: rules)
        messages.run()
        (reminders, decisions) = (messages.sent, messages.decisions)
    }

    /// An upper bound for sheets with follow-up occasions of one participant; no study of a year reaches it.
    private static let maximumFollowedSheets = 2000

    /// The planned occasions, with the times at which the participant answers them.
    /// - Parameter receiptTimes: by anchor instance, when the server received it. The server plans the occasions after
    ///   the anchor at this time, even if they are already past. Before this time they are unknown.
    /// - Returns: the occasions, and the key of the draws of each.
    private static func answered(
        _ planner: Planner, _ course: ParticipantCourse, _ receiptTimes: [String: Instant], seed: UInt64,
        until: Instant
    ) -> ([Occasion], [OccasionID: AnswerPlanner.DrawKey]) {
        var answerPlanner = AnswerPlanner(course: course, seed: seed)
        var drawKeys: [OccasionID: AnswerPlanner.DrawKey] = [:]
        let occasions = planner.occasions(from: .minimum, through: .maximum).filter { planned in
            guard planned.window.openAt < until else { return false }
            return receiptTimes[planned.key.anchorInstance].map { $0 < until } ?? true
        }
        .map { planned -> Occasion in
            let knownAt = receiptTimes[planned.key.anchorInstance] ?? .minimum
            let key = answerPlanner.nextKey(schedule: planned.key.schedule, day: planned.key.dayIndex)
            drawKeys[planned.id] = key
            // Occasions that were open when the participant left may have been answered before.
            guard planned.exclusion == nil || planned.exclusion == .withdrawn,
                let answeredAt = answerPlanner.answer(to: planned.window, key: key).map({
                    max($0.at, knownAt)
                }),
                answeredAt < min(until, planned.window.closeAt), course.isParticipating(at: answeredAt)
            else { return planned }
            var occasion = planned
            occasion.completedAt = answeredAt
            occasion.sheetID = SheetID(planned.id.uuid)
            return occasion
        }
        return (occasions, drawKeys)
    }
}
