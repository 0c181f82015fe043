import SaunterCore

/// What the engine of scoring makes of single items: the key of a questionnaire with a scale of one item added
/// for each place where an item counts. So a report has no second notion of weights and reversing.
struct KeyedItems: Sendable {
    let questionnaire: Questionnaire
    let scales: [Scale]
    /// Items of all scales, in the order of asking.
    let asked: [Item]
    private let index: QuestionnaireIndex

    init(_ questionnaire: Questionnaire) {
        self.questionnaire = questionnaire
        let key = questionnaire.scoring ?? ScoringKey(version: questionnaire.version, scales: [])
        scales = key.scales
        let names = Set(key.scales.flatMap(\.items))
        asked = questionnaire.questions.filter { names.contains($0.linkId) }
        var all = key
        for item in asked {
            all.scales.append(Scale(id: ".\(item.linkId)", items: [item.linkId], method: .sum))
        }
        for scale in key.scales {
            for item in scale.items {
                all.scales.append(scale.single(item))
            }
        }
        var extended = questionnaire
        extended.scoring = all
        index = QuestionnaireIndex(extended)
    }

    /// Fills in the numbers of a sheet.
    func number(_ sheet: AnswerSheet, into report: inout ReportSheet) {
        var values = index.scores(for: sheet).map(\.value)[...]
        func take(_ count: Int) -> [Double?] {
            defer { values = values.dropFirst(count) }
            return Array(values.prefix(count))
        }
        report.scores = take(scales.count)
        report.given = take(asked.count)
        report.keyed = scales.map { take($0.items.count) }
    }

    /// The lowest and highest number that an item or an earlier scale can have in a scale; nil where it is not
    /// bounded. Reversing keeps it.
    func range(of name: String, in scale: Scale) -> ClosedRange<Double>? {
        let own: ClosedRange<Double>?
        if let recoded = scale.recode[name]?.values, let least = recoded.min(), let most = recoded.max(),
            least <= most
        {
            own = least...most
        } else if let item = asked.first(where: { $0.linkId == name }) {
            own = item.numberRange
        } else {
            own = scales.first { $0.id == name }?.declaredRange
        }
        guard let own, let weight = scale.weights[name] else { return own }
        let ends = [own.lowerBound * weight, own.upperBound * weight]
        return ends[0] <= ends[1] ? ends[0]...ends[1] : ends[1] <= ends[0] ? ends[1]...ends[0] : nil
    }
}

extension Scale {
    /// What one of its items adds, and nothing else.
    fileprivate func single(_ item: String) -> Scale {
        var single = Scale(
            id: ".\(id).\(item)", items: [item], reverse: reverse.contains(item) ? [item] : [], method: .sum)
        single.recode = recode.filter { $0.key == item }
        single.weights = weights.filter { $0.key == item }
        // An item that a blank takes out of the scale is missing here.
        single.blanks = blanks.filter { if case .counts = $0.value { true } else { false } }
        return single
    }

    /// Nil when the key does not declare both ends.
    var declaredRange: ClosedRange<Double>? {
        guard let minimum, let maximum, minimum <= maximum else { return nil }
        return minimum...maximum
    }
}

extension Item {
    fileprivate var numberRange: ClosedRange<Double>? {
        switch type {
        case .boolean: return 0...1
        case .integer, .decimal:
            guard let minValue, let maxValue, minValue <= maxValue else { return nil }
            return minValue...maxValue
        case .choice where !repeats:
            let numbers = answerOption.compactMap { option -> Double? in
                if let weight = option.weight { return weight }
                if case .integer(let value) = option.value { return Double(value) }
                return nil
            }
            guard let least = numbers.min(), let most = numbers.max(), least <= most else { return nil }
            return least...most
        default: return nil
        }
    }
}
