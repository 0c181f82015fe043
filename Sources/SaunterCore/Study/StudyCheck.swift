extension Study {
    /// What is wrong with this definition, with pointers into it (`/schedules/2/slots/0/close_after`,
    /// `/text/de/title`). The questionnaires' own faults are not among them.
    /// - Parameter unread: places in `schedules` of those that stand in for what could not be read in full: their windows mean nothing.
    package func faults(unread: Set<Int> = []) -> [Fault] {
        judged(unread: unread).faults
    }

    /// The same, and in plain words what of a very large study was not looked at. What is looked at has a bound, whatever the study.
    /// - Parameter budget: of windows and days that are looked at.
    package func judged(
        unread: Set<Int> = [], budget: Int = StudyJudgement.mostLookedAt
    ) -> StudyJudgement {
        var check = StudyCheck(study: self, unread: unread, budget: budget)
        check.run()
        return StudyJudgement(faults: check.faults.list, remarks: check.remarks.list)
    }
}

/// What is to be said of a definition.
package struct StudyJudgement: Sendable, Hashable {
    /// What is wrong with it.
    package let faults: [Fault]
    /// What could not be looked at in full; no fault.
    package let remarks: [Fault]

    /// So many windows and days a check looks at, in some seconds at most.
    package static let mostLookedAt = 10_000_000
}

/// The static checks of a study.
struct StudyCheck {
    let study: Study
    /// Places of schedules whose windows mean nothing.
    let unread: Set<Int>
    var faults = GatheredFaults()
    /// Where not everything was looked at.
    var remarks = GatheredFaults()
    var budget: CheckBudget
    /// By place, the days of schedules without a fault of their own.
    var laid: [Int: NominalSchedule] = [:]

    static let maximumDays = Study.longestDays
    static let maximumPromptsPerDay = 20
    static let maximumSchedules = 200
    static let maximumSlots = 20
    /// Of arms, of phases, of events and of notices each.
    static let maximumParts = 100

    static let tooLarge = "The study is too large to be looked at in full"

    init(study: Study, unread: Set<Int>, budget: Int) {
        self.study = study
        self.unread = unread
        self.budget = CheckBudget(budget)
    }

    func nominal(_ place: Int) -> NominalSchedule { laid[place] ?? NominalSchedule(study, place: place) }

    mutating func run() {
        checkHead()
        guard isOfSize() else { return }
        checkArms()
        checkQuestionnaires()
        checkCovariates()
        checkWalking()
        checkReminder()
        checkNotices()
        checkTexts()
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
            faults.add("/consent_version", "required", "A consent has a version.")
        }
        if !(1...Self.maximumDays).contains(study.days) {
            faults.add("/days", "out_of_range", "A study lasts 1 to \(Self.maximumDays) days.")
        }
    }

    /// Of more parts than anybody means nothing else is told.
    private mutating func isOfSize() -> Bool {
        for (name, count) in [
            ("arms", study.arms.count), ("phases", study.phases.count), ("events", study.events.count),
            ("notices", study.notices.count),
        ] where count > Self.maximumParts {
            faults.add("/\(name)", "too_many", "A study has at most \(Self.maximumParts) \(name).")
        }
        return !faults.list.contains { $0.code == "too_many" }
    }

    private mutating func checkArms() {
        if study.arms.isEmpty { faults.add("/arms", "required", "A study has at least one arm.") }
        var seen: Set<String> = []
        for (index, arm) in study.arms.enumerated() {
            if !Self.isIdentifier(arm.code) {
                faults.add("/arms/\(index)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(arm.code).inserted {
                faults.add("/arms/\(index)/code", "duplicate", "Another arm has this code.")
            }
            if !(1...100).contains(arm.ratio) {
                faults.add("/arms/\(index)/ratio", "out_of_range", "A ratio is a whole number from 1 to 100.")
            }
        }
        checkAllocation()
    }

    private mutating func checkQuestionnaires() {
        let asked = Set(study.schedules.map(\.questionnaire) + study.anyTime)
        var seen: Set<String> = []
        for (index, questionnaire) in study.questionnaires.enumerated() {
            let pointer = "/questionnaires/\(index)"
            if !seen.insert(questionnaire.code).inserted {
                faults.add(pointer, "duplicate", "The study has this questionnaire twice.")
            }
            if !asked.contains(questionnaire.code) {
                faults.add(
                    pointer, "never_asked",
                    "No schedule asks it, and it may not be answered at any time either.")
            }
            for language in study.languages where !questionnaire.languages.contains(language) {
                faults.add(
                    pointer, "missing_language",
                    "Questionnaire \(questionnaire.code) has no words in \(language).")
            }
        }
        var listed: Set<String> = []
        for (index, code) in study.anyTime.enumerated() {
            if !seen.contains(code) {
                faults.add(
                    "/any_time/\(index)", "unknown_questionnaire", "The study has no questionnaire \(code).")
            }
            if !listed.insert(code).inserted {
                faults.add("/any_time/\(index)", "duplicate", "The questionnaire stands here twice.")
            }
            if let most = study.anyTimeLimits[code] { checkPositive(most, "/any_time/\(index)/max_per_day") }
        }
    }

    private mutating func checkWalking() {
        guard let walking = study.walking else { return }
        let range = walking.reductionPercent
        if !(range.lowerBound >= 0 && range.upperBound <= 99) {
            faults.add(
                "/walking/reduction_percent", "out_of_range", "A reduction lies between 0 and 99 percent.")
        }
        checkArms(walking.targetFeedbackArms, "/walking/target_feedback_arms")
    }

    /// Arms that something is for: each is the study's, and stands there once.
    mutating func checkArms(_ arms: [String], _ pointer: String) {
        var seen: Set<String> = []
        for (index, arm) in arms.enumerated() {
            if !study.hasArm(arm) {
                faults.add("\(pointer)/\(index)", "unknown_arm", "The study has no arm \(arm).")
            }
            if !seen.insert(arm).inserted {
                faults.add("\(pointer)/\(index)", "duplicate", "The arm stands here twice.")
            }
        }
    }

    static let codeRule = "A study's code is 1 to 40 of a-z, 0-9 and -, and begins with a letter."
    static let identifierRule = "It is 1 to 40 of a-z, 0-9, - and _, and begins with a letter."

    static func isCode(_ text: String) -> Bool {
        isIdentifier(text) && !text.utf8.contains(UInt8(ascii: "_"))
    }

    /// Ids of schedules and codes of arms.
    static func isIdentifier(_ text: String) -> Bool {
        (1...40).contains(text.utf8.count) && text.utf8.first.map { (97...122).contains($0) } ?? false
            && text.utf8.allSatisfy { byte in
                (97...122).contains(byte) || (48...57).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
    }
}

extension Study {
    /// Whether participants can be in this arm.
    package func hasArm(_ code: String) -> Bool { arms.contains { $0.code == code } }
}
