import Foundation
import SaunterCore

/// One simulated participant of a dry run through the API: plans and performs the participant's actions.
struct SimulatedParticipant: Sendable {
    /// How far ahead occasions are fetched: until the next fetch, plus the longest period without network.
    private static let fetchSpanSeconds = 6 * 86_400
    private static let fetchIntervalSeconds = 3 * 86_400
    /// How long before joining the account is registered.
    private static let registrationLeadSeconds = 300
    /// The states of occasions in the API that the participant may answer.
    private static let answerableStates: Set = ["upcoming", "open", "overdue", "missed"]

    private let course: ParticipantCourse
    private let study: Study
    private let seed: UInt64
    private let until: Instant
    private var participant: Participant
    private var answerPlanner: AnswerPlanner
    /// By occasion.
    private var drawKeys: [String: AnswerPlanner.DrawKey] = [:]
    /// By occasion: the planned time of the answer.
    private var plannedAnswerTimes: [String: Instant] = [:]

    init(_ course: ParticipantCourse, _ simulation: Simulation, password: String, server: ServerClient) {
        var person = Person(index: course.index, seed: simulation.seed)
        person.zone = course.home
        self.course = course
        study = simulation.study
        seed = simulation.seed
        until = simulation.until
        answerPlanner = AnswerPlanner(course: course, seed: simulation.seed)
        participant = Participant(
            person: person, study: simulation.study, hints: simulation.hints, password: password,
            server: server, seed: simulation.seed)
    }

    var outcomes: SubmissionOutcomes { participant.outcomes }

    /// The code for a study without open enrolment.
    var enrolmentCode: String? {
        get { participant.enrolmentCode }
        set { participant.enrolmentCode = newValue }
    }

    /// The actions that do not depend on the study's occasions.
    func firstActions() -> [PlannedAction] {
        var actions = [
            PlannedAction(
                at: course.joinedAt.adding(seconds: -Self.registrationLeadSeconds), kind: .register),
            PlannedAction(at: course.joinedAt, kind: .join),
            PlannedAction(at: course.joinedAt.adding(seconds: 30), kind: .fetchOccasions),
        ]
        actions += course.walks.map { PlannedAction(at: $0, kind: .walk) }
        actions += course.journeys.map { PlannedAction(at: $0.from, kind: .travel($0.zone)) }
        actions += course.events.map { PlannedAction(at: $0.at, kind: .reportEvent($0.code)) }
        for pause in course.pauses {
            actions.append(PlannedAction(at: pause.from, kind: .pause(true)))
            if let end = pause.to { actions.append(PlannedAction(at: end, kind: .pause(false))) }
        }
        actions += course.unscheduled.enumerated().map { number, sheet in
            PlannedAction(
                at: sheet.at, kind: .answerUnscheduled(questionnaire: sheet.questionnaire, index: number))
        }
        if let leavesAt = course.leavesAt { actions.append(PlannedAction(at: leavesAt, kind: .leave)) }
        return actions
    }

    /// Performs one action. Its records have the time of the action.
    /// - Parameter now: the server's time, the same as the action's time or some minutes later.
    /// - Returns: the actions that follow.
    mutating func run(_ action: PlannedAction, now: Instant) async throws -> [PlannedAction] {
        let at = action.at
        let day =
            course.zone(at: at).local(of: at).date.days - course.home.local(of: course.joinedAt).date.days
        // `Participant` reads only the time and the day of the action.
        let cohortAction = CohortAction(at: at, participant: course.index, day: day, kind: .answer)
        var numbers = SheetDraws.numbers(ofActionAt: at, of: course.index, seed: seed)
        // After leaving, a participant only uploads earlier records.
        if let leavesAt = course.leavesAt, at > leavesAt, !action.isUpload { return [] }
        switch action.kind {
        case .register:
            try await participant.register(at: now)
            return []
        case .join:
            try await participant.enrol(at: now)
            return [PlannedAction(at: at, kind: .fetchStudyData)]
        case .fetchStudyData:
            try await participant.signIn(at: now)
            try await participant.permitDataKinds(at: now)
            // A phone also fetches the questionnaires in advance, because it cannot fetch them without network.
            for questionnaire in study.questionnaires {
                _ = try await participant.questionnaire(questionnaire.code)
            }
            if study.walking?.requiresCalibration ?? false {
                try await participant.calibrate(at: at, now: now, &numbers)
            }
            try await participant.fetchReadiness()
            return []
        case .fetchOccasions: return try await planAnswers(at: at, now: now, fetchesAgain: true)
        case .walk:
            let isOffline = course.receiptTime(of: at) > at
            try await participant.walk(cohortAction, now: now, isOffline: isOffline, &numbers)
            return isOffline
                ? [PlannedAction(at: course.receiptTime(of: at), kind: .upload)]
                : try await planAnswers(at: at, now: now)
        case .travel(let zone):
            try await participant.travel(to: zone, at: now)
            return try await planAnswers(at: at, now: now)
        case .reportEvent(let event):
            try await participant.signIn(at: now)
            let path = participant.path("events/\(event)")
            _ = try await participant.call("PUT", path, ["occurred_at": .string(at.description)])
            return try await planAnswers(at: at, now: now)
        case .pause(let isOn):
            try await participant.signIn(at: now)
            _ = try await participant.call("PATCH", participant.path(nil), ["paused": .bool(isOn)])
            return try await planAnswers(at: at, now: now)
        case .answer(let questionnaire, let occasion, let key):
            // A journey may have moved the occasion.
            guard plannedAnswerTimes[occasion] == at else { return [] }
            numbers = SheetDraws.occasion(key).numbers(of: course.index, seed: seed)
            return try await fill(questionnaire, occasion: occasion, cohortAction, now: now, &numbers)
        case .answerUnscheduled(let questionnaire, let index):
            numbers = SheetDraws.unscheduled(index).numbers(of: course.index, seed: seed)
            return try await fill(questionnaire, occasion: nil, cohortAction, now: now, &numbers)
        case .upload:
            try await participant.uploadOutbox(at: now)
            return try await planAnswers(at: at, now: now)
        case .leave:
            try await participant.withdraw(at: now)
            return []
        }
    }

