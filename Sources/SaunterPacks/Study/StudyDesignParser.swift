import SaunterCore

/// Parses the parts of `study.yaml` that are neither texts nor times: arms, allocation, walking, reminders,
/// notifications, licences, accounts, covariates, settings, features, data kinds, links, entitlements and the
/// description of datasets.
struct StudyDesignParser {
    let openEnrolment: Bool
    let arms: [Arm]
    let allocation: Allocation
    let walking: WalkingRule?
    let reminder: ReminderRule?
    let notices: [NotificationRule]
    let licences: [LicenceNotice]
    let covariates: [CovariateSource]
    let settings: [String]
    let features: [StudyFeature]
    let dataKinds: [DataKind]
    let dataset: DatasetDescription
    let links: [String: String]
    let accounts: AccountPolicy
    let entitlements: [Entitlement]

    /// Reports unreadable parts to the log and uses defaults for them. The default allocation causes no faults.
    init(_ fields: Fields) {
        openEnrolment = fields.required("open_enrolment") { $0.boolean($1) } ?? true
        arms = fields.required("arms") { $0.list($1, of: Self.arm) } ?? []
        allocation =
            fields.required("allocation", AllocationParser.allocation)
            ?? Allocation(method: .simple, isConcealed: true)
        walking = fields.optional("walking", Self.walking)
        reminder = fields.optional("reminder", Self.reminder)
        notices = fields.optional("notices") { $0.list($1, of: NotificationRuleParser.rule) } ?? []
        licences = fields.optional("licences") { $0.list($1, of: Self.licence) } ?? []
        covariates = fields.optional("covariates") { $0.list($1, of: CovariateParser.source) } ?? []
        settings = fields.optional("settings") { $0.list($1, of: { $0.text($1) }) } ?? []
        features = fields.optional("features") { $0.list($1, of: FeatureParser.feature) } ?? []
        dataKinds = fields.optional("data_kinds") { $0.list($1, of: DataKindParser.kind) } ?? []
        links = fields.optional("links") { node, log in node.table(log) { $0.text($1) } } ?? [:]
        accounts = fields.optional("accounts", Self.accounts) ?? AccountPolicy()
        entitlements =
            fields.optional("entitlements") { $0.list($1, of: EntitlementParser.entitlement) } ?? []
        dataset =
            fields.optional("dataset", DatasetDescriptionParser.description) ?? DatasetDescription()
    }

    private static func arm(_ node: YAMLNode, _ log: FaultLog) -> Arm? {
        guard let fields = Fields(node, of: "an arm", keys: ["code", "ratio"], log: log) else { return nil }
        let ratio = fields.optional("ratio") { $0.integer($1) } ?? 1
        return fields.required("code") { $0.text($1) }.map { Arm(code: $0, ratio: ratio) }
    }

    private static func accounts(_ node: YAMLNode, _ log: FaultLog) -> AccountPolicy? {
        guard
            let fields = Fields(
                node, of: "accounts", keys: ["kinds", "anonymous_kept_for", "contact"], log: log)
        else { return nil }
        let elements = fields.required("kinds") { $0.list($1) }
        let kinds: [AccountKind]? = elements?.compactMap { $0.choice(log) }
        let seconds = fields.optional("anonymous_kept_for") { $0.duration($1) }
        let showsContact = fields.optional("contact") { $0.boolean($1) } ?? false
        // The fault of an unknown kind is noted already.
        guard let elements, let kinds, kinds.count == elements.count else { return nil }
        guard !kinds.isEmpty, Set(kinds).count == kinds.count else {
            log.note(fields.line(of: "kinds"), "kinds must be at least one kind, without duplicates")
            return nil
        }
        if let seconds, seconds % 86_400 != 0 {
            log.note(
                fields.line(of: "anonymous_kept_for"), "anonymous_kept_for must be whole days, such as 400d")
            return nil
        }
        return AccountPolicy(
            kinds: Set(kinds), anonymousKeptDays: seconds.map { $0 / 86_400 }, showsContact: showsContact)
    }

