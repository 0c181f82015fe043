import Postgres
import SaunterCore

/// What is read of participants: all of it, or no more than somebody works with. People have hundreds of sheets after a year; most plans do not count
/// from them.
struct ParticipationReading: Sendable {
    enum Completions: Sendable, Hashable {
        case all
        /// Of these questionnaires.
        case of(Set<String>)
        /// From this moment on.
        case since(Instant)
    }

    var ids: [EnrolmentID]
    /// Which calibration is in force, and which reminders count as recent.
    var now: Instant
    var completions = Completions.all
    /// What was claimed for occasions, what was put off, and since when the versions of the study were followed.
    var hasReminders = true

    private enum Part: CaseIterable {
        case enrolments, occasions, zones, pauses, walks, completions, calibrations, events, reminders,
            snoozes, versions
    }

    private var parts: [Part] {
        Part.allCases.filter {
            switch $0 {
            case .completions: completions != .of([])
            case .reminders, .snoozes, .versions: hasReminders
            default: true
            }
        }
    }

    /// To be sent together. The first has the others planned once for a connection, until the transaction ends: by itself PostgreSQL plans them anew for
    /// each reading, as it takes few ids to be cheaper than many, and that takes more than half as long as the reading.
    var calls: [(Statement, [Parameter])] { [(Statements.occasions["keep_plans"], [])] + parts.map(call) }

    private func call(_ part: Part) -> (Statement, [Parameter]) {
        let ids = Parameter.ids(ids)
        return switch part {
        case .enrolments: (Statements.enrolments["find_enrolments"], [ids])
        case .occasions: (Statements.occasions["list_occasions"], [ids])
        case .zones: (Statements.enrolments["list_enrolment_zones"], [ids])
        case .pauses: (Statements.enrolments["list_enrolment_pauses"], [ids])
        case .walks: (Statements.walks["list_walk_ends"], [ids])
        case .completions: (Statements.answerSheets["list_completions"], [ids, questionnaires, since])
        case .calibrations: (Statements.walks["find_calibrations_at"], [ids, .instant(now)])
        case .events: (Statements.enrolments["list_enrolment_events"], [ids])
        case .reminders: (Statements.reminders["list_reminders"], [ids, .instant(now)])
        case .snoozes: (Statements.reminders["list_snoozes"], [ids])
        case .versions: (Statements.consents["list_enrolment_versions"], [ids])
        }
    }

    /// NULL for all of them.
    private var questionnaires: Parameter {
        if case .of(let codes) = completions { .texts(codes.sorted()) } else { .texts(nil) }
    }

    /// NULL for whenever it was.
    private var since: Parameter {
        if case .since(let moment) = completions { .instant(moment) } else { .instant(nil) }
    }

    /// What the calls gave of each enrolment that there is.
    func participations(_ results: [Rows]) throws -> [EnrolmentID: Participation] {
        let results = results.dropFirst()
        let own = try Dictionary(uniqueKeysWithValues: zip(parts, results)).mapValues(Self.byEnrolment)
        var found: [EnrolmentID: Participation] = [:]
        for row in results[1] {
            let enrolment = try Store.enrolment(row)
            func rows(_ part: Part) -> Slice<Rows> { own[part]?[enrolment.id] ?? results[1].prefix(0) }
            found[enrolment.id] = Participation(
                enrolment: enrolment, liveVersion: try row.get("live_version"),
                occasions: try rows(.occasions).map { try Store.occasion($0) },
                zones: try rows(.zones).map {
                    ZoneChange(from: try $0.instant("effective_from"), zone: try $0.zone("zone"))
                },
                pauses: try rows(.pauses).map {
                    Pause(from: try $0.instant("from_at"), to: try $0.instantOptional("to_at"))
                },
                walks: try rows(.walks).map { (try $0.id("walk_id"), try $0.instant("ended_at")) },
                completions: try rows(.completions).map { try Participation.completion($0) },
                events: try rows(.events).map { try Store.event($0) },
                calibration: try rows(.calibrations).first.map(StoredCalibration.init),
                reminders: try rows(.reminders).compactMap { try Store.reminder($0) },
                snoozes: try rows(.snoozes).map { try Store.storedSnooze($0) },
                versions: try rows(.versions).map { try Store.followedVersion($0) },
                plannedAt: try hasReminders ? Self.plannedAt(rows(.occasions)) : [:])
        }
        return found
    }

    private static func plannedAt(_ rows: Slice<Rows>) throws -> [OccasionID: Instant] {
        var found: [OccasionID: Instant] = [:]
        for row in rows {
            let id: OccasionID = try row.id("occasion_id")
            found[id] = try row.instant("planned_at")
        }
        return found
    }

    /// Rows of one enrolment follow each other: all of these statements give them in its order.
    private static func byEnrolment(_ rows: Rows) throws -> [EnrolmentID: Slice<Rows>] {
        var found: [EnrolmentID: Slice<Rows>] = [:]
        var start = rows.startIndex
        while start < rows.endIndex {
            let id: EnrolmentID = try rows[start].id("enrolment_id")
            var end = start + 1
            while end < rows.endIndex, try rows[end].id("enrolment_id", as: EnrolmentID.self) == id {
                end += 1
            }
            found[id] = Slice(base: rows, bounds: start..<end)
            start = end
        }
        return found
    }
}

extension ParticipationReading.Completions {
    /// From which this study plans, and tells of somebody who has fallen silent.
    init(whatPlansNeed study: Study) {
        self = study.notices.isEmpty ? .of(study.followedQuestionnaires) : .all
    }

    /// What serves both.
    func joined(with other: Self) -> Self {
        guard case .of(let own) = self, case .of(let others) = other else { return .all }
        return .of(own.union(others))
    }

    /// Everything that may have been done on a participant's present day, which began 25 hours ago at most.
    static func today(at now: Instant) -> Self { .since(now.adding(seconds: -26 * 3600)) }
}