    private mutating func fill(
        _ questionnaire: String, occasion: String?, _ cohortAction: CohortAction, now: Instant,
        _ numbers: inout SeededNumbers
    ) async throws -> [PlannedAction] {
        let receivedAt = course.receiptTime(of: cohortAction.at)
        let isOffline = receivedAt > cohortAction.at
        try await participant.fill(
            questionnaire, occasion: occasion, cohortAction, now: now, isOffline: isOffline, &numbers)
        if isOffline { return [PlannedAction(at: receivedAt, kind: .upload)] }
        return study.changesPlan(questionnaire) ? try await planAnswers(at: cohortAction.at, now: now) : []
    }

    /// Fetches the occasions of the next days and decides which of them to answer.
    /// - Parameters:
    ///   - now: the server's time.
    ///   - fetchesAgain: whether to schedule the next fetch, some days later.
    private mutating func planAnswers(
        at moment: Instant, now: Instant, fetchesAgain: Bool = false
    ) async throws -> [PlannedAction] {
        // Without network the participant uses the occasions of the last fetch.
        if course.receiptTime(of: moment) > moment {
            return fetchesAgain
                ? [PlannedAction(at: course.receiptTime(of: moment), kind: .fetchOccasions)] : []
        }
        var actions =
            fetchesAgain
            ? [PlannedAction(at: moment.adding(seconds: Self.fetchIntervalSeconds), kind: .fetchOccasions)]
            : []
        guard course.isParticipating(at: moment) || !fetchesAgain else { return actions }
        try await participant.signIn(at: now)
        let to = moment.adding(seconds: Self.fetchSpanSeconds)
        var path: String? = participant.path(
            "occasions?from=\(moment.description)&to=\(to.description)&limit=100")
        var occasions: [JSON] = []
        while let next = path {
            let page = try await participant.call("GET", next)
            occasions += page["items"]?.array ?? []
            path = page["next"]?.string.map { Self.path(of: $0) }
        }
        for occasion in occasions {
            guard let id = occasion["occasion_id"]?.string, let schedule = occasion["schedule"]?.string,
                let questionnaire = occasion["questionnaire"]?.string, let day = occasion["day"]?.int,
                let window = AssessmentWindow(occasion)
            else { continue }
            let key = drawKeys[id] ?? answerPlanner.nextKey(schedule: schedule, day: day)
            drawKeys[id] = key
            // A sheet can still be submitted after the occasion closed, because it states its own time.
            let isAnswerable = Self.answerableStates.contains(occasion["state"]?.string ?? "")
            guard isAnswerable, window.closeAt > moment,
                let answer = answerPlanner.answer(to: window, key: key), answer.at < until
            else {
                plannedAnswerTimes[id] = nil
                continue
            }
            // An occasion that was answered without network is still open for the server.
            if let before = plannedAnswerTimes[id], before <= moment { continue }
            let at = max(answer.at, moment)
            guard at < window.closeAt, plannedAnswerTimes[id] != at else { continue }
            plannedAnswerTimes[id] = at
            actions.append(
                PlannedAction(at: at, kind: .answer(questionnaire: questionnaire, occasion: id, key)))
        }
        return actions
    }

    /// The path and query of a link to the next page.
    private static func path(of link: String) -> String {
        link.range(of: "/v1/").map { String(link[$0.lowerBound...]) } ?? link
    }
}

extension PlannedAction {
    fileprivate var isUpload: Bool {
        if case .upload = kind { return true }
        return false
    }
}

extension AssessmentWindow {
    /// Reads an assessment window from the API; nil if a member is missing or invalid.
    fileprivate init?(_ occasion: JSON) {
        func instant(_ name: String) -> Instant? { occasion[name]?.string.flatMap { Instant($0) } }
        guard let visible = instant("visible_at"), let open = instant("opens_at"),
            let due = instant("due_at"),
            let close = instant("closes_at")
        else { return nil }
        self.init(visibleAt: visible, openAt: open, dueAt: due, closeAt: close)
    }
}
