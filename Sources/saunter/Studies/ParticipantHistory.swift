import Foundation
import SaunterCore

/// The history of one made-up participant: one line of the input of `saunter variables`.
struct ParticipantHistory {
    let participant: String
    let at: Instant
    let facts: VariableFacts

    private static let instant = Schema.string(format: .dateTime)
    private static let id = Schema.string(format: .uuid)
    private static let name = Schema.string(minLength: 1, maxLength: 200)
    /// The local time of a fact: the zone in which it happened, or the offset. Both can be left out.
    private static let localTime: [Schema.Member] = [
        .optional("time_zone", .zone), .optional("offset_min", .integer(min: -1080, max: 1080)),
    ]

    /// The members of a line.
    static let schema = Schema.object([
        .optional("participant", .string(maxLength: 200)),
        .required("enrolled_at", instant), .required("time_zone", .zone), .required("at", instant),
        .optional("zone_changes", list([.required("from", instant), .required("time_zone", .zone)])),
        .optional("arm", name),
        .optional("breaks", list([.required("from", instant), .optional("to", .nullable(instant))])),
        .optional("sheets", sheets),
        .optional(
            "usage",
            list(
                [
                    .required("event", name), .required("happened_at", instant), .optional("feature", name),
                    .optional("seconds", .nullable(.number())),
                ] + localTime)),
        .optional(
            "walks",
            list(
                [
                    .required("started_at", instant), .optional("deleted_at", .nullable(instant)),
                    .optional("flags", .array(of: name)),
                    .optional("metrics", .map(of: .nullable(.number()))),
                ] + localTime)),
        .optional(
            "observations",
            list(
                [
                    .optional("system", name), .required("code", name), .required("started_at", instant),
                    .optional("value", .nullable(.number())), .optional("deleted_at", .nullable(instant)),
                ] + localTime)),
        .optional("events", list([.required("event", name), .required("occurred_at", instant)])),
        .optional(
            "messages",
            list([
                .required("rule", name), .required("sent_at", instant),
                .optional("delivered_at", .nullable(instant)), .optional("opened_at", .nullable(instant)),
            ])),
        .optional("occasions", occasions),
    ])

    private static let sheets = list(
        [
            .required("sheet_id", id), .optional("revision", .integer(min: 1)),
            .required("questionnaire", name),
            .required("completed_at", instant), .required("answers", .map(of: .any)),
            .optional("reasons", .map(of: .any)), .optional("scores", .map(of: .nullable(.number()))),
            .optional("refers_to", .nullable(id)), .optional("source", name),
            .optional("duplicate_of", .nullable(id)), .optional("deleted_at", .nullable(instant)),
        ] + localTime)

    private static let occasions = list([
        .required("schedule", name), .required("local_date", .string(format: .date)),
        .required("opens_at", instant), .optional("due_at", instant), .required("closes_at", instant),
        .optional("completed_at", .nullable(instant)),
        .optional(
            "set_aside", .nullable(.string(values: OccasionExclusion.allCases.map(\.rawValue)))),
    ])

    private static func list(_ members: [Schema.Member]) -> Schema {
        .array(of: .object(members), max: 100_000)
    }

