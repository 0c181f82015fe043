import Foundation
import SaunterCore

/// One made-up participant of a dry run through the API: what they are going to do, and what they do.
struct SimulatedParticipant: Sendable {
    /// What was fetched last must reach through the longest days without network until the next look.
    private static let lookAheadSeconds = 6 * 86_400
    private static let lookEverySeconds = 3 * 86_400
    private static let registeringSeconds = 300
    private static let asked: Set = ["upcoming", "open", "overdue", "missed"]

    private let course: LifeCourse
    private let study: Study
    private let seed: UInt64
    private let until: Instant
    private var participant: Participant
    private var replies: ReplyMaker
    private var places: [String: ReplyMaker.Place] = [:]
    /// Occasion -> when it is going to be answered, as things stand.
    private var intended: [String: Instant] = [:]

    init(_ course: LifeCourse, _ simulation: Simulation, password: String, server: ServerClient) {
        var person = Person(place: course.place, seed: simulation.seed)
        person.zone = course.home
        self.course = course
        study = simulation.study
        seed = simulation.seed
        until = simulation.until
        replies = ReplyMaker(course: course, seed: simulation.seed)
        participant = Participant(
            person: person, study: simulation.study.code, password: password, server: server,
            seed: simulation.seed)
    }

    var handedIn: HandedIn { participant.handedIn }

    /// What happens whatever the study asks.
    func begin() -> [Errand] {
        var errands = [
            Errand(at: course.joinedAt.adding(seconds: -Self.registeringSeconds), kind: .register),
            Errand(at: course.joinedAt, kind: .join),
            Errand(at: course.joinedAt.adding(seconds: 30), kind: .look),
        ]
        errands += course.walks.map { Errand(at: $0, kind: .walk) }
        errands += course.journeys.map { Errand(at: $0.from, kind: .travel($0.zone)) }
        errands += course.events.map { Errand(at: $0.at, kind: .tell(event: $0.code)) }
        for pause in course.pauses {
            errands.append(Errand(at: pause.from, kind: .pause(true)))
            if let end = pause.to { errands.append(Errand(at: end, kind: .pause(false))) }
        }
        errands += course.unscheduled.enumerated().map { number, sheet in
            Errand(at: sheet.at, kind: .volunteer(questionnaire: sheet.questionnaire, number))
        }
        if let leavesAt = course.leavesAt { errands.append(Errand(at: leavesAt, kind: .leave)) }
        return errands
    }

    /// Does one thing as at its time.
    /// - Parameter now: when the server hears of it, by everybody's clock; at the errand's time, or some minutes later.
    /// - Returns: what follows.
    mutating func run(_ errand: Errand, now: Instant) async throws -> [Errand] {
        let at = errand.at
        let day =
            course.zone(at: at).local(of: at).date.days - course.home.local(of: course.joinedAt).date.days
        let act = Act(at: at, person: course.place, day: day, kind: .answer)
        var numbers = SeededNumbers(seed: seed, 41, course.place, Int(truncatingIfNeeded: at.milliseconds))
        // Whoever has left has nothing to say any more but what was done before.
        if let leavesAt = course.leavesAt, at > leavesAt, !errand.isDelivery { return [] }
        switch errand.kind {
        case .register:
            try await participant.register(at: now)
            return []
        case .join:
            try await participant.enrol(at: now)
            return [Errand(at: at, kind: .settle)]
        case .settle:
            try await participant.signIn(at: now)
            // As a phone would: without network nothing could be asked else.
            for questionnaire in study.questionnaires {
                _ = try await participant.questionnaire(questionnaire.code)
            }
            if study.walking?.requiresCalibration ?? false {
                try await participant.calibrate(at: at, now: now, &numbers)
            }
            try await participant.learnReadiness()
            return []
        case .look: return try await look(at: at, now: now, again: true)
        case .walk:
            let isKept = course.received(at) > at
            try await participant.walk(act, now: now, keeping: isKept, &numbers)
            return isKept
                ? [Errand(at: course.received(at), kind: .deliver)] : try await look(at: at, now: now)
        case .travel(let zone):
            try await participant.travel(to: zone, at: now)
            return try await look(at: at, now: now)
        case .tell(let event):
            try await participant.signIn(at: now)
            let path = participant.path("events/\(event)")
            _ = try await participant.call("PUT", path, ["occurred_at": .string(at.description)])
            return try await look(at: at, now: now)
        case .pause(let isOn):
            try await participant.signIn(at: now)
            _ = try await participant.call("PATCH", participant.path(nil), ["paused": .bool(isOn)])
            return try await look(at: at, now: now)
        case .answer(let questionnaire, let occasion, let place):
            // A journey may have moved it since.
            guard intended[occasion] == at else { return [] }
            numbers = SeededNumbers(
                seed: seed, 42, course.place, ReplyMaker.number(of: place.schedule), place.day, place.ordinal)
            return try await fill(questionnaire, occasion: occasion, act, now: now, &numbers)
        case .volunteer(let questionnaire, let number):
            numbers = SeededNumbers(seed: seed, 43, course.place, number)
            return try await fill(questionnaire, occasion: nil, act, now: now, &numbers)
        case .deliver:
            try await participant.deliver(at: now)
            return try await look(at: at, now: now)
        case .leave:
            try await participant.withdraw(at: now)
            return []
        }
    }

