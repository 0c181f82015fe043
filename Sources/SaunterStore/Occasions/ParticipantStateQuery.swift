import Postgres
import SaunterCore

/// Reads the stored state of participants, complete or only the parts that a caller needs. After a year a participant
/// has hundreds of sheets, and most plans do not depend on them.
struct ParticipantStateQuery: Sendable {
    /// Which completed sheets are read.
    enum Completions: Sendable, Hashable {
        case all
        /// Sheets of these questionnaires.
        case of(Set<String>)
        /// Sheets completed at this instant or later.
        case since(Instant)
    }

    var ids: [EnrolmentID]
    /// The instant that decides which calibration is active and which reminders are recent.
    var now: Instant
    var completions = Completions.all
    /// Whether reminders, snoozes, and the study versions that the enrolment followed are read.
    var includesReminders = true

    private enum Part: CaseIterable {
        case enrolments, occasions, zones, pauses, walks, completions, calibrations, events, reminders,
            snoozes, versions
    }

    private var parts: [Part] {
        Part.allCases.filter {
            switch $0 {
            case .completions: completions != .of([])
            case .reminders, .snoozes, .versions: includesReminders
            default: true
            }
        }
    }

    /// The calls of the query, to be sent together. The first one makes PostgreSQL use generic plans until the
    /// transaction ends, so that the statements are planned once per connection. Otherwise PostgreSQL plans them again
    /// for each query, because it estimates few ids as cheaper than many. That planning takes more than half as long as
    /// the query.
    var calls: [(Statement, Arguments)] {
        let keepPlans: (Statement, Arguments) = (Statements.occasions["keep_plans"], [:])
        return [keepPlans] + parts.map(call)
    }

    private func call(_ part: Part) -> (Statement, Arguments) {
        let ids = Parameter.ids(ids)
        return switch part {
        case .enrolments: (Statements.enrolments["find_enrolments"], ["enrolment_ids": ids])
        case .occasions: (Statements.occasions["list_occasions"], ["enrolment_ids": ids])
        case .zones: (Statements.enrolments["list_enrolment_zones"], ["enrolment_ids": ids])
        case .pauses: (Statements.enrolments["list_enrolment_pauses"], ["enrolment_ids": ids])
        case .walks: (Statements.walks["list_walk_ends"], ["enrolment_ids": ids])
        case .completions:
            (
                Statements.answerSheets["list_completions"],
                ["enrolment_ids": ids, "questionnaires": questionnaires, "since": since]
            )
        case .calibrations:
            (Statements.walks["find_calibrations_at"], ["enrolment_ids": ids, "at": .instant(now)])
        case .events: (Statements.enrolments["list_enrolment_events"], ["enrolment_ids": ids])
        case .reminders:
            (Statements.reminders["list_reminders"], ["enrolment_ids": ids, "now": .instant(now)])
        case .snoozes: (Statements.reminders["list_snoozes"], ["enrolment_ids": ids])
        case .versions: (Statements.consents["list_enrolment_versions"], ["enrolment_ids": ids])
        }
    }

    /// NULL: all questionnaires.
    private var questionnaires: Parameter {
        if case .of(let codes) = completions { .texts(codes.sorted()) } else { .texts(nil) }
    }

    /// NULL: at any time.
    private var since: Parameter {
        if case .since(let moment) = completions { .instant(moment) } else { .instant(nil) }
    }

    /// The states of the enrolments that exist, from the results of `calls`.
    func states(from results: [Rows]) throws -> [EnrolmentID: ParticipantState] {
        // Index 0 is the result of `keep_plans`, and index 1 that of the enrolments. `dropFirst` keeps the indices.
        let results = results.dropFirst()
        let rowsByPart = try Dictionary(uniqueKeysWithValues: zip(parts, results))
            .mapValues(Self.byEnrolment)
        var found: [EnrolmentID: ParticipantState] = [:]
        for row in results[1] {
            let enrolment = try Store.enrolment(row)
            func rows(_ part: Part) -> Slice<Rows> {
                rowsByPart[part]?[enrolment.id] ?? results[1].prefix(0)
            }
            found[enrolment.id] = ParticipantState(
                enrolment: enrolment, liveVersion: try row.get("live_version"),
                occasions: try rows(.occasions).map { try Store.occasion($0) },
                zones: try rows(.zones).map {
                    ZoneChange(from: try $0.instant("effective_from"), zone: try $0.zone("zone"))
                },
                pauses: try rows(.pauses).map {
                    Pause(from: try $0.instant("from_at"), to: try $0.instantOptional("to_at"))
                },
                walks: try rows(.walks).map { (try $0.id("walk_id"), try $0.instant("ended_at")) },
                completions: try rows(.completions).map { try ParticipantState.completion($0) },
                events: try rows(.events).map { try Store.event($0) },
                calibration: try rows(.calibrations).first.map(StoredCalibration.init),
                reminders: try rows(.reminders).compactMap { try Store.reminder($0) },
                snoozes: try rows(.snoozes).map { try Store.storedSnooze($0) },
                versions: try rows(.versions).map { try Store.followedVersion($0) },
                plannedAt: try includesReminders ? Self.plannedAt(rows(.occasions)) : [:])
        }
        return found
    }

    /// When each occasion was planned for its current local date.
    private static func plannedAt(_ rows: Slice<Rows>) throws -> [OccasionID: Instant] {
        var found: [OccasionID: Instant] = [:]
        for row in rows {
            let id: OccasionID = try row.id("occasion_id")
            found[id] = try row.instant("planned_at")
        }
        return found
    }

    /// The rows of each enrolment. All statements return rows ordered by enrolment.
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

extension ParticipantStateQuery.Completions {
    /// The completions from which this study plans occasions and detects inactive participants.
    init(neededFor study: Study) {
        self = study.notificationRules.isEmpty ? .of(study.followedQuestionnaires) : .all
    }

    /// The completions that cover both.
    func union(_ other: Self) -> Self {
        guard case .of(let own) = self, case .of(let others) = other else { return .all }
        return .of(own.union(others))
    }

    /// All completions that may belong to a participant's current day, which began at most 25 hours ago.
    static func today(at now: Instant) -> Self { .since(now.adding(seconds: -26 * 3600)) }
}
