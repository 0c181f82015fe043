import Foundation
import SaunterCore

/// The device of one simulated participant: its local state, and its calls of the API.
struct Participant: Sendable {
    private(set) var person: Person
    let study: String
    let model: AnswerModel
    let password: String
    let server: ServerClient
    private let seed: UInt64
    /// The code for a study without open enrolment.
    var enrolmentCode: String?

    var tokens: (access: String, refresh: String, expireAt: Instant)?
    private var enrolment = ""
    /// Whether the participant is in the treated arm, as far as the server shows it.
    private var isTreated = false
    private var calibration: (id: String, target: Double)?
    private var lastWalk: (id: String, endedAt: Instant)?
    /// The last reply of the server on whether a walk may start and which feedback there is.
    private var readiness: JSON?
    /// Cached definitions by code.
    private var questionnaires: [String: JSON] = [:]
    /// The next occasions in the last reply of the server. Without network the phone uses this cache.
    private var cachedOccasions: [JSON] = []
    private var outbox: [JSON] = []
    /// The kinds of data that the study asks for, and those that the participant permits.
    private let dataKinds: [String]
    private var permitted: Set<String> = []
    private let settings: [String]
    /// The questionnaires that can be answered at any time.
    private let entryCodes: [String]
    /// The links between entries: questionnaire -> the link of its entries.
    private let references: [String: AnyTimeRule.Reference]
    /// The questionnaires that are due after a walk.
    private let walkQuestionnaires: Set<String>
    /// Questionnaire -> the participant's latest entry.
    private var latestEntry: [String: String] = [:]
    private(set) var outcomes = SubmissionOutcomes()

    /// - Parameter hints: how to answer, by code of the questionnaire.
    init(
        person: Person, study: Study, hints: [String: AnswerHints], password: String, server: ServerClient,
        seed: UInt64
    ) {
        self.person = person
        self.study = study.code
        model = AnswerModel(study, hints: hints)
        dataKinds = study.dataKinds.map(\.code)
        settings = study.settings
        entryCodes = study.entriesOfSimulation.map(\.questionnaire)
        references = Dictionary(
            study.anyTime.compactMap { rule in rule.refersTo.map { (rule.questionnaire, $0) } },
            uniquingKeysWith: { first, _ in first })
        walkQuestionnaires = Set(study.schedules.filter { $0.anchor == .walk }.map(\.questionnaire))
        self.password = password
        self.server = server
        self.seed = seed
    }

    /// Performs one action at its time.
    mutating func perform(_ action: CohortAction) async throws {
        // A separate generator, so that the result of an action does not depend on earlier actions.
        var numbers = SeededNumbers(
            seed: seed, 3, person.index, Int(truncatingIfNeeded: action.at.milliseconds), action.day)
        switch action.kind {
        case .join: try await join(at: action.at)
        case .calibrate: try await calibrate(at: action.at, now: action.at, &numbers)
        case .walk: try await walk(action, now: action.at, &numbers)
        case .setUp: try await setUp(action, &numbers)
        case .makeEntry(let questionnaire, let isOffline):
            try await fill(
                questionnaire, occasion: nil, action, now: action.at, isOffline: isOffline, &numbers)
        case .changeSetting(let questionnaire):
            try await fill(questionnaire, occasion: nil, action, now: action.at, isOffline: false, &numbers)
        case .answer: try await answerAll(action, &numbers)
        case .answerOffline: answerOffline(action, &numbers)
        case .upload: try await uploadOutbox(at: action.at)
        case .withdraw: try await withdraw(at: action.at)
        }
    }

    private mutating func join(at now: Instant) async throws {
        try await register(at: now)
        try await enrol(at: now)
    }

