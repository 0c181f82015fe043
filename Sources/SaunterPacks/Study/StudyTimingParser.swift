import SaunterCore

/// Parses `events`, `phases` and `any_time` of `study.yaml`, which determine when questionnaires are asked.
struct StudyTimingParser {
    let events: [StudyEvent]
    let phases: [Phase]
    let anyTime: [AnyTimeRule]

    init(_ fields: Fields) {
        events = fields.optional("events") { $0.list($1, of: Self.event) } ?? []
        phases = fields.optional("phases") { $0.list($1, of: Self.phase) } ?? []
        anyTime = fields.optional("any_time") { $0.list($1, of: AnyTimeParser.rule) } ?? []
    }

    private static func event(_ node: YAMLNode, _ log: FaultLog) -> StudyEvent? {
        guard let fields = Fields(node, of: "an event", keys: ["code", "update"], log: log) else {
            return nil
        }
        let update: StudyEvent.Update? = fields.optional("update") { $0.choice($1) }
        return fields.required("code") { $0.text($1) }.map {
            StudyEvent(code: $0, update: update ?? .immutable)
        }
    }

    private static func phase(_ node: YAMLNode, _ log: FaultLog) -> Phase? {
        guard let fields = Fields(node, of: "a phase", keys: ["code", "start", "end"], log: log) else {
            return nil
        }
        let code = fields.required("code") { $0.text($1) }
        let start = fields.required("start", start)
        let end = fields["end"] == nil ? PhaseEnd.studyEnd : fields.optional("end", end)
        guard let code, let start, let end else { return nil }
        return Phase(code: code, start: start, end: end)
    }

    /// Parses `{day: 7}`, `{event: code}` or `{first_completion: questionnaire}`.
    private static func start(_ node: YAMLNode, _ log: FaultLog) -> PhaseStart? {
        guard let (name, value) = node.only(["day", "event", "first_completion"], or: "", log) else {
            return nil
        }
        switch name {
        case "day": return value.integer(log).map { .day($0) }
        case "event": return value.text(log).map { .event($0) }
        default: return value.text(log).map { .firstCompletion(questionnaire: $0) }
        }
    }

    /// Parses `{day: 27}`, `{days: 14}` or `{event: code}`.
    private static func end(_ node: YAMLNode, _ log: FaultLog) -> PhaseEnd? {
        guard let (name, value) = node.only(["day", "days", "event"], or: "", log) else { return nil }
        switch name {
        case "day": return value.integer(log).map { .day($0) }
        case "days": return value.integer(log).map { .length(days: $0) }
        default: return value.text(log).map { .event($0) }
        }
    }
}
