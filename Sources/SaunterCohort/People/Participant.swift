import Foundation
import SaunterCore

/// One made-up participant at work: what their phone keeps, and every call that it makes.
struct Participant: Sendable {
    private(set) var person: Person
    let study: String
    let password: String
    let server: ServerClient
    private let seed: UInt64

    var tokens: (access: String, refresh: String, expireAt: Instant)?
    private var enrolment = ""
    private var calibration: (id: String, target: Double)?
    private var lastWalk: (id: String, endedAt: Instant)?
    /// Whether a walk may start and what feedback there is, as the server last told it.
    private var readiness: JSON?
    /// Definitions, kept as a phone would.
    private var questionnaires: [String: JSON] = [:]
    /// The coming windows as the server last told them; without network they are all that a phone knows.
    private var known: [JSON] = []
    private var outbox: [JSON] = []
    private(set) var handedIn = HandedIn()

    init(person: Person, study: String, password: String, server: ServerClient, seed: UInt64) {
        self.person = person
        self.study = study
        self.password = password
        self.server = server
        self.seed = seed
    }

    /// Does one thing at its time.
    mutating func perform(_ act: Act) async throws {
        // The act's own source: whatever happened before, the same act gives the same.
        var numbers = SeededNumbers(
            seed: seed, 3, person.place, Int(truncatingIfNeeded: act.at.milliseconds), act.day)
        switch act.kind {
        case .join: try await join(at: act.at)
        case .calibrate: try await calibrate(at: act.at, now: act.at, &numbers)
        case .walk: try await walk(act, now: act.at, &numbers)
        case .answer: try await answerAll(act, &numbers)
        case .answerOffline: answerOffline(act, &numbers)
        case .deliver: try await deliver(at: act.at)
        case .withdraw: try await withdraw(at: act.at)
        }
    }

    private mutating func join(at now: Instant) async throws {
        try await register(at: now)
        try await enrol(at: now)
    }

    /// Gets an account.
    mutating func register(at now: Instant) async throws {
        let registration: JSON = [
            "email": .string(person.email), "password": .string(password),
            "display_name": .string(person.name),
            "time_zone": .string(person.zone.id), "language": .string(person.language),
        ]
        var reply = try await server.send("POST", "/v1/accounts", body: registration)
        if reply.status == 409 {
            // Registered by a run that was interrupted.
            reply = try await logIn()
        }
        guard reply.isSuccess else { throw ServerRefusal(request: "POST /v1/accounts", reply: reply) }
        keep(reply.json, at: now)
    }

    /// Joins the study; whoever does has an account.
    mutating func enrol(at now: Instant) async throws {
        try await signIn(at: now)
        let detail = try await server.demand("GET", "/v1/studies/\(study)").json
        let joined = try await call(
            "POST", "/v1/studies/\(study)/enrolments",
            [
                "consent": ["version": detail["consent"]?["version"] ?? .null, "accepted": true],
                "factors": factors(detail["factors"]?.array ?? []),
                "time_zone": .string(person.zone.id), "language": .string(person.language),
            ])
        enrolment = joined["enrolment_id"]?.string ?? ""
    }

    /// What this person tells of what the study divides its arms by.
    private func factors(_ asked: [JSON]) -> JSON {
        var told = JSONObject()
        for (place, factor) in asked.enumerated() {
            var numbers = SeededNumbers(seed: seed, 4, person.place, place)
            guard let name = factor["factor"]?.string,
                let level = factor["levels"]?.array?.randomElement(using: &numbers)?["level"]
            else { continue }
            told[name] = level
        }
        return .object(told)
    }

