import SaunterCore

/// Parses the texts of a study in one language: `content/text.<language>.yaml` and `content/course.<language>.yaml`.
enum StudyTextParser {
    /// The keys of `text.<language>.yaml`.
    static let keys = [
        "title", "summary", "arms", "factors", "reminder", "prompt", "notification", "notices",
        "features", "data_kinds", "variables", "rules", "awards", "short_name", "welcome",
        "entitlements", "plans",
    ]

    /// Parses `text.<language>.yaml`.
    /// - Parameters:
    ///   - course: the steps of `course.<language>.yaml`.
    ///   - consent: the text of `consent.<language>.md`.
    static func text(_ node: YAMLNode, _ log: FaultLog, course: [TitledText], consent: String) -> StudyText? {
        guard let fields = Fields(node, of: "a study's text file", keys: keys, log: log) else { return nil }
        let title = fields.required("title") { $0.text($1) }
        let summary = fields.required("summary") { $0.text($1) }
        let arms = fields.optional("arms", arms)
        let factors = fields.optional("factors", factors)
        let reminder = fields.optional("reminder") { message("reminder", $0, $1) }
        let prompt = fields.optional("prompt") { message("prompt", $0, $1) }
        let notification = fields.optional("notification") { message("notification", $0, $1) }
        let notices = fields.optional("notices", notices)
        let features = fields.optional("features") { titles("a feature's text", $0, $1) }
        let dataKinds = fields.optional("data_kinds") { titles("a data kind's text", $0, $1) }
        let variables = fields.optional("variables", variables)
        let rules = fields.optional("rules") { node, log in node.table(log, of: rule) }
        let awards = fields.optional("awards") { titles("an award's text", $0, $1) }
        let shortName = fields.optional("short_name") { $0.text($1) }
        let welcome = fields.optional("welcome") { $0.list($1, of: step) }
        let entitlements = fields.optional("entitlements", EntitlementParser.titles)
        let plans = fields.optional("plans", EntitlementParser.planTexts)
        guard let title, let summary else { return nil }
        return StudyText(
            title: title, summary: summary, consent: consent, course: course, arms: arms ?? [:],
            factors: factors ?? [:], reminderSubject: reminder?.subject ?? "",
            reminderBody: reminder?.body ?? "", occasionSubject: prompt?.subject ?? "",
            occasionBody: prompt?.body ?? "", notificationSubject: notification?.subject ?? "",
            notificationBody: notification?.body ?? "", notificationTexts: notices ?? [:],
            rules: rules ?? [:],
            awards: awards ?? [:], features: features ?? [:], dataKinds: dataKinds ?? [:],
            variables: variables ?? [:],
            shortName: shortName, welcome: welcome ?? [], entitlements: entitlements ?? [:],
            plans: plans ?? [:])
    }

    /// Parses `mood_change: {title: Your mood, above: Higher, below: Lower, equal: The same}` for each variable.
    private static func variables(_ node: YAMLNode, _ log: FaultLog) -> [String: VariableText]? {
        node.table(log, of: variable)
    }

    private static func variable(_ node: YAMLNode, _ log: FaultLog) -> VariableText? {
        let keys = ["title", "text", "above", "below", "equal"]
        guard let fields = Fields(node, of: "a variable's texts", keys: keys, log: log) else { return nil }
        let title = fields.required("title") { $0.text($1) }
        let text = fields.optional("text") { $0.text($1) }
        let above = fields.optional("above") { $0.text($1) }
        let below = fields.optional("below") { $0.text($1) }
        let equal = fields.optional("equal") { $0.text($1) }
        return title.map { VariableText(title: $0, text: text, above: above, below: below, equal: equal) }
    }

    /// Parses `red_areas: {subject: Your areas, body: These areas are red, line: "{{it}} is red"}` for each rule.
    private static func rule(_ node: YAMLNode, _ log: FaultLog) -> RuleText? {
        let keys = ["subject", "body", "line"]
        guard let fields = Fields(node, of: "a rule's texts", keys: keys, log: log) else { return nil }
        let line = fields.optional("line") { $0.text($1) }
        return message(fields).map { RuleText(subject: $0.subject, body: $0.body, line: line) }
    }

    /// Parses `code: {title, text}` for each feature or data kind.
    private static func titles(_ name: String, _ node: YAMLNode, _ log: FaultLog) -> [String: TitledText]? {
        node.table(log) { titled(name, $0, $1) }
    }

    /// Parses `steps: [{title, text}]`.
    static func course(_ node: YAMLNode, _ log: FaultLog) -> [TitledText]? {
        guard let fields = Fields(node, of: "a course of study", keys: ["steps"], log: log) else {
            return nil
        }
        return fields.required("steps") { $0.list($1, of: step) }
    }

    private static func step(_ node: YAMLNode, _ log: FaultLog) -> TitledText? {
        titled("a step", node, log)
    }

    private static func titled(_ name: String, _ node: YAMLNode, _ log: FaultLog) -> TitledText? {
        guard let fields = Fields(node, of: name, keys: ["title", "text"], log: log) else { return nil }
        let title = fields.required("title") { $0.text($1) }
        let text = fields.required("text") { $0.text($1) }
        guard let title, let text else { return nil }
        return TitledText(title: title, text: text)
    }

    private static func arms(_ node: YAMLNode, _ log: FaultLog) -> [String: TitledText]? {
        node.table(log, of: step)
    }

    /// Parses `place: {title: Where do you live?, levels: {north: In the north, south: In the south}}`.
    private static func factors(_ node: YAMLNode, _ log: FaultLog) -> [String: FactorText]? {
        node.table(log, of: factor)
    }

    private static func factor(_ node: YAMLNode, _ log: FaultLog) -> FactorText? {
        guard let fields = Fields(node, of: "a factor's texts", keys: ["title", "levels"], log: log) else {
            return nil
        }
        let title = fields.required("title") { $0.text($1) }
        let levels = fields.required("levels") { node, log in node.table(log) { $0.word($1) } }
        guard let title, let levels else { return nil }
        return FactorText(title: title, levels: levels)
    }

    private static func notices(_ node: YAMLNode, _ log: FaultLog) -> [String: TitledText]? {
        node.table(log) { node, log in
            message("a notice", node, log).map { TitledText(title: $0.subject, text: $0.body) }
        }
    }

    private static func message(
        _ name: String, _ node: YAMLNode, _ log: FaultLog
    ) -> (subject: String, body: String)? {
        guard let fields = Fields(node, of: name, keys: ["subject", "body"], log: log) else {
            return nil
        }
        return message(fields)
    }

    private static func message(_ fields: Fields) -> (subject: String, body: String)? {
        let subject = fields.required("subject") { $0.text($1) }
        let body = fields.required("body") { $0.text($1) }
        if let subject, subject.utf8.contains(UInt8(ascii: "\n")) {
            fields.log.note(fields.line(of: "subject"), "a subject is a single line")
        }
        guard let subject, let body else { return nil }
        return (subject, body)
    }
}
