import SaunterCore
import SaunterStatistics

/// The numbers that the scoring engine assigns to single items. The scoring key of the questionnaire is extended by a
/// scale with one item for each use of an item, so that the report does not implement weights and reversal again.
struct KeyedItems: Sendable {
    let questionnaire: Questionnaire
    let scales: [Scale]
    /// The items of all scales, in the order of the questionnaire.
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

    /// Stores the scores and the numbers of the answers of a sheet.
    func storeNumbers(of sheet: AnswerSheet, in report: inout ReportSheet) {
        let all = index.scores(for: sheet)
        report.reasons = all.prefix(scales.count).map(\.reason)
        var values = all.map(\.value)[...]
        func take(_ count: Int) -> [Double?] {
            defer { values = values.dropFirst(count) }
            return Array(values.prefix(count))
        }
        report.scores = take(scales.count)
        report.given = take(asked.count)
        report.keyed = scales.map { take($0.items.count) }
    }

    /// The range of the answers, if it is the same for all items.
    var commonRange: Estimate<ClosedRange<Double>> {
        let ranges = asked.compactMap(\.numberRange)
        guard let first = ranges.first, ranges.count == asked.count else { return .failure(.noRange) }
        return ranges.allSatisfy { $0 == first } ? .success(first) : .failure(.rangesDiffer)
    }

    /// The smallest and the largest number that an item or an earlier scale can have in a scale. Nil if it is not
    /// bounded. Reversal does not change the range.
    func range(of name: String, in scale: Scale) -> ClosedRange<Double>? {
        let own: ClosedRange<Double>?
        if let recoded = scale.recode[name]?.values, let minimum = recoded.min(), let maximum = recoded.max(),
            minimum <= maximum
        {
            own = minimum...maximum
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
    /// A scale with only one of the items.
    fileprivate func single(_ item: String) -> Scale {
        var single = Scale(
            id: ".\(id).\(item)", items: [item], reverse: reverse.contains(item) ? [item] : [], method: .sum)
        single.recode = recode.filter { $0.key == item }
        single.weights = weights.filter { $0.key == item }
        // A blank that removes the item from the scale makes it missing here.
        single.blanks = blanks.filter { if case .counts = $0.value { true } else { false } }
        return single
    }

    /// Whether the score is a sum or mean of the items, or a linear function of one.
    var isSumOfItems: Bool {
        let isSum =
            switch method {
            case .sum, .mean, .value: true
            case .count, .minimum, .maximum, .product, .quotient, .difference, .elapsed, .clock: false
            }
        return isSum
            && transform.allSatisfy { step in
                switch step {
                case .multiply, .divide, .add, .pomp, .round: true
                case .clamp, .wrap, .bins, .lookup, .norm: false
                }
            }
    }

    /// Nil if the key does not declare both ends.
    var declaredRange: ClosedRange<Double>? {
        guard let minimum, let maximum, minimum <= maximum else { return nil }
        return minimum...maximum
    }
}

extension Item {
    fileprivate var numberRange: ClosedRange<Double>? {
        switch type.form {
        case .truth: return 0...1
        case .number where !type.hasUnits:
            guard let minValue, let maxValue, minValue <= maxValue else { return nil }
            return minValue...maxValue
        case .options where !repeats && !type.acceptsFreeText:
            let numbers = answerOption.compactMap(\.number)
            guard let minimum = numbers.min(), let maximum = numbers.max(), minimum <= maximum else {
                return nil
            }
            return minimum...maximum
        default: return nil
        }
    }
}