    /// Registers an account.
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
        storeTokens(reply.json, at: now)
    }

    /// Joins the study. The participant must have an account.
    mutating func enrol(at now: Instant) async throws {
        try await signIn(at: now)
        let detail = try await server.sendSuccessfully("GET", "/v1/studies/\(study)").json
        var request: JSONObject = [
            "consent": ["version": detail["consent"]?["version"] ?? .null, "accepted": true],
            "factors": factors(detail["factors"]?.array ?? []),
            "time_zone": .string(person.zone.id), "language": .string(person.language),
        ]
        if let enrolmentCode { request["code"] = .string(enrolmentCode) }
        let joined = try await call("POST", "/v1/studies/\(study)/enrolments", .object(request))
        enrolment = joined["enrolment_id"]?.string ?? ""
        isTreated = model.treatedArm != nil && joined["arm"]?.string == model.treatedArm
    }

    /// Permits most kinds of data, and answers the settings. Also caches the questionnaires of entries, because a phone
    /// without network cannot fetch them.
    private mutating func setUp(_ action: CohortAction, _ numbers: inout SeededNumbers) async throws {
        try await permitDataKinds(at: action.at)
        for code in settings where numbers.chance(0.85) {
            try await fill(code, occasion: nil, action, now: action.at, isOffline: false, &numbers)
        }
        for code in entryCodes { _ = try await questionnaire(code) }
    }

    /// Permits each kind of data of the study, or not. This does not depend on the time.
    mutating func permitDataKinds(at now: Instant) async throws {
        for kind in Self.permittedKinds(among: dataKinds, of: person, seed: seed) {
            try await signIn(at: now)
            _ = try await call("PATCH", path(nil), ["data_kinds": .object([kind: true])])
            permitted.insert(kind)
        }
    }

    /// The kinds of data that the participant permits, in the given order.
    static func permittedKinds(among kinds: [String], of person: Person, seed: UInt64) -> [String] {
        var numbers = SeededNumbers(seed: seed, 51, person.index)
        return kinds.filter { _ in numbers.chance(0.7) }
    }

    /// This participant's levels of the allocation factors.
    private func factors(_ definitions: [JSON]) -> JSON {
        var levels = JSONObject()
        for (index, factor) in definitions.enumerated() {
            var numbers = SeededNumbers(seed: seed, 4, person.index, index)
            guard let name = factor["factor"]?.string,
                let level = factor["levels"]?.array?.randomElement(using: &numbers)?["level"]
            else { continue }
            levels[name] = level
        }
        return .object(levels)
    }

    /// Submits a calibration.
    /// - Parameter now: when it is submitted.
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

    /// Fetches whether a walk may start.
    mutating func fetchReadiness() async throws {
        _ = try await overview()
    }

    /// The questionnaires of the overview. Also caches its readiness for a walk.
    private mutating func overview() async throws -> [JSON] {
        let overview = try await call("GET", path("overview"))
        readiness = overview["walk"]
        // A study can conceal the arm, but its target feedback is visible.
        if model.treatedArm != nil, readiness?["target_feedback"]?.bool == true { isTreated = true }
        return overview["items"]?.array ?? []
    }

    /// Records a walk that ended before the action, and submits it.
    /// - Parameters:
    ///   - now: when it is submitted.
    ///   - isOffline: without network the walk is stored in the outbox.
    mutating func walk(
        _ action: CohortAction, now: Instant, isOffline: Bool = false, _ numbers: inout SeededNumbers
    ) async throws {
        if !isOffline {
            try await signIn(at: now)
            try await fetchReadiness()
        }
        guard readiness?["may_start"]?.bool == true else { return }
        let walk = SimulatedWalk(
            by: person, at: action.at.adding(seconds: -SimulatedWalk.leadSeconds),
            target: calibration?.target,
            hasFeedback: readiness?["target_feedback"]?.bool ?? false, calibration: calibration?.id,
            numbers: numbers)
        let id = numbers.uuid(at: walk.startedAt).uuidString.lowercased()
        if isOffline {
            outbox.append(["kind": "walk", "id": .string(id), "body": walk.body])
        } else {
            try await put(path("walks/\(id)"), walk.body)
        }
        lastWalk = (id, walk.endedAt)
    }

    private mutating func answerAll(_ action: CohortAction, _ numbers: inout SeededNumbers) async throws {
        try await signIn(at: action.at)
        for entry in try await overview() where entry["disabled"]?.bool == false {
            guard let code = entry["questionnaire"]?.string, let occasion = entry["occasion_id"]?.string
            else {
                continue
            }
            let (id, body) = sheet(
                try await questionnaire(code), occasion, refersTo: nil, action, now: action.at, &numbers)
            try await submit(id, body)
        }
        try await cacheOccasions(at: action.at)
    }

    /// Submits a sheet and counts the result. The server rejects a sheet (422) if the answers violate a rule over
    /// several items, because simulated participants do not know such rules. Then the participant continues.
    private mutating func submit(_ id: String, _ body: JSON) async throws {
        do {
            try await put(path("answer-sheets/\(id)"), body)
            outcomes.addAcknowledged(id)
        } catch let refusal as ServerRefusal where refusal.reply.status == 422 {
            outcomes.addRejected(id, refusal.reply.json)
        }
    }

    /// Fills in one questionnaire: for an occasion, or for none.
    /// - Parameters:
    ///   - now: when it is submitted, at the action's time or soon after.
    ///   - isOffline: without network the sheet is stored in the outbox.
    mutating func fill(
        _ code: String, occasion: String?, _ action: CohortAction, now: Instant, isOffline: Bool,
        _ numbers: inout SeededNumbers
    ) async throws {
        if !isOffline { try await signIn(at: now) }
        let reference = references[code]
        let referred = reference.flatMap { latestEntry[$0.questionnaire] }
        if reference?.isRequired == true, referred == nil { return }
        let (id, body) = sheet(
            try await questionnaire(code), occasion, refersTo: referred, action,
            now: isOffline ? action.at : now, &numbers)
        latestEntry[code] = id
        if isOffline {
            outbox.append(["kind": "answer_sheet", "id": .string(id), "body": body])
        } else {
            try await submit(id, body)
        }
    }

    /// Travels to another zone, and reports the zone to the server.
    mutating func travel(to zone: Zone, at now: Instant) async throws {
        try await signIn(at: now)
        _ = try await call("PATCH", path(nil), ["time_zone": .string(zone.id)])
        person.zone = zone
    }

    /// Puts a sheet into the outbox for every cached occasion that is open and not answered yet.
    private mutating func answerOffline(_ action: CohortAction, _ numbers: inout SeededNumbers) {
        let now = action.at.description
        // Texts of instants in the same format have the order of time.
        for occasion in cachedOccasions
        where (occasion["opens_at"]?.string ?? "~") <= now && now < (occasion["closes_at"]?.string ?? "") {
            guard let code = occasion["questionnaire"]?.string, let definition = questionnaires[code],
                let occasionID = occasion["occasion_id"]?.string
            else { continue }
            let (id, body) = sheet(
                definition, occasionID, refersTo: nil, action, now: action.at, &numbers)
            outbox.append(["kind": "answer_sheet", "id": .string(id), "body": body])
        }
        let answered = Set(outbox.compactMap { $0["body"]?["occasion_id"]?.string })
        cachedOccasions.removeAll { answered.contains($0["occasion_id"]?.string ?? "") }
    }

    /// Submits the records in the outbox, and refreshes the cached occasions.
    mutating func uploadOutbox(at now: Instant) async throws {
        try await signIn(at: now)
        if !outbox.isEmpty {
            let reply = try await call(
                "POST", path("sync"), ["client_now": .string(now.description), "items": .array(outbox)])
            outcomes.addResults(reply, of: outbox)
            outbox = []
        }
        try await cacheOccasions(at: now)
    }

    mutating func withdraw(at now: Instant) async throws {
        try await signIn(at: now)
        _ = try await call("POST", path("withdrawal"), ["mode": "stop"])
    }

    /// A sheet that took a few minutes and was finished at the action's time.
    /// - Parameters:
    ///   - refersTo: the entry that the sheet is about; nil for none.
    ///   - now: the device's clock at the submission.
    private func sheet(
        _ questionnaire: JSON, _ occasion: String?, refersTo: String?, _ action: CohortAction, now: Instant,
        _ numbers: inout SeededNumbers
    ) -> (id: String, body: JSON) {
        let form = FilledForm(
            questionnaire, completedAt: action.at, by: person, day: action.day, permitted: permitted,
            isTreated: isTreated, model: model, &numbers)
        var body: JSONObject = [
            "questionnaire": questionnaire["code"] ?? .null, "version": questionnaire["version"] ?? .null,
            "occasion_id": .optional(occasion, JSON.string),
            "started_at": .string(form.startedAt.description),
            "completed_at": .string(action.at.description), "time_zone": .string(person.zone.id),
            "client_now": .string(now.description), "answers": .object(form.answers),
        ]
        if let lastWalk, lastWalk.endedAt <= form.startedAt,
            action.at < lastWalk.endedAt.adding(seconds: 12 * 3600),
            walkQuestionnaires.contains(questionnaire["code"]?.string ?? "")
        {
            body["walk_id"] = .string(lastWalk.id)
        }
        if let refersTo { body["refers_to"] = .string(refersTo) }
        return (numbers.uuid(at: action.at).uuidString.lowercased(), .object(body))
    }

    mutating func questionnaire(_ code: String) async throws -> JSON {
        if let cached = questionnaires[code] { return cached }
        let definition = try await call("GET", path("questionnaires/\(code)"))
        questionnaires[code] = definition
        return definition
    }

    /// Caches the occasions of the next five days and their questionnaires.
    private mutating func cacheOccasions(at now: Instant) async throws {
        guard person.habit == .offline else { return }
        let until = now.adding(seconds: 5 * 86_400)
        let query = "from=\(now.description)&to=\(until.description)&limit=100"
        cachedOccasions = try await call("GET", path("occasions?\(query)"))["items"]?.array ?? []
        cachedOccasions.removeAll { $0["completed_at"]?.string != nil }
        for code in Set(cachedOccasions.compactMap { $0["questionnaire"]?.string }) {
            _ = try await questionnaire(code)
        }
    }

    /// Submits a record; with a poor connection twice, which changes nothing.
    func put(_ path: String, _ body: JSON) async throws {
        _ = try await call("PUT", path, body)
        if person.habit == .sendsTwice { _ = try await call("PUT", path, body) }
    }

    /// The path of a resource below this enrolment; nil for the enrolment itself.
    func path(_ rest: String?) -> String { "/v1/enrolments/\(enrolment)" + (rest.map { "/\($0)" } ?? "") }

    func call(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
        try await server.sendSuccessfully(method, path, token: tokens?.access, body: body).json
    }
}