    private mutating func fill(
        _ questionnaire: String, occasion: String?, _ act: Act, now: Instant, _ numbers: inout SeededNumbers
    ) async throws -> [Errand] {
        let receivedAt = course.received(act.at)
        let isKept = receivedAt > act.at
        try await participant.fill(
            questionnaire, occasion: occasion, act, now: now, keeping: isKept, &numbers)
        if isKept { return [Errand(at: receivedAt, kind: .deliver)] }
        return study.plansFollow(questionnaire) ? try await look(at: act.at, now: now) : []
    }

    /// Decides about whatever opens in the next days.
    /// - Parameters:
    ///   - now: the server's clock.
    ///   - again: and looks again some days later.
    private mutating func look(
        at moment: Instant, now: Instant, again: Bool = false
    ) async throws -> [Errand] {
        // Without network the plan is what was fetched last.
        if course.received(moment) > moment {
            return again ? [Errand(at: course.received(moment), kind: .look)] : []
        }
        var errands = again ? [Errand(at: moment.adding(seconds: Self.lookEverySeconds), kind: .look)] : []
        guard course.takesPart(at: moment) || !again else { return errands }
        try await participant.signIn(at: now)
        let to = moment.adding(seconds: Self.lookAheadSeconds)
        var path: String? = participant.path(
            "occasions?from=\(moment.description)&to=\(to.description)&limit=100")
        var found: [JSON] = []
        while let next = path {
            let page = try await participant.call("GET", next)
            found += page["items"]?.array ?? []
            path = page["next"]?.string.map { Self.path(of: $0) }
        }
        for occasion in found {
            guard let id = occasion["occasion_id"]?.string, let schedule = occasion["schedule"]?.string,
                let questionnaire = occasion["questionnaire"]?.string, let day = occasion["day"]?.int,
                let window = AssessmentWindow(occasion)
            else { continue }
            let place = places[id] ?? replies.place(schedule: schedule, day: day)
            places[id] = place
            // What closed since can still be handed in: the sheet says when it was made.
            let isAsked = Self.asked.contains(occasion["state"]?.string ?? "")
            guard isAsked, window.closeAt > moment, let reply = replies.reply(to: window, at: place),
                reply.at < until
            else {
                intended[id] = nil
                continue
            }
            // What was answered on a device without network is still open to the server.
            if let before = intended[id], before <= moment { continue }
            let at = max(reply.at, moment)
            guard at < window.closeAt, intended[id] != at else { continue }
            intended[id] = at
            errands.append(
                Errand(at: at, kind: .answer(questionnaire: questionnaire, occasion: id, place)))
        }
        return errands
    }

    /// Of a link to the next page, what follows the host.
    private static func path(of link: String) -> String {
        link.range(of: "/v1/").map { String(link[$0.lowerBound...]) } ?? link
    }
}

extension Errand {
    fileprivate var isDelivery: Bool {
        if case .deliver = kind { return true }
        return false
    }
}

extension AssessmentWindow {
    /// As the API gives it; nil where it is something else.
    fileprivate init?(_ occasion: JSON) {
        func instant(_ name: String) -> Instant? { occasion[name]?.string.flatMap { Instant($0) } }
        guard let visible = instant("visible_at"), let open = instant("opens_at"),
            let due = instant("due_at"),
            let close = instant("closes_at")
        else { return nil }
        self.init(visibleAt: visible, openAt: open, dueAt: due, closeAt: close)
    }
}
