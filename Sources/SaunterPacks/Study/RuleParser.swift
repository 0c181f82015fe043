import SaunterCore

/// Parses `rules.yaml`: the decision rules of a study.
struct RuleParser {
    let log: FaultLog
    /// The codes of the rules that could not be read completely.
    private(set) var unreadable: Set<String> = []

    private static let keys = [
        "code", "at", "to", "when", "allowed", "cooldown", "tags", "limit", "valid_for", "channels", "log",
        "randomise", "do",
    ]

    init(log: FaultLog) {
        self.log = log
    }

    /// Parses all rules. A placeholder replaces a rule that could not be read, so that the positions of the others stay
    /// the same.
    mutating func rules(_ node: YAMLNode) -> [DecisionRule] {
        guard let fields = Fields(node, of: "rules.yaml", keys: ["rules"], log: log),
            let nodes = fields.required("rules", { $0.list($1) })
        else { return [] }
        return nodes.map { node in
            let before = log.unreadableLines
            if let rule = Self.rule(node, log), log.unreadableLines == before { return rule }
            let code = node["code"]?.scalar?.text ?? Placeholder.name(String(node.line))
            unreadable.insert(code)
            return DecisionRule(
                code: code, point: .appOpen(.visit), action: .alert(about: "placeholder"))
        }
    }

    private enum Log: String, CaseIterable {
        case all
    }

    /// Parses one rule. Nil, with a fault, if a part could not be read.
    private static func rule(_ node: YAMLNode, _ log: FaultLog) -> DecisionRule? {
        guard let fields = Fields(node, of: "a rule", keys: keys, log: log) else { return nil }
        let code = fields.required("code") { $0.text($1) }
        let point = fields.required("at", DecisionPointParser.point)
        let recipient: DecisionRule.Recipient? = fields.optional("to") { $0.choice($1) }
        let condition = fields.optional("when") { $0.text($1) }
        let allowed = fields.optional("allowed") { $0.only(["setting"], or: "", $1)?.value.text($1) }
        let cooldown = fields.optional("cooldown") { $0.duration($1) }
        let tags = fields.optional("tags") { $0.list($1, of: { $0.text($1) }) }
        let limit = fields.optional("limit", limit)
        let validity = fields.optional("valid_for") { $0.duration($1) }
        let channels = fields.optional("channels", StudyDesignParser.channels)
        let logged: Log? = fields.optional("log") { $0.choice($1) }
        let probability = fields.optional("randomise", probability)
        guard let action = fields.required("do", action), let code, let point else { return nil }
        return DecisionRule(
            code: code, point: point, recipient: recipient ?? .participant, condition: condition,
            allowed: allowed, cooldown: cooldown, tags: tags ?? [], limit: limit, validFor: validity,
            channels: channels, logsAll: logged == .all, probability: probability, action: action)
    }

    /// Parses `{messages: 1, per: 7d, among: nudges}`.
    private static func limit(_ node: YAMLNode, _ log: FaultLog) -> DecisionRule.Limit? {
        guard let fields = Fields(node, of: "limit", keys: ["messages", "per", "among"], log: log) else {
            return nil
        }
        let messages = fields.required("messages") { $0.integer($1) }
        let per = fields.required("per") { $0.duration($1) }
        let among = fields.required("among") { $0.text($1) }
        guard let messages, let per, let among else { return nil }
        return DecisionRule.Limit(messages: messages, per: per, among: among)
    }

    /// Parses `{probability: 0.6}`.
    private static func probability(_ node: YAMLNode, _ log: FaultLog) -> Double? {
        guard let fields = Fields(node, of: "randomise", keys: ["probability"], log: log) else { return nil }
        return fields.required("probability") { $0.number($1) }
    }

    /// Parses `{message: {…}}`, `{award: {…}}`, `{event: code}`, `{alert: {about: code}}` or `{report: code}`.
    private static func action(_ node: YAMLNode, _ log: FaultLog) -> DecisionRule.Action? {
        let names = ["message", "award", "event", "alert", "report"]
        guard let (name, value) = node.only(names, or: "", log) else { return nil }
        switch name {
        case "message": return message(value, log).map { .message($0) }
        case "award": return award(value, log).map { .award($0) }
        case "event": return value.text(log).map { .event($0) }
        case "report": return value.text(log).map { .report($0) }
        default:
            guard let fields = Fields(value, of: "alert", keys: ["about"], log: log) else { return nil }
            return fields.required("about") { $0.text($1) }.map { .alert(about: $0) }
        }
    }

    private static func message(_ node: YAMLNode, _ log: FaultLog) -> DecisionRule.Message? {
        let keys = ["target", "content", "line_for"]
        guard let fields = Fields(node, of: "message", keys: keys, log: log) else { return nil }
        let target = fields.optional("target") { $0.text($1) }
        let content = fields.optional("content", content)
        let list = fields.optional("line_for") { $0.text($1) }
        return DecisionRule.Message(target: target, content: content, lineFor: list)
    }