    /// - Parameter now: when it is handed in.
    mutating func calibrate(
        at moment: Instant, now: Instant, _ numbers: inout SeededNumbers
    ) async throws {
        try await signIn(at: now)
        let id = numbers.uuid(at: moment).uuidString.lowercased()
        let stored = try await call(
            "PUT", path("calibrations/\(id)"),
            [
                "recorded_at": .string(moment.description),
                "mean_speed_kmh": .double(person.ordinarySpeedKmh),
                "reduction_percent": .double(person.reductionPercent), "duration_s": 120,
                "client_now": .string(now.description),
            ])
        let target = person.ordinarySpeedKmh * (1 - person.reductionPercent / 100)
        calibration = (id, stored["target_speed_kmh"]?.double ?? target)
    }

    mutating func learnReadiness() async throws {
        readiness = try await call("GET", path("overview"))["walk"]
    }

    /// - Parameters:
    ///   - now: when it is handed in.
    ///   - keeping: without network the walk waits in the outbox.
    mutating func walk(
        _ act: Act, now: Instant, keeping: Bool = false, _ numbers: inout SeededNumbers
    ) async throws {
        if !keeping {
            try await signIn(at: now)
            try await learnReadiness()
        }
        guard readiness?["may_start"]?.bool == true else { return }
        let walk = MadeUpWalk(
            by: person, at: act.at.adding(seconds: -2700), target: calibration?.target,
            hasFeedback: readiness?["target_feedback"]?.bool ?? false, calibration: calibration?.id,
            numbers: numbers)
        let id = numbers.uuid(at: walk.startedAt).uuidString.lowercased()
        if keeping {
            outbox.append(["kind": "walk", "id": .string(id), "body": walk.body])
        } else {
            try await put(path("walks/\(id)"), walk.body)
        }
        lastWalk = (id, walk.endedAt)
    }

    private mutating func answerAll(_ act: Act, _ numbers: inout SeededNumbers) async throws {
        try await signIn(at: act.at)
        let overview = try await call("GET", path("overview"))["items"]?.array ?? []
        for entry in overview where entry["disabled"]?.bool == false {
            guard let code = entry["questionnaire"]?.string, let occasion = entry["occasion_id"]?.string
            else {
                continue
            }
            let (id, body) = sheet(try await questionnaire(code), occasion, act, now: act.at, &numbers)
            try await hand(in: id, body)
        }
        try await refreshKnown(at: act.at)
    }

    /// Hands a sheet in, which is kept in mind once the server said that it has it. Where it does not take the answers (a rule over several of them is
    /// known to no made-up person), the reason is, and the person goes on.
    private mutating func hand(in id: String, _ body: JSON) async throws {
        do {
            try await put(path("answer-sheets/\(id)"), body)
            handedIn.note(sheet: id)
        } catch let refusal as ServerRefusal where refusal.reply.status == 422 {
            handedIn.note(rejected: id, refusal.reply.json)
        }
    }

    /// Fills in one questionnaire: for an occasion, or for none.
    /// - Parameters:
    ///   - now: when it is handed in, at the act's time or soon after.
    ///   - keeping: without network the sheet waits in the outbox.
    mutating func fill(
        _ code: String, occasion: String?, _ act: Act, now: Instant, keeping: Bool,
        _ numbers: inout SeededNumbers
    ) async throws {
        if !keeping { try await signIn(at: now) }
        let (id, body) = sheet(
            try await questionnaire(code), occasion, act, now: keeping ? act.at : now, &numbers)
        if keeping {
            outbox.append(["kind": "answer_sheet", "id": .string(id), "body": body])
        } else {
            try await hand(in: id, body)
        }
    }

    /// Goes to another zone, and says so.
    mutating func travel(to zone: Zone, at now: Instant) async throws {
        try await signIn(at: now)
        _ = try await call("PATCH", path(nil), ["time_zone": .string(zone.id)])
        person.zone = zone
    }

