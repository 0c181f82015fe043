extension Study {
    /// The faults of this definition, with JSON pointers into it (`/schedules/2/slots/0/close_after`,
    /// `/text/de/title`). Faults inside the questionnaires are not included.
    /// - Parameter unreadable: positions of schedules that are placeholders for unreadable parts. Their windows are not
    ///   compared.
    package func faults(unreadable: Set<Int> = []) -> [Fault] {
        checked(unreadable: unreadable).faults
    }

    /// The faults and the hints. The work has an upper bound for every study: the windows of a very large study are
    /// not checked completely, and a hint says so.
    /// - Parameters:
    ///   - library: the content library of the pack, whose collections features and rules name; nil if it is not known.
    ///   - budget: maximum number of windows and days to visit.
    package func checked(
        unreadable: Set<Int> = [], library: Library? = nil, budget: Int = StudyCheckResult.maximumWork
    ) -> StudyCheckResult {
        var check = StudyCheck(study: self, unreadable: unreadable, budget: budget)
        check.library = library
        check.run()
        return StudyCheckResult(faults: check.faults.list, hints: check.hints.list)
    }
}

/// The result of checking a definition.
package struct StudyCheckResult: Sendable, Hashable {
    /// Errors in the definition.
    package let faults: [Fault]
    /// Permitted parts that are probably mistakes, and parts that were not checked completely. Hints are not faults.
    package let hints: [Fault]

    /// Maximum number of windows and days that a check visits. It takes some seconds.
    package static let maximumWork = 10_000_000
}

/// The static checks of a study.
struct StudyCheck {
    let study: Study
    /// Positions of schedules whose windows are not compared.
    let unreadable: Set<Int>
    /// The content library; nil if it is not known.
    var library: Library?
    var faults = FaultCollector()
    /// See `StudyCheckResult.hints`.
    var hints = FaultCollector()
    var budget: WorkBudget
    /// By position, the days of schedules without faults.
    var nominalSchedules: [Int: NominalSchedule] = [:]

    static let maximumDays = Study.maximumDays
    static let maximumTarget = 1_000_000
    static let maximumOccasionsPerDay = 20
    static let maximumSchedules = 200
    static let maximumSlots = 20
    /// Maximum number of arms, phases, events, notification rules, settings, features, data kinds and entitlements,
    /// each.
    static let maximumParts = 100
    /// Maximum number of questionnaires in `any_time`. A study with programmes has many practices.
    static let maximumEntries = 500

    static let tooLarge = "The study is too large to be checked completely"

    init(study: Study, unreadable: Set<Int>, budget: Int) {
        self.study = study
        self.unreadable = unreadable
        self.budget = WorkBudget(budget)
    }

    func nominal(_ position: Int) -> NominalSchedule {
        nominalSchedules[position] ?? NominalSchedule(study, position: position)
    }

    mutating func run() {
        checkHead()
        guard hasAcceptableSize() else { return }
        checkAccounts()
        checkArms()
        checkQuestionnaires()
        checkEntries()
        checkEntitlements()
        checkDataKinds()
        checkDataKindsOfItems()
        checkCovariates()
        checkWalking()
        checkReminder()
        checkNotificationRules()
        checkTexts()
        checkBrand()
        checkVariables()
        checkRules(collections: library.map { Set($0.collections.map(\.code)) })
        checkEventsAndPhases()
        checkSchedules()
    }

    private mutating func checkHead() {
        if !Self.isCode(study.code) {
            faults.add("/code", "invalid_name", Self.codeRule)
        }
        if !VersionNumber.isValid(study.version) {
            faults.add("/version", "invalid_version", VersionNumber.rule)
        }
        if study.consentVersion.isEmpty {
            faults.add("/consent_version", "required", "A consent version is required.")
        }
        if !(1...Self.maximumDays).contains(study.days) {
            faults.add("/days", "out_of_range", "A study must last 1 to \(Self.maximumDays) days.")
        }
        if let target = study.target, !(1...Self.maximumTarget).contains(target) {
            faults.add(
                "/target", "out_of_range", "The number of participants must be 1 to \(Self.maximumTarget).")
        }
    }