    private static func content(_ node: YAMLNode, _ log: FaultLog) -> DecisionRule.Content? {
        let keys = ["collection", "select", "where"]
        guard let fields = Fields(node, of: "content", keys: keys, log: log) else { return nil }
        let collection = fields.required("collection") { $0.text($1) }
        let selection: DecisionRule.Content.Selection? = fields.required("select") { $0.choice($1) }
        let condition = fields.optional("where") { $0.text($1) }
        guard let collection, let selection else { return nil }
        return DecisionRule.Content(collection: collection, selection: selection, condition: condition)
    }

    private static func award(_ node: YAMLNode, _ log: FaultLog) -> DecisionRule.Award? {
        let keys = ["code", "repeatable", "revocable"]
        guard let fields = Fields(node, of: "award", keys: keys, log: log) else { return nil }
        let isRepeatable = fields.optional("repeatable") { $0.boolean($1) } ?? false
        let isRevocable = fields.optional("revocable") { $0.boolean($1) } ?? false
        return fields.required("code") { $0.text($1) }.map {
            DecisionRule.Award(code: $0, isRepeatable: isRepeatable, isRevocable: isRevocable)
        }
    }
}

/// Parses the decision point of a rule (`at`).
enum DecisionPointParser {
    /// Decision point -> the keys beside it.
    private static let keys: [(name: String, others: [String])] = [
        ("after", ["first_after", "repeat_every", "at_most"]), ("calendar", []), ("per_day", []),
        ("adaptive", []), ("cycle", []), ("entry", []), ("reached", ["over", "first_after"]),
        ("published", []), ("app_open", []),
    ]