    /// Puts a sheet into the outbox for every known window that is open and not answered yet.
    private mutating func answerOffline(_ act: Act, _ numbers: inout SeededNumbers) {
        let now = act.at.description
        // Instants of one form are in order when their texts are.
        for window in known
        where (window["opens_at"]?.string ?? "~") <= now && now < (window["closes_at"]?.string ?? "") {
            guard let code = window["questionnaire"]?.string, let definition = questionnaires[code],
                let occasion = window["occasion_id"]?.string
            else { continue }
            let (id, body) = sheet(definition, occasion, act, now: act.at, &numbers)
            outbox.append(["kind": "answer_sheet", "id": .string(id), "body": body])
        }
        let answered = Set(outbox.compactMap { $0["body"]?["occasion_id"]?.string })
        known.removeAll { answered.contains($0["occasion_id"]?.string ?? "") }
    }

    mutating func deliver(at now: Instant) async throws {
        try await signIn(at: now)
        if !outbox.isEmpty {
            let reply = try await call(
                "POST", path("sync"), ["client_now": .string(now.description), "items": .array(outbox)])
            handedIn.note(reply, to: outbox)
            outbox = []
        }
        try await refreshKnown(at: now)
    }

    mutating func withdraw(at now: Instant) async throws {
        try await signIn(at: now)
        _ = try await call("POST", path("withdrawal"), ["mode": "stop"])
    }

    /// A sheet that took a few minutes and was finished at the act's time.
    /// - Parameter now: what the device's clock shows when it hands it in.
    private func sheet(
        _ questionnaire: JSON, _ occasion: String?, _ act: Act, now: Instant,
        _ numbers: inout SeededNumbers
    ) -> (id: String, body: JSON) {
        let minutes = questionnaire["minutes"]?.double ?? 2
        let seconds = Int(minutes * 60 * Double.random(in: 0.6...1.4, using: &numbers))
        let started = act.at.adding(seconds: -seconds)
        var body: JSONObject = [
            "questionnaire": questionnaire["code"] ?? .null, "version": questionnaire["version"] ?? .null,
            "occasion_id": .optional(occasion, JSON.string), "started_at": .string(started.description),
            "completed_at": .string(act.at.description), "time_zone": .string(person.zone.id),
            "client_now": .string(now.description),
            "answers": .object(
                AnswerMaker.answers(
                    to: questionnaire, by: person, day: act.day, today: person.zone.local(of: act.at).date,
                    numbers: SeededNumbers(seed: numbers.next()))
            ),
        ]
        if let lastWalk, lastWalk.endedAt <= started, act.at < lastWalk.endedAt.adding(seconds: 12 * 3600),
            questionnaire["code"]?.string == "after_walk"
        {
            body["walk_id"] = .string(lastWalk.id)
        }
        return (numbers.uuid(at: act.at).uuidString.lowercased(), .object(body))
    }

    mutating func questionnaire(_ code: String) async throws -> JSON {
        if let kept = questionnaires[code] { return kept }
        let definition = try await call("GET", path("questionnaires/\(code)"))
        questionnaires[code] = definition
        return definition
    }

    /// What comes in the next days, and the words for it.
    private mutating func refreshKnown(at now: Instant) async throws {
        guard person.habit == .offline else { return }
        let until = now.adding(seconds: 5 * 86_400)
        let query = "from=\(now.description)&to=\(until.description)&limit=100"
        known = try await call("GET", path("occasions?\(query)"))["items"]?.array ?? []
        known.removeAll { $0["completed_at"]?.string != nil }
        for code in Set(known.compactMap { $0["questionnaire"]?.string }) {
            _ = try await questionnaire(code)
        }
    }

    /// Hands something in; with a poor connection twice, which changes nothing.
    func put(_ path: String, _ body: JSON) async throws {
        _ = try await call("PUT", path, body)
        if person.habit == .twice { _ = try await call("PUT", path, body) }
    }

    /// Below the own enrolment; nil is the enrolment itself.
    func path(_ rest: String?) -> String { "/v1/enrolments/\(enrolment)" + (rest.map { "/\($0)" } ?? "") }

    func call(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        try await server.demand(method, path, token: tokens?.access, body: body).json
    }
}