    /// Whether each of the lists below is short enough. A longer list is reported, and no further check runs.
    private mutating func hasAcceptableSize() -> Bool {
        for (name, count) in [
            ("arms", study.arms.count), ("phases", study.phases.count), ("events", study.events.count),
            ("notices", study.notificationRules.count), ("any_time", study.anyTime.count),
            ("settings", study.settings.count), ("features", study.features.count),
            ("data_kinds", study.dataKinds.count), ("entitlements", study.entitlements.count),
        ] {
            let maximum = name == "any_time" ? Self.maximumEntries : Self.maximumParts
            guard count > maximum else { continue }
            faults.add("/\(name)", "too_many", "This list has at most \(maximum) elements.")
        }
        return !faults.list.contains { $0.code == "too_many" }
    }

    private mutating func checkAccounts() {
        guard let days = study.accounts.anonymousKeptDays else { return }
        if !study.accounts.kinds.contains(.anonymous) {
            faults.add(
                "/accounts/anonymous_kept_for", "not_anonymous",
                "The study admits no anonymous accounts: add anonymous to kinds, or remove anonymous_kept_for."
            )
        }
        if !(1...Study.maximumDays).contains(days) {
            faults.add(
                "/accounts/anonymous_kept_for", "out_of_range",
                "Anonymous accounts are kept for 1 to \(Study.maximumDays) days, not \(days).")
        }
    }

    private mutating func checkArms() {
        if study.arms.isEmpty { faults.add("/arms", "required", "A study needs at least one arm.") }
        var seen: Set<String> = []
        for (index, arm) in study.arms.enumerated() {
            if !Self.isIdentifier(arm.code) {
                faults.add("/arms/\(index)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(arm.code).inserted {
                faults.add("/arms/\(index)/code", "duplicate", "Another arm has this code.")
            }
            if !(1...100).contains(arm.ratio) {
                faults.add(
                    "/arms/\(index)/ratio", "out_of_range", "A ratio must be a whole number from 1 to 100.")
            }
        }
        checkAllocation()
    }

    private mutating func checkQuestionnaires() {
        let asked = Set(
            study.schedules.map(\.questionnaire) + study.anyTime.map(\.questionnaire) + study.settings)
        var seen: Set<String> = []
        for (index, questionnaire) in study.questionnaires.enumerated() {
            let pointer = "/questionnaires/\(index)"
            if !seen.insert(questionnaire.code).inserted {
                faults.add(pointer, "duplicate", "The study already has this questionnaire.")
            }
            if !asked.contains(questionnaire.code) {
                faults.add(
                    pointer, "never_asked",
                    "No schedule asks this questionnaire, and it is not listed in any_time or settings.")
            }
            for language in study.languages where !questionnaire.languages.contains(language) {
                faults.add(
                    pointer, "missing_language",
                    "Questionnaire \(questionnaire.code) has no text in \(language).",
                    naming: questionnaire.code)
            }
        }
    }

    private mutating func checkWalking() {
        guard let walking = study.walking else { return }
        let range = walking.reductionPercent
        if !(range.lowerBound >= 0 && range.upperBound <= 99) {
            faults.add(
                "/walking/reduction_percent", "out_of_range", "A reduction must be 0 to 99 percent.")
        }
        checkArms(walking.targetFeedbackArms, "/walking/target_feedback_arms")
    }

    /// Checks a list of arms: each exists in the study and is listed once.
    mutating func checkArms(_ arms: [String], _ pointer: String) {
        var seen: Set<String> = []
        for (index, arm) in arms.enumerated() {
            if !study.hasArm(arm) {
                faults.add("\(pointer)/\(index)", "unknown_arm", "The study has no arm \(arm).")
            }
            if !seen.insert(arm).inserted {
                faults.add("\(pointer)/\(index)", "duplicate", "The list already has this arm.")
            }
        }
    }

    static let codeRule = "A study's code has 1 to 40 characters of a-z, 0-9 and -, and begins with a letter."
    static let identifierRule =
        "A name has 1 to 40 characters of a-z, 0-9, - and _, and begins with a letter."

    static func isCode(_ text: String) -> Bool {
        isIdentifier(text) && !text.utf8.contains(UInt8(ascii: "_"))
    }

    /// Whether the text can be the id of a schedule or the code of an arm.
    static func isIdentifier(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.first.map { (97...122).contains($0) } ?? false
            && text.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }
}