    static func point(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint? {
        let names = keys.map(\.name)
        guard case .mapping(let entries) = node.content else {
            return node.expected("a mapping with one of \(names.joined(separator: ", "))", log)
        }
        let found = keys.filter { key in entries.contains { $0.key == key.name } }
        guard found.count == 1, let (name, others) = found.first else {
            log.note(
                node.line,
                found.isEmpty
                    ? "`at` needs one of \(names.joined(separator: ", "))"
                    : "`at` has one decision point, not \(found.map(\.name).joined(separator: " and "))")
            return nil
        }
        guard let fields = Fields(node, of: "`at` with \(name)", keys: [name] + others, log: log),
            let value = fields[name]
        else { return nil }
        switch name {
        case "after": return after(fields).map { .after($0) }
        case "calendar": return calendar(value, log).map { .calendar($0) }
        case "per_day": return perDay(value, log).map { .perDay($0) }
        case "adaptive": return adaptive(value, log).map { .adaptive($0) }
        case "cycle": return cycle(value, log).map { .cycle($0) }
        case "entry": return value.text(log).map { .entry(questionnaire: $0) }
        case "reached": return reached(fields).map { .reached($0) }
        case "published": return value.text(log).map { .published(collection: $0) }
        default:
            guard let fields = Fields(value, of: "app_open", keys: ["once_per"], log: log) else { return nil }
            let visit: DecisionPoint.Visit? = fields.required("once_per") { $0.choice($1) }
            return visit.map { .appOpen($0) }
        }
    }

    /// Parses a duration, or calendar months such as `1mo`.
    private static func span(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint.Span? {
        if let text = node.scalar?.text, text.hasSuffix("mo"), text.utf8.count <= 6,
            YAMLScalar.isDigits(text.dropLast(2))
        {
            return Int(text.dropLast(2)).map { .months($0) }
        }
        return node.duration(log, or: "months such as 1mo").map { .seconds($0) }
    }

    private static func after(_ fields: Fields) -> DecisionPoint.After? {
        let start = fields.required("after", start)
        let first = fields.required("first_after", span)
        let every = fields.optional("repeat_every", span)
        let maximum = fields.optional("at_most") { $0.integer($1) }
        guard let start, let first else { return nil }
        return DecisionPoint.After(start: start, firstAfter: first, repeatEvery: every, atMost: maximum)
    }

    /// Parses `enrolment`, `inactive`, `{event: code}`, `{first_completion: questionnaire}`, `{last_completion:
    /// questionnaire}` or `{variable: id}`.
    private static func start(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint.Start? {
        switch node.scalar?.text {
        case "enrolment": return .enrolment
        case "inactive": return .inactive
        default: break
        }
        let names = ["event", "first_completion", "last_completion", "variable"]
        guard let (name, value) = node.only(names, or: "enrolment, inactive", log),
            let text = value.text(log)
        else { return nil }
        switch name {
        case "event": return .event(text)
        case "first_completion": return .firstCompletion(text)
        case "last_completion": return .lastCompletion(text)
        default: return .variable(text)
        }
    }

    /// Parses a value, or `{setting: item}`.
    private static func input<Value>(
        _ node: YAMLNode, _ log: FaultLog, _ read: (YAMLNode, FaultLog) -> Value?
    ) -> DecisionPoint.Input<Value>? {
        guard case .mapping = node.content else { return read(node, log).map { .literal($0) } }
        return node.only(["setting"], or: "", log)?.value.text(log).map { .setting($0) }
    }

    private static func numbers(_ node: YAMLNode, _ log: FaultLog) -> [DecisionPoint.Input<Int>]? {
        node.list(log, of: { input($0, $1) { $0.integer($1) } })
    }

    private static func calendar(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint.Calendar? {
        let keys = ["times", "weekdays", "days_of_month"]
        guard let fields = Fields(node, of: "calendar", keys: keys, log: log) else { return nil }
        let times = fields.required("times") { $0.list($1, of: { input($0, $1) { $0.time($1) } }) }
        let weekdays = fields.optional("weekdays", numbers)
        let daysOfMonth = fields.optional("days_of_month", numbers)
        if fields["weekdays"] != nil, fields["days_of_month"] != nil {
            log.note(fields.line, "a calendar has weekdays or days_of_month, not both")
            return nil
        }
        guard let times else { return nil }
        let days: DecisionPoint.Days =
            weekdays.map { .weekdays($0) } ?? daysOfMonth.map { .ofMonth($0) } ?? .every
        return DecisionPoint.Calendar(times: times, days: days)
    }

    private static func perDay(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint.PerDay? {
        let keys = ["count", "from", "to", "minimum_gap", "spread"]
        guard let fields = Fields(node, of: "per_day", keys: keys, log: log) else { return nil }
        let count = fields.required("count") { input($0, $1) { $0.integer($1) } }
        let from = fields.required("from") { $0.time($1) }
        let to = fields.required("to") { $0.time($1) }
        let gap = fields.optional("minimum_gap") { $0.duration($1) } ?? 0
        let spread: DecisionPoint.PerDay.Spread? = fields.required("spread") { $0.choice($1) }
        guard let count, let from, let to, let spread else { return nil }
        return DecisionPoint.PerDay(count: count, from: from, to: to, minimumGap: gap, spread: spread)
    }

    private static func adaptive(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint.Adaptive? {
        let keys = ["by", "seek", "from", "to", "ahead", "needs", "otherwise"]
        guard let fields = Fields(node, of: "adaptive", keys: keys, log: log) else { return nil }
        let by = fields.required("by") { $0.text($1) }
        let seek: DecisionPoint.Adaptive.Seek? = fields.required("seek") { $0.choice($1) }
        let from = fields.required("from") { $0.time($1) }
        let to = fields.required("to") { $0.time($1) }
        let ahead = fields.optional("ahead") { $0.duration($1) } ?? 0
        let needs = fields.optional("needs", needs)
        let otherwise = fields.required("otherwise") { $0.time($1) }
        guard let by, let seek, let from, let to, let otherwise else { return nil }
        return DecisionPoint.Adaptive(
            by: by, seek: seek, from: from, to: to, ahead: ahead, leastEntries: needs?.entries ?? 0,
            leastDays: needs?.days ?? 0, otherwise: otherwise)
    }

    private static func needs(_ node: YAMLNode, _ log: FaultLog) -> (entries: Int, days: Int)? {
        guard let fields = Fields(node, of: "needs", keys: ["entries", "days"], log: log) else { return nil }
        let entries = fields.optional("entries") { $0.integer($1) } ?? 0
        let days = fields.optional("days") { $0.integer($1) } ?? 0
        return (entries, days)
    }

    private static func cycle(_ node: YAMLNode, _ log: FaultLog) -> DecisionPoint.Cycle? {
        let keys = ["over", "every", "time", "since"]
        guard let fields = Fields(node, of: "cycle", keys: keys, log: log) else { return nil }
        let over = fields.required("over") { $0.list($1, of: { $0.text($1) }) }
        let days = fields.required("every", VariableWindowParser.numberOfDays)
        let time = fields.required("time") { $0.time($1) }
        let since = fields.optional("since") { $0.only(["study_date"], or: "", $1)?.value.date($1) }
        guard let over, let days, let time else { return nil }
        return DecisionPoint.Cycle(over: over, days: days, time: time, since: since)
    }

    private static func reached(_ fields: Fields) -> DecisionPoint.Reached? {
        let condition = fields.required("reached") { $0.text($1) }
        let over = fields.optional("over") { $0.text($1) }
        let span = fields.optional("first_after", span)
        return condition.map { DecisionPoint.Reached(condition: $0, over: over, firstAfter: span) }
    }
}
