extension StudyCheck {
    mutating func checkTexts() {
        if study.languages.isEmpty {
            faults.add("/languages", "required", "A study has at least one language.")
        }
        var seen: Set<String> = []
        let steps = study.languages.first.flatMap { study.text[$0] }?.course.count
        for (index, language) in study.languages.enumerated() {
            if !LanguageTag.isValid(language) {
                faults.add("/languages/\(index)", "invalid_language", LanguageTag.rule)
            }
            if !seen.insert(language).inserted {
                faults.add("/languages/\(index)", "duplicate", "The language stands here twice.")
            }
            guard let text = study.text[language] else {
                faults.add(
                    "/text/\(Fault.escape(language))", "missing_text",
                    "The study has no words in \(language).")
                continue
            }
            check(text, steps: steps ?? 0, pointer: "/text/\(Fault.escape(language))")
        }
        for language in study.text.keys.sorted() where !seen.contains(language) {
            faults.add(
                "/text/\(Fault.escape(language))", "unknown_language",
                "The study does not list the language \(language).")
        }
    }

    private mutating func check(_ text: StudyText, steps: Int, pointer: String) {
        require(text.title, "\(pointer)/title")
        require(text.summary, "\(pointer)/summary")
        require(text.consent, "\(pointer)/consent")
        if text.course.count != steps {
            faults.add(
                "\(pointer)/course", "unequal_length",
                "The course of study has \(steps) steps in the first language.")
        }
        for (index, step) in text.course.enumerated() {
            require(step.title, "\(pointer)/course/\(index)/title")
            require(step.text, "\(pointer)/course/\(index)/text")
        }
        checkArms(of: text, pointer: pointer)
        checkFactors(of: text, pointer: "\(pointer)/factors")
        if study.reminder != nil {
            require(text.reminderSubject, "\(pointer)/reminder_subject")
            require(text.reminderBody, "\(pointer)/reminder_body")
        }
        checkPlaceholders(text.reminderSubject, "\(pointer)/reminder_subject")
        checkPlaceholders(text.reminderBody, "\(pointer)/reminder_body")
        let ofPrompts = Self.placeholders + ["closes"]
        checkPlaceholders(text.promptSubject, "\(pointer)/prompt_subject", among: ofPrompts)
        checkPlaceholders(text.promptBody, "\(pointer)/prompt_body", among: ofPrompts)
        let ofNotifications = ["study", "count", "closes"]
        checkPlaceholders(
            text.notificationSubject, "\(pointer)/notification_subject", among: ofNotifications)
        checkPlaceholders(text.notificationBody, "\(pointer)/notification_body", among: ofNotifications)
        for (code, words) in text.notices.sorted(by: { $0.key < $1.key }) {
            let place = "\(pointer)/notices/\(Fault.escape(code))"
            if !study.notices.contains(where: { $0.code == code }) {
                faults.add(place, "unknown_notice", "The study has no notice \(code).")
            }
            for (part, template) in [("subject", words.title), ("body", words.text)] {
                checkPlaceholders(template, "\(place)/\(part)", among: ["name", "study", "url"])
            }
        }
    }

    /// Where participants are told their arm, every arm has its words.
    private mutating func checkArms(of text: StudyText, pointer: String) {
        for code in text.arms.keys.sorted() where !study.hasArm(code) {
            faults.add(
                "\(pointer)/arms/\(Fault.escape(code))", "unknown_arm", "The study has no arm \(code).")
        }
        guard !study.allocation.concealed, study.arms.count > 1 else { return }
        for arm in study.arms where text.arms[arm.code] == nil {
            faults.add(
                "\(pointer)/arms", "missing_text",
                "There are no words for arm \(arm.code), which is not concealed.")
        }
    }

    /// What participants are asked at enrolment is asked in words.
    private mutating func checkFactors(of text: StudyText, pointer: String) {
        let factors = study.allocation.factors
        let codes = Set(factors.map(\.code))
        for code in text.factors.keys.sorted() where !codes.contains(code) {
            faults.add(
                "\(pointer)/\(Fault.escape(code))", "unknown_factor", "The allocation has no factor \(code).")
        }
        for factor in factors {
            let place = "\(pointer)/\(Fault.escape(factor.code))"
            guard let words = text.factors[factor.code] else {
                faults.add(pointer, "missing_text", "There are no words for factor \(factor.code).")
                continue
            }
            require(words.title, "\(place)/title")
            for level in factor.levels where words.levels[level] == nil {
                faults.add("\(place)/levels", "missing_text", "There are no words for level \(level).")
            }
            let levels = Set(factor.levels)
            for level in words.levels.keys.sorted() where !levels.contains(level) {
                faults.add(
                    "\(place)/levels/\(Fault.escape(level))", "unknown_level",
                    "Factor \(factor.code) has no level \(level).")
            }
        }
    }

    private mutating func require(_ text: String, _ pointer: String) {
        if text.allSatisfy(\.isWhitespace) { faults.add(pointer, "missing_text", "There are no words here.") }
    }

    static let placeholders = ["name", "study", "count", "titles", "url"]

    /// A misspelt placeholder would reach people as it stands.
    private mutating func checkPlaceholders(
        _ text: String, _ pointer: String, among known: [String] = StudyCheck.placeholders
    ) {
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            rest = rest[open.upperBound...]
            let close = rest.firstRange(of: "}}")
            let name = close.map { String(rest[..<$0.lowerBound]) }
            if let name, known.contains(name) { continue }
            faults.add(
                pointer, "unknown_placeholder",
                "Known placeholders are \(known.map { "{{\($0)}}" }.joined(separator: ", ")).")
            return
        }
    }
}
