import SaunterCore

/// Parses `variables.yaml`: the tailoring variables of a study.
struct VariableParser {
    let log: FaultLog
    /// The ids of the variables that could not be read completely.
    private(set) var unreadable: Set<String> = []

    /// The kinds of variables.
    private static let kinds = [
        "latest", "first", "at", "count", "days", "sum", "mean", "min", "max", "sd", "share", "top", "series",
        "slope",
        "change", "streak", "keys", "list", "expression",
    ]
    /// The keys of every variable.
    private static let keys = ["id", "window", "by", "where", "least", "shown", "after"]

    init(log: FaultLog) {
        self.log = log
    }

    /// Parses all variables. A placeholder replaces a variable that could not be read, so that the positions of the
    /// others stay the same.
    mutating func variables(_ node: YAMLNode) -> [TailoringVariable] {
        guard let fields = Fields(node, of: "variables.yaml", keys: ["variables"], log: log),
            let nodes = fields.required("variables", { $0.list($1) })
        else { return [] }
        return nodes.map { node in
            if let variable = variable(node) { return variable }
            let id = node["id"]?.scalar?.text ?? Placeholder.name(String(node.line))
            unreadable.insert(id)
            return TailoringVariable(id: id, kind: .expression("0"))
        }
    }

    /// Parses one variable. Nil, with a fault, if a part could not be read.
    private func variable(_ node: YAMLNode) -> TailoringVariable? {
        let names = Self.kinds.filter { node[$0] != nil }
        let extra = names == ["change"] ? ["since"] : []
        guard let fields = Fields(node, of: "a variable", keys: Self.keys + Self.kinds + extra, log: log)
        else {
            return nil
        }
        let id = fields.required("id") { $0.text($1) }
        let window = fields.optional("window", VariableWindowParser.window)
        let by = fields.optional("by") { $0.text($1) }
        let condition = fields.optional("where") { $0.text($1) }
        let least = fields.optional("least") { $0.integer($1) }
        let shown = fields.optional("shown", Self.visibility)
        let after = fields.optional("after") { $0.list($1, of: { $0.text($1) }) }
        guard names.count == 1, let name = names.first else {
            let kinds = Self.kinds.joined(separator: ", ")
            log.note(
                node.line,
                names.isEmpty
                    ? "a variable needs one of \(kinds)"
                    : "a variable has one kind, not \(names.joined(separator: " and "))")
            return nil
        }
        guard let (kind, source) = kind(name, fields), let id, !log.hasFault(in: node)
        else { return nil }
        return TailoringVariable(
            id: id, kind: kind, source: source, window: window, by: by.map { TailoringVariable.Grouping($0) },
            condition: condition, least: least, shown: shown ?? .hidden, after: after ?? [])
    }

    private static func visibility(_ node: YAMLNode, _ log: FaultLog) -> TailoringVariable.Visibility? {
        if node.scalar?.text == "staff" { return .staff }
        if let isShown = node.scalar?.boolean { return isShown ? .participants : .hidden }
        return node.expected("true, false or staff", log)
    }

    private func kind(
        _ name: String, _ fields: Fields
    ) -> (kind: TailoringVariable.Kind, source: TailoringVariable.Source?)? {
        guard let node = fields[name] else { return nil }
        switch name {
        case "expression": return node.text(log).map { (.expression($0), nil) }
        case "keys": return node.text(log).map { (.keys(of: $0), nil) }
        case "change":
            let since = fields.optional("since", VariableWindowParser.window)
            return node.text(log).map { (.change(of: $0, since: since), nil) }
        default: break
        }
        let extra = ["at": "which", "top": "most", "series": "each", "list": "active_in"][name]
        let parser = VariableSourceParser(kind: name, extraKey: extra, log: log)
        guard let (source, own) = parser.source(node), let kind = kind(name, of: own) else { return nil }
        return (kind, source)
    }