    private static func walking(_ node: YAMLNode, _ log: FaultLog) -> WalkingRule? {
        let keys = ["requires_calibration", "reduction_percent", "target_feedback_arms", "other_sports"]
        guard let fields = Fields(node, of: "walking", keys: keys, log: log) else { return nil }
        let calibration = fields.required("requires_calibration") { $0.boolean($1) }
        let reduction = fields.required("reduction_percent", range)
        let arms = fields.optional("target_feedback_arms") { $0.list($1, of: { $0.text($1) }) }
        let otherSports: WalkingRule.OtherSports? = fields.optional("other_sports") { $0.choice($1) }
        guard let calibration, let reduction else { return nil }
        return WalkingRule(
            requiresCalibration: calibration, reductionPercent: reduction, targetFeedbackArms: arms ?? [],
            otherSports: otherSports ?? .flag)
    }

    private static func range(_ node: YAMLNode, _ log: FaultLog) -> ClosedRange<Double>? {
        guard let fields = Fields(node, of: "reduction_percent", keys: ["minimum", "maximum"], log: log)
        else { return nil }
        let minimum = fields.required("minimum") { $0.number($1) }
        guard let maximum = fields.required("maximum", { $0.number($1) }), let minimum else { return nil }
        guard minimum <= maximum else {
            log.note(fields.line(of: "minimum"), "the minimum exceeds the maximum")
            return nil
        }
        return minimum...maximum
    }

    private static func reminder(_ node: YAMLNode, _ log: FaultLog) -> ReminderRule? {
        let keys = [
            "at", "quiet_from", "quiet_to", "most_per_day", "resend_after", "channels", "deliver",
            "least_channels",
        ]
        guard let fields = Fields(node, of: "reminder", keys: keys, log: log) else { return nil }
        let at = fields.optional("at") { $0.time($1) }
        let from = fields.required("quiet_from") { $0.time($1) }
        let to = fields.required("quiet_to") { $0.time($1) }
        let maximumPerDay = fields.optional("most_per_day") { $0.integer($1) }
        let resend = fields.optional("resend_after") { $0.duration($1) }
        let channels = fields.optional("channels", Self.channels)
        let delivery: ReminderRule.Delivery? = fields.optional("deliver") { $0.choice($1) }
        let least = fields.optional("least_channels") { $0.integer($1) }
        guard let from, let to else { return nil }
        return ReminderRule(
            at: at, quietFrom: from, quietTo: to, maximumPerDay: maximumPerDay, resendAfter: resend,
            channels: channels ?? [.mail], delivery: delivery ?? .first, leastChannels: least)
    }

    /// Parses a list of at least one channel without duplicates. With `deliver: first` the order is the order in which
    /// the channels are tried.
    static func channels(_ node: YAMLNode, _ log: FaultLog) -> [ReminderChannel]? {
        guard let names = node.list(log, of: { $0.text($1) }) else { return nil }
        let known = ReminderChannel.allCases.map(\.rawValue)
        guard !names.isEmpty, Set(names).count == names.count, names.allSatisfy(known.contains) else {
            log.note(
                node.line,
                "channels must be at least one of \(known.joined(separator: ", ")), without duplicates")
            return nil
        }
        return names.compactMap { ReminderChannel(rawValue: $0) }
    }

    private static func licence(_ node: YAMLNode, _ log: FaultLog) -> LicenceNotice? {
        let keys = ["name", "license", "holder", "url"]
        guard let fields = Fields(node, of: "a licence", keys: keys, log: log) else { return nil }
        let name = fields.required("name") { $0.text($1) }
        let license = fields.required("license") { $0.text($1) }
        let holder = fields.optional("holder") { $0.text($1) }
        let url = fields.optional("url") { $0.text($1) }
        guard let name, let license else { return nil }
        return LicenceNotice(name: name, license: license, holder: holder, url: url)
    }
}
