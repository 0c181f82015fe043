import SaunterCore

/// Parses `schedule.yaml`.
struct ScheduleParser {
    /// The keys of a schedule.
    static let keys = [
        "id", "questionnaire", "arms", "phase", "anchor", "offset_days", "recurrence", "max_per_day", "slots",
        "zone_policy", "late_policy", "reminded", "reminders",
    ]

    let log: FaultLog

    /// Parses all schedules. A missing value of a schedule is replaced by a placeholder or a default, so that the
    /// positions of the others stay the same.
    func schedules(_ node: YAMLNode) -> [Schedule]? {
        guard let fields = Fields(node, of: "schedule.yaml", keys: ["schedules"], log: log) else {
            return nil
        }
        return fields.required("schedules") { $0.list($1, of: schedule) }
    }

    private func schedule(_ node: YAMLNode, _ log: FaultLog) -> Schedule? {
        let placeholder = Placeholder.name(String(node.line))
        guard let fields = Fields(node, of: "a schedule", keys: Self.keys, log: log) else {
            return Schedule(id: placeholder, questionnaire: placeholder, recurrence: .once, slots: [])
        }
        let id = fields.required("id") { $0.text($1) }
        let questionnaire = fields.required("questionnaire") { $0.text($1) }
        let recurrence = fields.required("recurrence", recurrence)
        let slots = fields.required("slots") { $0.list($1, of: slot) }
        let arms = fields.optional("arms") { $0.list($1, of: { $0.text($1) }) }
        let phase = fields.optional("phase") { $0.text($1) }
        let anchor = fields.optional("anchor", anchor) ?? phase.map { .phase($0) }
        let maximum = fields.optional("max_per_day") { $0.integer($1) }
        let offset = fields.optional("offset_days") { $0.integer($1) }
        let zone = fields.optional("zone_policy", zonePolicy)
        let late: LatePolicy? = fields.optional("late_policy") { $0.choice($1) }
        let reminded = fields.optional("reminded") { $0.boolean($1) }
        let reminders = fields.optional("reminders") { $0.list($1, of: reminderTiming) }
        return Schedule(
            id: id ?? placeholder, questionnaire: questionnaire ?? placeholder, arms: arms ?? [],
            anchor: anchor ?? .enrolment, offsetDays: offset ?? 0, recurrence: recurrence?.days ?? .once,
            count: recurrence?.count, phase: phase, maxPerDay: maximum, slots: slots ?? [],
            zonePolicy: zone ?? .participant, latePolicy: late ?? .flag, isInDailyMail: reminded ?? true,
            reminders: reminders ?? [])
    }

    /// Parses `enrolment`, `walk`, `{study_date: 2026-11-21}`, `{completion: …}`, `{first_completion:
    /// questionnaire}`, `{event: code}` or `{phase: code}`.
    private func anchor(_ node: YAMLNode, _ log: FaultLog) -> Anchor? {
        switch node.scalar?.text {
        case "enrolment": return .enrolment
        case "walk": return .walk
        default: break
        }
        let names = ["study_date", "completion", "first_completion", "event", "phase"]
        guard let (name, value) = node.only(names, or: "enrolment, walk", log) else { return nil }
        switch name {
        case "study_date": return value.date(log).map { .studyDate($0) }
        case "completion": return completion(value, log)
        case "first_completion": return value.text(log).map { .firstCompletion(questionnaire: $0) }
        case "event": return value.text(log).map { .event($0) }
        default: return value.text(log).map { .phase($0) }
        }
    }

    /// Parses a questionnaire, a list of questionnaires, or `{programme: any}`.
    private func completion(_ node: YAMLNode, _ log: FaultLog) -> Anchor? {
        switch node.content {
        case .sequence: return node.list(log) { $0.text($1) }.map { .completionOfAny($0) }
        case .mapping:
            guard let (_, value) = node.only(["programme"], or: "a questionnaire, a list", log) else {
                return nil
            }
            guard value.scalar?.text == "any" else {
                log.note(value.line, "expected any")
                return nil
            }
            return .completionOfPractice
        default: return node.text(log).map { .completion(questionnaire: $0) }
        }
    }

    /// Parses `participant`, `enrolment` or `{study: Europe/Berlin}`.
    private func zonePolicy(_ node: YAMLNode, _ log: FaultLog) -> ZonePolicy? {
        switch node.scalar?.text {
        case "participant": return .participant
        case "enrolment": return .enrolment
        default: break
        }
        return node.only(["study"], or: "participant, enrolment", log)?.value.zone(log).map { .study($0) }
    }

