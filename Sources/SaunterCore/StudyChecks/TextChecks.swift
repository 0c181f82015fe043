extension StudyCheck {
    mutating func checkTexts() {
        if study.languages.isEmpty {
            faults.add("/languages", "required", "A study needs at least one language.")
        }
        var seen: Set<String> = []
        let steps = study.languages.first.flatMap { study.text[$0] }?.course.count
        for (index, language) in study.languages.enumerated() {
            if !LanguageTag.isValid(language) {
                faults.add("/languages/\(index)", "invalid_language", LanguageTag.rule)
            }
            if !seen.insert(language).inserted {
                faults.add("/languages/\(index)", "duplicate", "The list already has this language.")
            }
            guard let text = study.text[language] else {
                faults.add(
                    "/text/\(Fault.escape(language))", "missing_text",
                    "The study has no text in \(language).")
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
                "The course must have \(steps) steps, as in the first language.")
        }
        for (index, step) in text.course.enumerated() {
            require(step.title, "\(pointer)/course/\(index)/title")
            require(step.text, "\(pointer)/course/\(index)/text")
        }
        checkArms(of: text, pointer: pointer)
        checkFactors(of: text, pointer: "\(pointer)/factors")
        checkTitles(
            text.features, of: study.features.map(\.code), noun: "feature", pointer: "\(pointer)/features")
        checkTitles(
            text.dataKinds, of: study.dataKinds.map(\.code), noun: "data kind",
            pointer: "\(pointer)/data_kinds")
        checkEntitlements(of: text, pointer: pointer)
        if study.reminder != nil {
            require(text.reminderSubject, "\(pointer)/reminder_subject")
            require(text.reminderBody, "\(pointer)/reminder_body")
        }
        checkPlaceholders(text.reminderSubject, "\(pointer)/reminder_subject")
        checkPlaceholders(text.reminderBody, "\(pointer)/reminder_body")
        let occasionPlaceholders = Self.placeholders + ["closes"]
        checkPlaceholders(text.occasionSubject, "\(pointer)/prompt_subject", among: occasionPlaceholders)
        checkPlaceholders(text.occasionBody, "\(pointer)/prompt_body", among: occasionPlaceholders)
        let devicePlaceholders = ["study", "count", "closes"]
        checkPlaceholders(
            text.notificationSubject, "\(pointer)/notification_subject", among: devicePlaceholders)
        checkPlaceholders(text.notificationBody, "\(pointer)/notification_body", among: devicePlaceholders)
        for (code, texts) in text.notificationTexts.sorted(by: { $0.key < $1.key }) {
            let path = "\(pointer)/notices/\(Fault.escape(code))"
            if !study.notificationRules.contains(where: { $0.code == code }) {
                faults.add(path, "unknown_notice", "The study has no notice \(code).")
            }
            for (part, template) in [("subject", texts.title), ("body", texts.text)] {
                checkPlaceholders(template, "\(path)/\(part)", among: ["name", "study", "url"])
            }
        }
    }

    /// If participants learn their arm, every arm needs a text.
    private mutating func checkArms(of text: StudyText, pointer: String) {
        for code in text.arms.keys.sorted() where !study.hasArm(code) {
            faults.add(
                "\(pointer)/arms/\(Fault.escape(code))", "unknown_arm", "The study has no arm \(code).")
        }
        guard !study.allocation.isConcealed, study.arms.count > 1 else { return }
        for arm in study.arms where text.arms[arm.code] == nil {
            faults.add(
                "\(pointer)/arms", "missing_text",
                "There is no text for arm \(arm.code), and the allocation is not concealed.")
        }
    }

    /// Every factor that participants are asked at enrolment needs a text.
    private mutating func checkFactors(of text: StudyText, pointer: String) {
        let factors = study.allocation.factors
        let codes = Set(factors.map(\.code))
        for code in text.factors.keys.sorted() where !codes.contains(code) {
            faults.add(
                "\(pointer)/\(Fault.escape(code))", "unknown_factor", "The allocation has no factor \(code).")
        }
        for factor in factors {
            let path = "\(pointer)/\(Fault.escape(factor.code))"
            guard let texts = text.factors[factor.code] else {
                faults.add(pointer, "missing_text", "There is no text for factor \(factor.code).")
                continue
            }
            require(texts.title, "\(path)/title")
            for level in factor.levels where texts.levels[level] == nil {
                faults.add("\(path)/levels", "missing_text", "There is no text for level \(level).")
            }
            let levels = Set(factor.levels)
            for level in texts.levels.keys.sorted() where !levels.contains(level) {
                faults.add(
                    "\(path)/levels/\(Fault.escape(level))", "unknown_level",
                    "Factor \(factor.code) has no level \(level).")
            }
        }
    }

    /// Every feature needs a title and an explanation. Every data kind needs a title and the question that
    /// asks for permission.
    private mutating func checkTitles(
        _ texts: [String: TitledText], of codes: [String], noun: String, pointer: String
    ) {
        for code in texts.keys.sorted() where !codes.contains(code) {
            faults.add(
                "\(pointer)/\(Fault.escape(code))",
                "unknown_\(noun.replacing(" ", with: "_"))", "The study has no \(noun) \(code).")
        }
        for code in codes {
            guard let text = texts[code] else {
                faults.add(pointer, "missing_text", "There is no text for \(noun) \(code).")
                continue
            }
            require(text.title, "\(pointer)/\(Fault.escape(code))/title")
            require(text.text, "\(pointer)/\(Fault.escape(code))/text")
        }
    }

    mutating func require(_ text: String, _ pointer: String) {
        if text.allSatisfy(\.isWhitespace) { faults.add(pointer, "missing_text", "The text is empty.") }
    }

    static let placeholders = ["name", "study", "count", "titles", "url"]

    /// Rejects unknown placeholders, because they would be sent to participants unchanged.
    mutating func checkPlaceholders(
        _ text: String, _ pointer: String, among known: [String] = StudyCheck.placeholders
    ) {
        var rest = text[...]
        while let open = rest.firstRange(of: "{{") {
            rest = rest[open.upperBound...]
            let close = rest.firstRange(of: "}}")
            let name = close.map { String(rest[..<$0.lowerBound]) }
            if let name, known.contains(name) { continue }
            let listed = known.prefix(20).map { "{{\($0)}}" }.joined(separator: ", ")
            let more = known.count > 20 ? " and \(known.count - 20) more" : ""
            faults.add(
                pointer, "unknown_placeholder",
                "The text has an unknown or unclosed placeholder. Known are \(listed)\(more).")
            return
        }
    }
}
