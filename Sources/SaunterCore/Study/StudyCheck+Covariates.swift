extension StudyCheck {
    static let maximumCovariates = 50

    /// Every covariate is asked for by a key, and its item can give what the keys want.
    mutating func checkCovariates() {
        guard study.covariates.count <= Self.maximumCovariates else {
            faults.add(
                "/covariates", "too_many", "At most \(Self.maximumCovariates) covariates are taken.")
            return
        }
        var seen: Set<String> = []
        for (index, origin) in study.covariates.enumerated() {
            let here = "/covariates/\(index)"
            if !DefinitionName.isValid(origin.id) {
                faults.add("\(here)/id", "invalid_name", DefinitionName.rule)
            }
            if !seen.insert(origin.id).inserted {
                faults.add("\(here)/id", "duplicate", "Another covariate has this id.")
            }
            let wanted = study.questionnaires.compactMap(\.scoring).flatMap(\.givenCovariates)
                .filter { $0.id == origin.id }
            if wanted.isEmpty {
                faults.add("\(here)/id", "never_used", "No scoring key of the study asks for \(origin.id).")
            }
            guard let questionnaire = study.questionnaire(origin.questionnaire) else {
                faults.add(
                    "\(here)/questionnaire", "unknown_questionnaire",
                    "The study has no questionnaire \(origin.questionnaire.prefix(60)).")
                continue
            }
            guard let item = questionnaire.questions.first(where: { $0.linkId == origin.item }) else {
                faults.add(
                    "\(here)/item", "unknown_item",
                    "\(questionnaire.code) asks no \(origin.item.prefix(60)).")
                continue
            }
            check(origin, item, here)
            for covariate in wanted { check(origin, item, for: covariate, here) }
        }
    }

    /// The item alone: a single answer that says something of a person.
    private mutating func check(_ origin: CovariateOrigin, _ item: Item, _ pointer: String) {
        let fits =
            switch origin.reading {
            case .yearsSince: item.type == .date || item.type == .integer
            case .value:
                [.boolean, .integer, .decimal].contains(item.type) || item.type == .choice && !item.repeats
            }
        if !fits {
            faults.add(
                "\(pointer)/item", "wrong_type",
                "An item of type \(item.type.rawValue) gives no covariate that is read so.")
        }
        if !origin.codes.isEmpty, origin.reading == .yearsSince || item.type == .decimal {
            faults.add("\(pointer)/codes", "wrong_type", "Codes are for answers that are codes.")
        }
        for answer in origin.codes.keys.sorted() where item.writtenAnswers?.contains(answer) == false {
            faults.add(
                "\(pointer)/codes/\(Fault.escape(answer))", "unknown_option",
                "\(item.linkId) has no answer \(answer.prefix(60)).")
        }
    }

    /// What the item gives against what one key wants.
    private mutating func check(
        _ origin: CovariateOrigin, _ item: Item, for covariate: Covariate, _ pointer: String
    ) {
        guard !covariate.codes.isEmpty else {
            let isNumber =
                origin.reading == .yearsSince
                || origin.codes.isEmpty
                    && (item.type != .choice || !item.answerOption.contains { item.weight(of: $0) == nil })
            if !isNumber {
                faults.add("\(pointer)/item", "not_numeric", "A key wants \(origin.id) as a number.")
            }
            return
        }
        guard origin.reading == .value else {
            faults.add("\(pointer)/as", "not_a_code", "A key wants \(origin.id) as a code.")
            return
        }
        let given = origin.codes.isEmpty ? item.writtenAnswers ?? [] : Array(origin.codes.values)
        for code in Set(given).subtracting(covariate.codes).sorted() {
            faults.add(
                "\(pointer)/codes", "unknown_option", "A key knows \(origin.id) not as \(code.prefix(60)).")
        }
    }
}

extension Item {
    /// All its single answers as definitions write them; nil where they are no closed list.
    fileprivate var writtenAnswers: [String]? {
        switch type {
        case .boolean: ["true", "false"]
        case .choice: answerOption.map(\.value.text)
        default: nil
        }
    }
}