    /// Parses `at_open`, `{after_open: 30m}`, `{before_due: 1h}` or `{before_close: 10m}`.
    private func reminderTiming(_ node: YAMLNode, _ log: FaultLog) -> ReminderTiming? {
        if node.scalar?.text == "at_open" { return .atOpen }
        let names = ["after_open", "before_due", "before_close"]
        guard let (name, value) = node.only(names, or: "at_open", log), let seconds = value.duration(log)
        else { return nil }
        switch name {
        case "after_open": return .afterOpen(seconds: seconds)
        case "before_due": return .beforeDue(seconds: seconds)
        default: return .beforeClose(seconds: seconds)
        }
    }

    private func slot(_ node: YAMLNode, _ log: FaultLog) -> Slot? {
        let keys = ["open", "due_after", "close_after", "visible_before"]
        guard let fields = Fields(node, of: "a slot", keys: keys, log: log) else { return nil }
        let opening = fields.required("open", opening)
        let due = fields.required("due_after") { $0.duration($1) }
        let close = fields.required("close_after") { $0.duration($1) }
        let visible = fields.optional("visible_before") { $0.duration($1) }
        guard let opening, let due, let close else { return nil }
        return Slot(opening: opening, dueAfter: due, closeAfter: close, visibleBefore: visible ?? 0)
    }

    /// Parses `"17:00"`, `{random: {from, to, count, minimum_gap}}` or `{after_anchor: 30m}`.
    private func opening(_ node: YAMLNode, _ log: FaultLog) -> Opening? {
        if case .scalar = node.content { return node.time(log).map { .fixed($0) } }
        guard let (name, value) = node.only(["random", "after_anchor"], or: "\"hh:mm\"", log) else {
            return nil
        }
        if name == "after_anchor" { return value.duration(log).map { .afterAnchor(seconds: $0) } }
        let keys = ["from", "to", "count", "minimum_gap"]
        guard let fields = Fields(value, of: "random", keys: keys, log: log) else { return nil }
        let from = fields.required("from") { $0.time($1) }
        let to = fields.required("to") { $0.time($1) }
        let count = fields.required("count") { $0.integer($1) }
        let gap = fields.required("minimum_gap") { $0.duration($1) }
        guard let from, let to, let count, let gap else { return nil }
        return .random(from: from, to: to, count: count, minimumGap: gap)
    }
}

extension ScheduleParser {
    /// Parses `once`, or one of `every`, `weekly`, `monthly` and `cycle` with its numbers and its end: `until_day`,
    /// `count` or both.
    private func recurrence(_ node: YAMLNode, _ log: FaultLog) -> (days: Recurrence, count: Int?)? {
        if node.scalar?.text == "once" { return (.once, nil) }
        guard let (name, value) = node.only(["every", "weekly", "monthly", "cycle"], or: "once", log) else {
            return nil
        }
        let keys =
            switch name {
            case "every", "monthly": ["days", "until_day", "count"]
            case "weekly": ["weekdays", "weeks", "until_day", "count"]
            default: ["length", "day_offsets", "until_day", "count"]
            }
        guard let fields = Fields(value, of: name, keys: keys, log: log) else { return nil }
        let count = fields.optional("count") { $0.integer($1) }
        let last =
            count == nil
            ? fields.required("until_day") { $0.integer($1) }
            : fields.optional("until_day") { $0.integer($1) } ?? Study.maximumDays
        guard let last, let days = days(name, fields, until: last) else { return nil }
        return (days, count)
    }

    private func days(_ name: String, _ fields: Fields, until: Int) -> Recurrence? {
        func number(_ key: String) -> Int? { fields.required(key) { $0.integer($1) } }
        func numbers(_ key: String) -> [Int]? { fields.required(key) { $0.list($1, of: { $0.integer($1) }) } }
        switch name {
        case "every": return number("days").map { .every(days: $0, untilDay: until) }
        case "monthly": return numbers("days").map { .monthly(days: $0, untilDay: until) }
        case "weekly":
            guard let weekdays = numbers("weekdays") else { return nil }
            let weeks = fields.optional("weeks") { $0.integer($1) } ?? 1
            return .weekly(weekdays: weekdays, weeks: weeks, untilDay: until)
        default:
            guard let length = number("length"), let offsets = numbers("day_offsets") else { return nil }
            return .cycle(length: length, dayOffsets: offsets, untilDay: until)
        }
    }
}
