extension StudyCheck {
    static let maximumCovariates = 50

    /// Checks that each covariate is used by a scoring key, and that its item can supply the values that the keys need.
    mutating func checkCovariates() {
        guard study.covariates.count <= Self.maximumCovariates else {
            faults.add(
                "/covariates", "too_many", "A study has at most \(Self.maximumCovariates) covariates.")
            return
        }
        var seen: Set<String> = []
        for (index, source) in study.covariates.enumerated() {
            let elementPointer = "/covariates/\(index)"
            if !DefinitionName.isValid(source.id) {
                faults.add("\(elementPointer)/id", "invalid_name", DefinitionName.rule)
            }
            if !seen.insert(source.id).inserted {
                faults.add("\(elementPointer)/id", "duplicate", "Another covariate has this id.")
            }
            let covariates = study.questionnaires.compactMap(\.scoring).flatMap(\.givenCovariates)
                .filter { $0.id == source.id }
            if covariates.isEmpty {
                faults.add(
                    "\(elementPointer)/id", "never_used", "No scoring key of the study uses \(source.id).")
            }
            guard let questionnaire = study.questionnaire(source.questionnaire) else {
                faults.add(
                    "\(elementPointer)/questionnaire", "unknown_questionnaire",
                    "The study has no questionnaire \(source.questionnaire.prefix(60)).",
                    naming: source.questionnaire)
                continue
            }
            guard let item = questionnaire.questions.first(where: { $0.linkId == source.item }) else {
                faults.add(
                    "\(elementPointer)/item", "unknown_item",
                    "\(questionnaire.code) has no item \(source.item.prefix(60)).", naming: questionnaire.code
                )
                continue
            }
            check(source, item, elementPointer)
            for covariate in covariates { check(source, item, for: covariate, elementPointer) }
        }
    }

    /// Checks the item itself: it must have a single answer that `source.reading` can use.
    private mutating func check(_ source: CovariateSource, _ item: Item, _ pointer: String) {
        let fits = item.type.definition.covariateReadings.contains(source.reading)
        if item.repeats {
            faults.add("\(pointer)/item", "wrong_type", "\(item.linkId) has several answers.")
        } else if !fits {
            faults.add(
                "\(pointer)/item", "wrong_type",
                "An item of type \(item.type.rawValue) cannot supply a covariate with "
                    + "`as: \(source.reading.rawValue)`.")
        }
        if !source.codes.isEmpty, source.reading == .yearsSince || fits && item.hasDecimals {
            faults.add(
                "\(pointer)/codes", "wrong_type",
                "`codes` is not possible with `as: years_since` or for a decimal item.")
        }
        for answer in source.codes.keys.sorted() where item.writtenAnswers?.contains(answer) == false {
            faults.add(
                "\(pointer)/codes/\(Fault.escape(answer))", "unknown_option",
                "\(item.linkId) has no answer \(answer.prefix(60)).")
        }
    }

    /// Checks the values of the item against the needs of one key.
    private mutating func check(
        _ source: CovariateSource, _ item: Item, for covariate: Covariate, _ pointer: String
    ) {
        guard !covariate.codes.isEmpty else {
            let isNumber =
                source.reading == .yearsSince
                || source.codes.isEmpty
                    && (item.writtenAnswers == nil || item.hasWeights)
            if !isNumber {
                faults.add("\(pointer)/item", "not_numeric", "A scoring key needs \(source.id) as a number.")
            }
            return
        }
        guard source.reading == .value else {
            faults.add("\(pointer)/as", "not_a_code", "A scoring key needs \(source.id) as a code.")
            return
        }
        let given = source.codes.isEmpty ? item.writtenAnswers ?? [] : Array(source.codes.values)
        for code in Set(given).subtracting(covariate.codes).sorted() {
            faults.add(
                "\(pointer)/codes", "unknown_option",
                "A scoring key does not accept the code \(code.prefix(60)) for \(source.id).")
        }
    }
}

extension Item {
    /// All possible single answers as written in definitions. Nil if there is no closed list of answers.
    fileprivate var writtenAnswers: [String]? {
        type.acceptsFreeText ? nil : type.definition.writtenAnswers(to: self)
    }

    fileprivate var hasDecimals: Bool { type.form == .number && !type.definition.isWhole }
}