    /// The kinds that have a source, with the key that only this kind has.
    private func kind(_ name: String, of own: Fields) -> TailoringVariable.Kind? {
        if let statistic = TailoringVariable.Statistic(rawValue: name) { return .statistic(statistic) }
        switch name {
        case "latest": return .latest
        case "first": return .first
        case "count": return .count
        case "days": return .days
        case "share": return .share
        case "slope": return .slope
        case "streak": return .streak
        case "top": return own.required("most") { $0.integer($1) }.map { .top(most: $0) }
        case "series":
            let unit: TailoringVariable.CalendarUnit? = own.required("each") { $0.choice($1) }
            return unit.map { .series(each: $0) }
        case "list":
            guard own["active_in"] != nil else { return .list(activeIn: nil) }
            return own.optional("active_in", VariableWindowParser.window).map { .list(activeIn: $0) }
        default:
            guard own["which"] != nil else { return .at(isOldest: false) }
            let which: Which? = own.optional("which") { $0.choice($1) }
            return which.map { .at(isOldest: $0 == .oldest) }
        }
    }

    private enum Which: String, CaseIterable {
        case newest, oldest
    }
}

/// Parses the windows of variables.
enum VariableWindowParser {
    /// Parses `today`, `this_week`, `this_month`, `last_month`, `{last: 7d}`, `{last: 7d, ending: 7d}`, `{since:
    /// event}` or `{while: questionnaire}`.
    static func window(_ node: YAMLNode, _ log: FaultLog) -> TailoringVariable.Window? {
        if let text = node.scalar?.text, let window = TailoringVariable.Window.words[text] { return window }
        let words = TailoringVariable.Window.words.keys.sorted().joined(separator: ", ")
        if node["last"] != nil {
            guard let fields = Fields(node, of: "a window", keys: ["last", "ending"], log: log) else {
                return nil
            }
            let days = fields.required("last", numberOfDays)
            let ending = fields["ending"] == nil ? 0 : fields.optional("ending", numberOfDays)
            guard let days, let ending else { return nil }
            return .last(days: days, ending: ending)
        }
        guard let (name, value) = node.only(["last", "since", "while"], or: words, log) else { return nil }
        guard let text = value.text(log) else { return nil }
        return name == "since" ? .since(event: text) : .during(questionnaire: text)
    }

    /// Parses a number of days: `7d`.
    static func numberOfDays(_ node: YAMLNode, _ log: FaultLog) -> Int? {
        if let text = node.scalar?.text, text.utf8.last == UInt8(ascii: "d"), text.utf8.count <= 7,
            YAMLScalar.isDigits(text.dropLast())
        {
            return Int(text.dropLast())
        }
        return node.expected(
            "a number of days such as 7d", log, found: node.scalar.map { "\"\($0.text.prefix(60))\"" })
    }
}

/// Parses the source of a variable, such as `{entry: log, item: mood}`.
struct VariableSourceParser {
    /// The name of the kind, for messages.
    let kind: String
    /// The key that only this kind has; nil for none.
    let extraKey: String?
    let log: FaultLog

    /// Source -> its further keys.
    private static let keys: [String: [String]] = [
        "entry": ["item", "items", "scale", "active"], "usage": ["feature", "field"], "message": ["state"],
        "occasion": ["state"], "walk": [], "observation": ["system"], "enrolment": [], "event": [],
    ]
    /// Sources of parts of a study that this version of Saunter does not have.
    private static let unavailable = ["content", "programme", "award", "entitlement", "group"]