    /// - Throws: every fault of the line.
    init(_ json: JSON, of study: HistoryStudy) throws(Faults) {
        let faults = Self.schema.faults(in: json)
        guard faults.isEmpty, let enrolledAt = json.moment("enrolled_at"), let at = json.moment("at"),
            let zone = json.zone
        else { throw Faults(faults) }
        participant = json["participant"]?.string ?? ""
        self.at = at
        var facts = VariableFacts(enrolledAt: enrolledAt, zones: [ZoneChange(from: enrolledAt, zone: zone)])
        for (index, change) in json.list("zone_changes").enumerated() {
            guard let from = change.moment("from"), let zone = change.zone else { continue }
            guard from > enrolledAt else {
                throw Faults([
                    Fault(
                        pointer: "/zone_changes/\(index)/from", code: "too_early",
                        detail: "A change of zone is after the enrolment.")
                ])
            }
            facts.zones.append(ZoneChange(from: from, zone: zone))
        }
        facts.breaks = json.list("breaks").compactMap { pause in
            pause.moment("from").map { Pause(from: $0, to: pause.moment("to")) }
        }.sorted { $0.from < $1.from }
        for event in json.list("events") {
            if let code = event["event"]?.string { facts.events[code] = event.moment("occurred_at") }
        }
        facts.messages = json.list("messages").compactMap { message in
            guard let rule = message["rule"]?.string, let sentAt = message.moment("sent_at") else {
                return nil
            }
            return .init(
                rule: rule, sentAt: sentAt, deliveredAt: message.moment("delivered_at"),
                openedAt: message.moment("opened_at"))
        }
        facts.addRecords(of: json)
        facts.addOccasions(of: json)
        facts.sheets = try study.sheets(of: json, facts)
        self.facts = facts
    }
}

extension VariableFacts {
    fileprivate mutating func addRecords(of json: JSON) {
        for event in json.list("usage") {
            guard let kind = event["event"]?.string, let moment = event.moment("happened_at") else {
                continue
            }
            usageEvents.append(
                UsageEvent(
                    event: kind, happenedAt: moment, offsetMinutes: offset(of: event, at: moment),
                    feature: event["feature"]?.string, seconds: event["seconds"]?.double))
        }
        for walk in json.list("walks") where walk.moment("deleted_at") == nil {
            guard let moment = walk.moment("started_at") else { continue }
            let metrics = WalkMetric.allCases.compactMap { metric in
                walk["metrics"]?[metric.rawValue]?.double.map { (metric, $0) }
            }
            let isWalk = !walk.list("flags").contains { $0.string == WalkFlag.notAWalk.rawValue }
            walks.append(
                WalkFact(
                    startedAt: moment, offsetMinutes: offset(of: walk, at: moment), isWalk: isWalk,
                    metrics: Dictionary(metrics, uniquingKeysWith: { first, _ in first })))
        }
        for observation in json.list("observations") where observation.moment("deleted_at") == nil {
            guard let code = observation["code"]?.string, let moment = observation.moment("started_at") else {
                continue
            }
            observations.append(
                ObservationFact(
                    system: observation["system"]?.string ?? ObservationCode.loinc, code: code,
                    startedAt: moment,
                    offsetMinutes: offset(of: observation, at: moment), value: observation["value"]?.double))
        }
    }

    fileprivate mutating func addOccasions(of json: JSON) {
        for occasion in json.list("occasions") {
            guard let schedule = occasion["schedule"]?.string, let opens = occasion.moment("opens_at"),
                let closes = occasion.moment("closes_at"),
                let date = occasion["local_date"]?.string.flatMap({ LocalDate($0) })
            else { continue }
            // Variables do not use the id of an occasion.
            let key = OccasionKey(
                schedule: schedule, anchorInstance: "", dayIndex: 0, slotIndex: occasions.count)
            occasions.append(
                Occasion(
                    id: key.id(of: HistoryStudy.noEnrolment), key: key, questionnaire: "", localDate: date,
                    zone: zone(at: opens),
                    window: AssessmentWindow(
                        visibleAt: opens, openAt: opens, dueAt: occasion.moment("due_at") ?? closes,
                        closeAt: closes),
                    exclusion: occasion["set_aside"]?.string.flatMap { OccasionExclusion(rawValue: $0) },
                    completedAt: occasion.moment("completed_at")))
        }
    }

    private func zone(at moment: Instant) -> Zone {
        zones.zone(at: moment, enrolledAt: enrolledAt, fallback: .utc)
    }

    /// The offset of a fact in minutes: the given one, otherwise that of its zone, otherwise that of the participant's
    /// zone.
    fileprivate func offset(of fact: JSON, at moment: Instant) -> Int {
        fact["offset_min"]?.int ?? (fact.zone ?? zone(at: moment)).offset(at: moment) / 60
    }
}

