import SaunterCore

/// One made-up participant of a dry run: the whole plan as the engine lays it out, what of it was answered, and the mails that go out.
package struct SimulatedLife: Sendable {
    package let course: LifeCourse
    package let enrolmentID: EnrolmentID
    package let arm: String?
    package let enrolledOn: LocalDate
    /// Everything that opens before the run's end, answered or not.
    package private(set) var occasions: [Occasion] = []
    /// Of answered occasions: when the sheet reached the server.
    package private(set) var receivedAt: [OccasionID: Instant] = [:]
    /// Of occasions that follow a walk or a sheet: when the server heard of it and planned them.
    package private(set) var plannedAt: [OccasionID: Instant] = [:]
    /// Sheets without an occasion, by the time of their completion.
    package private(set) var unscheduled: [(questionnaire: String, at: Instant, receivedAt: Instant)] = []
    package private(set) var reminders: [SimulatedReminder] = []
    /// The last moment of the run for this person: its end, or the end of their study.
    package let until: Instant
    /// The last day of the study, counted from the day of joining, which is day 0.
    let lastDay: Int

    /// - Parameters:
    ///   - until: the moment from which the run looks back.
    ///   - seed: of the run.
    init(course: LifeCourse, study: Study, arm: String?, seed: UInt64, until: Instant) {
        var numbers = SeededNumbers(seed: seed, 31, course.place)
        let enrolment = EnrolmentID(numbers.uuid(at: course.joinedAt))
        self.course = course
        self.arm = arm
        self.until = until
        lastDay = max(study.days, 0)
        enrolmentID = enrolment
        enrolledOn = course.home.local(of: course.joinedAt).date
        unscheduled = course.unscheduled.filter { $0.at < until }
            .map { (questionnaire: $0.questionnaire, at: $0.at, receivedAt: course.received($0.at)) }
        let walks = course.walks.map { AnchorEvent.walk(WalkID(numbers.uuid(at: $0)), endedAt: $0) }
        let sheets = unscheduled.map {
            AnchorEvent.completion(of: $0.questionnaire, sheet: SheetID(numbers.uuid(at: $0.at)), at: $0.at)
        }
        // What is kept back is planned from when it comes in.
        var heard = Dictionary(
            (walks + sheets).map { ($0.instance, course.received($0.at)) },
            uniquingKeysWith: { first, _ in first })
        var input = PlanInput(
            study: study, enrolmentID: enrolment, arm: arm, enrolledAt: course.joinedAt,
            zones: [ZoneChange(from: course.joinedAt, zone: course.home)] + course.journeys,
            anchors: walks + sheets + course.events.map { AnchorEvent.event($0.code, at: $0.at) },
            seed: Array("saunter.simulation \(seed)".utf8),
            status: EnrolmentStatus(endedAt: course.leavesAt, pauses: course.pauses))
        let followed = study.followedQuestionnaires
        var planner = Planner(input)
        // What follows a sheet is known once the sheet is: one after the other, as they come.
        var known: Set<String> = []
        while true {
            occasions = Self.answered(planner, course, heard, seed: seed, until: until)
            let next = occasions.filter { occasion in
                followed.contains(occasion.questionnaire) && occasion.isAnswered
                    && !known.contains(occasion.id.description)
            }.min { ($0.completedAt ?? .maximum, $0.id) < ($1.completedAt ?? .maximum, $1.id) }
            guard let next, let at = next.completedAt, known.count < Self.mostFollowed else { break }
            known.insert(next.id.description)
            let anchor = AnchorEvent.completion(
                of: next.questionnaire, sheet: SheetID(next.id.uuid), at: at)
            heard[anchor.instance] = course.received(at)
            input.anchors.append(anchor)
            planner = Planner(input)
        }
        for occasion in occasions {
            if let at = occasion.completedAt { receivedAt[occasion.id] = course.received(at) }
            plannedAt[occasion.id] = heard[occasion.key.anchorInstance]
        }
        var mailing = SimulatedMailing(to: self, study: study, planner: planner)
        reminders = mailing.all()
    }

    /// Sheets of one participant from which something follows: more than any study of a year has.
    private static let mostFollowed = 2000

    /// - Parameter heard: anchor instance -> when the server heard of it; what follows is planned then, also where it is over by then, and is known
    ///   to nobody before.
    private static func answered(
        _ planner: Planner, _ course: LifeCourse, _ heard: [String: Instant], seed: UInt64, until: Instant
    ) -> [Occasion] {
        var replies = ReplyMaker(course: course, seed: seed)
        return planner.occasions(from: .minimum, through: .maximum).filter { planned in
            guard planned.window.openAt < until else { return false }
            return heard[planned.key.anchorInstance].map { $0 < until } ?? true
        }
        .map { planned -> Occasion in
            let knownAt = heard[planned.key.anchorInstance] ?? .minimum
            let place = replies.place(schedule: planned.key.schedule, day: planned.key.dayIndex)
            // What was still open when somebody left may have been answered before.
            guard planned.setAside == nil || planned.setAside == .withdrawn,
                let answeredAt = replies.reply(to: planned.window, at: place).map({ max($0.at, knownAt) }),
                answeredAt < min(until, planned.window.closeAt), course.takesPart(at: answeredAt)
            else { return planned }
            var occasion = planned
            occasion.completedAt = answeredAt
            occasion.sheetID = SheetID(planned.id.uuid)
            return occasion
        }
    }
}