    /// The source, and all keys of the mapping.
    func source(_ node: YAMLNode) -> (source: TailoringVariable.Source, fields: Fields)? {
        let sources = Self.keys.keys.sorted()
        guard case .mapping(let entries) = node.content else {
            return node.expected("a mapping with one of \(sources.joined(separator: ", "))", log)
        }
        if let entry = entries.first(where: { Self.unavailable.contains($0.key) }) {
            log.note(entry.line, "the source \"\(entry.key)\" is not available in this version of Saunter")
            return nil
        }
        let found = entries.filter { Self.keys[$0.key] != nil }
        guard found.count == 1, let name = found.first?.key else {
            log.note(
                node.line,
                found.isEmpty
                    ? "`\(kind)` needs one of \(sources.joined(separator: ", "))"
                    : "`\(kind)` has one source, not \(found.map(\.key).joined(separator: " and "))")
            return nil
        }
        let keys = [name] + (Self.keys[name] ?? []) + (extraKey.map { [$0] } ?? [])
        guard let fields = Fields(node, of: "`\(kind)` with \(name)", keys: keys, log: log),
            let source = source(name, fields)
        else { return nil }
        return (source, fields)
    }

    private func source(_ name: String, _ fields: Fields) -> TailoringVariable.Source? {
        switch name {
        case "entry": return entries(fields)
        case "usage":
            let event: UsageEventKind? = fields.required("usage") { $0.choice($1) }
            let feature = fields.optional("feature") { $0.text($1) }
            let field: Field? = fields.optional("field") { $0.choice($1) }
            return event.map { .usage($0, feature: feature, isSeconds: field != nil) }
        case "message":
            let rule = fields.required("message") { $0.text($1) }
            let state: TailoringVariable.MessageState? = fields.optional("state") { $0.choice($1) }
            return rule.map { .message(rule: $0 == Self.any ? nil : $0, state ?? .sent) }
        case "occasion":
            let schedule = fields.required("occasion") { $0.text($1) }
            let state: TailoringVariable.OccasionSelection? = fields.optional("state") { $0.choice($1) }
            return schedule.map { .occasion(schedule: $0 == Self.any ? nil : $0, state ?? .offered) }
        case "walk":
            if fields["walk"]?.scalar?.text == Self.any { return .walk(nil) }
            let metric: WalkMetric? = fields.required("walk") { $0.choice($1) }
            return metric.map { .walk($0) }
        case "observation":
            let system = fields.optional("system") { $0.text($1) }
            return fields.required("observation") { $0.word($1) }
                .map { .observation(system: system ?? ObservationCode.loinc, code: $0) }
        case "enrolment":
            let moment: EnrolmentMoment? = fields.required("enrolment") { $0.choice($1) }
            return moment.map { _ in .enrolment }
        default: return fields.required("event") { $0.text($1) }.map { .event($0) }
        }
    }

    private func entries(_ fields: Fields) -> TailoringVariable.Source? {
        let questionnaires = fields.required("entry") { node, log -> [String]? in
            if case .sequence = node.content { return node.list(log, of: { $0.text($1) }) }
            return node.text(log).map { [$0] }
        }
        let item = fields.optional("item") { $0.text($1) }
        let items = fields.optional("items") { $0.list($1, of: { $0.text($1) }) }
        let scale = fields.optional("scale") { $0.text($1) }
        let isActive = fields.optional("active") { $0.boolean($1) }
        let named = ["item", "items", "scale"].filter { fields[$0] != nil }
        if named.count > 1 {
            log.note(
                fields.line, "an entry has item, items or scale, not \(named.joined(separator: " and "))")
            return nil
        }
        let value: TailoringVariable.Entries.Value? =
            item.map { .item($0) } ?? items.map { .items($0) } ?? scale.map { .scale($0) }
        return questionnaires.map { .entry(.init($0, value, isActive: isActive ?? false)) }
    }

    private static let any = "any"

    private enum Field: String, CaseIterable {
        case seconds
    }

    private enum EnrolmentMoment: String, CaseIterable {
        case enrolledAt = "enrolled_at"
    }
}

extension FaultLog {
    /// Whether a value inside the node could not be read.
    fileprivate func hasFault(in node: YAMLNode) -> Bool {
        unreadableLines.contains { node.span.contains($0) }
    }
}