/// A study whose questionnaires are indexed for reading many histories.
struct HistoryStudy {
    /// Variables do not use the id of the enrolment.
    static let noEnrolment = EnrolmentID("00000000-0000-8000-8000-000000000000") ?? EnrolmentID(UUID())

    let study: Study
    private let indices: [String: QuestionnaireIndex]

    init(_ study: Study) {
        self.study = study
        indices = Dictionary(
            study.questionnaires.map { ($0.code, QuestionnaireIndex($0)) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The sheets of a history, with their scores.
    /// - Throws: every fault of the sheets.
    fileprivate func sheets(of json: JSON, _ facts: VariableFacts) throws(Faults) -> [VariableFacts.Sheet] {
        var faults: [Fault] = []
        var sheets: [VariableFacts.Sheet] = []
        var revisions: Set<String> = []
        for (index, line) in json.list("sheets").enumerated() {
            let pointer = "/sheets/\(index)"
            do throws(Faults) {
                let sheet = try sheet(line, facts, pointer)
                if !revisions.insert("\(sheet.id) \(sheet.revision)").inserted {
                    faults.append(
                        Fault(
                            pointer: "\(pointer)/revision", code: "duplicate",
                            detail: "The sheet already has this revision."))
                }
                sheets.append(sheet)
            } catch {
                faults += error.list
            }
        }
        guard faults.isEmpty else { throw Faults(faults) }
        addScores(to: &sheets, json)
        return sheets
    }

    private func sheet(
        _ json: JSON, _ facts: VariableFacts, _ pointer: String
    ) throws(Faults) -> VariableFacts.Sheet {
        guard let id = json["sheet_id"]?.string.flatMap({ SheetID($0) }),
            let code = json["questionnaire"]?.string, let completedAt = json.moment("completed_at")
        else { throw Faults([Fault(pointer: pointer, code: "unreadable", detail: "This is not a sheet.")]) }
        guard let index = indices[code] else {
            throw Faults([
                Fault(
                    pointer: "\(pointer)/questionnaire", code: "unknown_questionnaire",
                    detail: "The study has no questionnaire \(code).")
            ])
        }
        let offset = facts.offset(of: json, at: completedAt)
        let answers = try AnswerSheet(
            answers: json["answers"]?.object ?? [:], reasons: json["reasons"]?.object ?? [:], of: index,
            pointer: "\(pointer)/answers", reasonsPointer: "\(pointer)/reasons",
            today: LocalDate(of: completedAt, offsetMinutes: offset))
        return VariableFacts.Sheet(
            id: id, revision: json["revision"]?.int ?? 1, questionnaire: code, completedAt: completedAt,
            offsetMinutes: offset, refersTo: json["refers_to"]?.string.flatMap { SheetID($0) },
            source: json["source"]?.string ?? "participant",
            duplicateOf: json["duplicate_of"]?.string.flatMap { SheetID($0) },
            deletedAt: json.moment("deleted_at"),
            answers: .sheet(answers))
    }

    /// Adds the scores by the scoring keys of the questionnaires. A score in the history replaces the computed score.
    private func addScores(to sheets: inout [VariableFacts.Sheet], _ json: JSON) {
        sheets.setScores(
            by: indices, covariates: study.covariates,
            arm: json["arm"]?.string ?? study.arms.first?.code ?? "")
        for (position, line) in json.list("sheets").enumerated() {
            for member in line["scores"]?.object ?? [:] {
                sheets[position].scores[member.name] = member.value.double
            }
        }
    }
}

extension JSON {
    fileprivate func moment(_ member: String) -> Instant? { self[member]?.string.flatMap { Instant($0) } }
    fileprivate func list(_ member: String) -> [JSON] { self[member]?.array ?? [] }
    fileprivate var zone: Zone? { self["time_zone"]?.string.flatMap { Zone($0) } }
}
