/// A key of a keyed variable. Keys are sorted by rank, then by the bytes of their text.
struct FactKey: Hashable, Comparable {
    /// The index of an option or questionnaire, or a number or date; 0 for other keys.
    let rank: Int
    let text: String

    static func < (left: FactKey, right: FactKey) -> Bool {
        left.rank != right.rank
            ? left.rank < right.rank : left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }
}

/// The facts of a source with the answer or number that counts, and the computation of one value from some of them.
struct FactColumn {
    let evaluation: VariableEvaluation
    let variable: PlannedVariable
    let source: TailoringVariable.Source
    let series: FactSeries
    /// The answers to the item that counts; nil if no item counts.
    private let answers: [Answer?]?
    /// The numbers of the answers; empty if no item counts or the kind reads no numbers.
    private let answerNumbers: [Quantity?]

    init(
        _ evaluation: VariableEvaluation, _ variable: PlannedVariable, _ source: TailoringVariable.Source,
        _ series: FactSeries
    ) {
        self.evaluation = evaluation
        self.variable = variable
        self.source = source
        self.series = series
        if case .entry(let entries) = source, case .item(let linkId)? = entries.value {
            answers = evaluation.index.answers(source, linkId)
            answerNumbers =
                variable.definition.kind.readsNumbers
                ? evaluation.index.numbers(source, linkId) { questionnaire, answer in
                    let name = ItemName(questionnaire: questionnaire, linkId: linkId)
                    return evaluation.plan.items[name]?.weights.value(of: answer)
                } : []
        } else {
            answers = nil
            answerNumbers = []
        }
    }

    private func answer(_ row: Int) -> Answer? { answers.flatMap { $0[row] } }

    /// The value of one fact; blank if it has none.
    func value(_ row: Int) -> ExpressionValue {
        if answers != nil { return answer(row)?.expressionValue ?? .blank }
        return number(row).map { .exact($0) } ?? .blank
    }

    /// Whether an answer or number of a fact counts, and not only the fact itself.
    private var hasValues: Bool {
        switch source {
        case .entry(let entries): entries.value != nil
        case .usage(_, _, let isSeconds): isSeconds
        case .walk(let metric): metric != nil
        case .observation: true
        case .message, .occasion, .enrolment, .event: false
        }
    }

    /// The number of a fact: the weight of an answer, a score or a measurement; nil if it has none.
    private func number(_ row: Int) -> Quantity? {
        guard case .entry(let entries) = source else { return series.numbers[row].map { Quantity($0) } }
        switch entries.value {
        case .item: return answerNumbers[row]
        case .scale(let scale):
            return evaluation.index.sheets[series.sheets[row]].scores[scale].map { Quantity($0) }
        case .items, nil: return nil
        }
    }

    private func item(_ questionnaire: String, _ linkId: String) -> PlannedItem? {
        evaluation.plan.items[ItemName(questionnaire: questionnaire, linkId: linkId)]
    }

    // MARK: Values

    /// The value of some facts under a key, with n and the reason of a null.
    func entry(key: String, _ rows: [Int]) -> VariableValue.Entry {
        let definition = variable.definition
        var entry = VariableValue.Entry(key: key, value: .blank, n: rows.count)
        switch definition.kind {
        case .latest, .first:
            let answered = rows.filter { hasValue($0) }
            entry.n = answered.count
            entry.value =
                (definition.kind == .latest ? answered.last : answered.first).map { value($0) } ?? .blank
        case .at(let isOldest):
            guard let row = isOldest ? rows.first : rows.last else { break }
            entry.value = .instant(series.moments[row])
            entry.lastOn = series.dates[row]
        case .count: count(rows, &entry)
        case .days:
            entry.value = .exact(Quantity(Set(rows.map { series.dates[$0] }).count))
        case .statistic(let statistic):
            let numbers = rows.compactMap { number($0) }
            entry.n = numbers.count
            entry.value = statistic.value(of: numbers).map { .exact($0) } ?? .blank
        case .share:
            let count = rows.count { row in
                variable.condition.map { evaluation.holds($0, series, row) } ?? true
            }
            if !rows.isEmpty { entry.value = .exact(Quantity(count).divided(by: rows.count)) }
        case .top(let most): top(most, frequentOptions(rows), &entry)
        case .series: point(rows, &entry)
        case .slope: slope(rows, &entry)
        case .streak: streak(rows, &entry)
        case .change, .keys, .list, .expression: break
        }
        entry.checkCount(definition.kind.leastCount(definition.least, hasValues: hasValues))
        return entry
    }

    /// Whether a fact has a value, if the variable needs one.
    func counts(_ row: Int) -> Bool { !hasValues || hasValue(row) }

    private func hasValue(_ row: Int) -> Bool {
        answers.map { $0[row] != nil } ?? (number(row) != nil)
    }

    private func count(_ rows: [Int], _ entry: inout VariableValue.Entry) {
        var total = 0
        if answers != nil {
            let answered = rows.filter { hasValue($0) }
            entry.n = answered.count
            total = answered.reduce(0) { $0 + (chosenCount($1) ?? 1) }
        } else {
            total = rows.count
        }
        entry.value = .exact(Quantity(total))
    }

    /// The number of chosen options; nil for an answer to an item without several options.
    private func chosenCount(_ row: Int) -> Int? {
        switch answer(row) {
        case .options(let options): options.count
        case .optionsAndFreeText(let options, _): options.count
        default: nil
        }
    }

    /// The mean of the values of a calendar unit, or the number of facts if there are no values.
    private func point(_ rows: [Int], _ entry: inout VariableValue.Entry) {
        guard hasValues else {
            entry.value = .exact(Quantity(rows.count))
            return
        }
        let numbers = rows.compactMap { number($0) }
        entry.n = numbers.count
        entry.value = TailoringVariable.Statistic.mean.value(of: numbers).map { .exact($0) } ?? .blank
    }

    private func slope(_ rows: [Int], _ entry: inout VariableValue.Entry) {
        let points = rows.compactMap { row in number(row).map { (moment: series.moments[row], value: $0) } }
        entry.n = points.count
        entry.value = Quantity.slopePerDay(points).map { .exact($0) } ?? .blank
    }

    private func streak(_ rows: [Int], _ entry: inout VariableValue.Entry) {
        let today = evaluation.index.today
        let met = Set(rows.map { series.dates[$0] }.filter { $0 <= today })
        let streak = Streak(met: met, skipped: evaluation.index.skippedDates, today: today)
        entry.n = met.count
        entry.value = .exact(Quantity(streak.current))
        entry.best = streak.best
        entry.lastOn = met.max()
    }

    // MARK: Options

    private struct OptionUse {
        var count: Int
        /// The position of the last fact that chose the option.
        var last: Int

        mutating func add(_ row: Int) {
            count += 1
            last = row
        }
    }

    /// The options, the most frequent one first, and the number of facts that chose any.
    private typealias FrequentOptions = (options: [(option: OptionValue, use: OptionUse)], n: Int)

    /// Calls the body with every chosen option of a fact.
    private func forEachOption(_ row: Int, _ body: (OptionValue) -> Void) {
        switch answer(row) {
        case .option(let option): body(option)
        case .options(let options), .optionsAndFreeText(let options, _):
            for option in options { body(option) }
        default: break
        }
    }

    /// The options by frequency; of equally frequent ones the one that was used last, then the order of the pack.
    private func frequentOptions(_ rows: [Int]) -> FrequentOptions {
        var uses: [OptionValue: OptionUse] = [:]
        var n = 0
        for row in rows {
            var isAnswered = false
            forEachOption(row) { option in
                isAnswered = true
                uses[option, default: OptionUse(count: 0, last: row)].add(row)
            }
            if isAnswered { n += 1 }
        }
        let ranked = uses.map { (option: $0.key, use: $0.value, rank: rank(of: $0.key)) }
            .sorted { left, right in
                if left.use.count != right.use.count { return left.use.count > right.use.count }
                if left.use.last != right.use.last { return left.use.last > right.use.last }
                return left.rank < right.rank
            }
        return (ranked.map { ($0.option, $0.use) }, n)
    }

    private func rank(of option: OptionValue) -> FactKey {
        guard case .entry(let entries) = source, case .item(let linkId)? = entries.value else {
            return optionKey(option, entries: nil, linkId: "")
        }
        return optionKey(option, entries: entries, linkId: linkId)
    }

    private func top(_ most: Int, _ frequent: FrequentOptions, _ entry: inout VariableValue.Entry) {
        entry.n = frequent.n
        guard frequent.n > 0 else { return }
        let values = frequent.options.prefix(most).map { $0.option.expressionValue }
        entry.value = most == 1 ? values.first ?? .blank : .several(values)
    }

    /// The value of the kind `top`, and its options with the number of entries that chose them.
    func topOptions(
        _ most: Int, _ rows: [Int]
    ) -> (value: VariableValue.Entry, options: [VariableValue.Entry]) {
        let frequent = frequentOptions(rows)
        var value = VariableValue.Entry(key: "", value: .blank, n: rows.count)
        top(most, frequent, &value)
        value.checkCount(variable.definition.kind.leastCount(variable.definition.least, hasValues: hasValues))
        guard value.reason == nil else { return (value, []) }
        let options = frequent.options.prefix(most).map { option in
            VariableValue.Entry(
                key: option.option.text, value: .exact(Quantity(option.use.count)), n: option.use.count)
        }
        return (value, options)
    }

    // MARK: Keys

    /// Facts by key. A fact with several keys belongs to several groups.
    struct Groups {
        /// In the order in which they occur.
        private(set) var keys: [FactKey] = []
        private var members: [[Int]] = []
        private var positions: [FactKey: Int] = [:]

        /// The keys in their order, with the facts of each.
        var sorted: [(key: FactKey, rows: [Int])] {
            zip(keys, members).map { (key: $0, rows: $1) }.sorted { $0.key < $1.key }
        }

        fileprivate mutating func position(of key: FactKey) -> Int {
            if let known = positions[key] { return known }
            keys.append(key)
            members.append([])
            positions[key] = keys.count - 1
            return keys.count - 1
        }

        fileprivate mutating func add(_ row: Int, to position: Int) { members[position].append(row) }
    }

    /// The facts by key, and the facts that have any. The keys of equal answers and hours are computed once.
    func groups(_ by: TailoringVariable.Grouping, _ rows: [Int]) -> (groups: Groups, all: [Int]) {
        var groups = Groups()
        var all: [Int] = []
        all.reserveCapacity(rows.count)
        if case .item(let linkId) = by, case .entry(let entries) = source {
            let answers = evaluation.index.answers(source, linkId)
            var known: [Answer: [Int]] = [:]
            for row in rows {
                guard let answer = answers[row] else { continue }
                var positions = known[answer]
                if positions == nil {
                    positions = keys(of: answer, linkId, entries).map { groups.position(of: $0) }
                    known[answer] = positions
                }
                for position in positions ?? [] { groups.add(row, to: position) }
                if positions?.isEmpty == false { all.append(row) }
            }
        } else if case .hour = by {
            var positions = [Int?](repeating: nil, count: 24)
            for row in rows {
                let hour = series.hour(row)
                let position = positions[hour] ?? groups.position(of: FactKey(rank: hour, text: String(hour)))
                positions[hour] = position
                groups.add(row, to: position)
            }
            all = rows
        } else {
            for row in rows {
                let keys = keys(by, row)
                for key in keys { groups.add(row, to: groups.position(of: key)) }
                if !keys.isEmpty { all.append(row) }
            }
        }
        return (groups, all)
    }

    private func keys(_ by: TailoringVariable.Grouping, _ row: Int) -> [FactKey] {
        switch by {
        case .item, .hour: return []
        case .questionnaire:
            guard case .entry(let entries) = source else { return [] }
            let code = evaluation.index.sheets[series.sheets[row]].questionnaire
            return [FactKey(rank: entries.questionnaires.firstIndex(of: code) ?? 0, text: code)]
        case .weekday:
            let weekday = series.dates[row].weekday
            return [FactKey(rank: weekday, text: String(weekday))]
        case .day: return [FactKey(rank: series.dates[row].days, text: series.dates[row].description)]
        case .source: return [FactKey(rank: 0, text: evaluation.index.sheets[series.sheets[row]].source)]
        case .refersTo:
            return evaluation.index.sheets[series.sheets[row]].refersTo.map {
                [FactKey(rank: 0, text: $0.description)]
            }
                ?? []
        case .feature: return series.features[row].map { [FactKey(rank: 0, text: $0)] } ?? []
        }
    }

    private func keys(
        of answer: Answer, _ linkId: String, _ entries: TailoringVariable.Entries
    ) -> [FactKey] {
        switch answer {
        case .boolean(let value): return [FactKey(rank: 0, text: value ? "true" : "false")]
        case .integer(let value): return [FactKey(rank: value, text: String(value))]
        case .date(let date): return [FactKey(rank: date.days, text: date.description)]
        case .option, .options, .optionsAndFreeText:
            return answer.chosenOptions.map { optionKey($0, entries: entries, linkId: linkId) }
        case .location(let location): return [FactKey(rank: 0, text: location.coordinates)]
        default: return []
        }
    }

    /// The key of an option. Options that the study's version does not have come last.
    private func optionKey(_ option: OptionValue, entries: TailoringVariable.Entries?, linkId: String)
        -> FactKey
    {
        let rank = entries?.questionnaires.lazy.compactMap { item($0, linkId)?.optionIndices[option] }.first
        return FactKey(rank: rank ?? .max, text: option.text)
    }
}

extension VariableValue.Entry {
    /// Gives the reason of a null value. A value of fewer facts than the minimum becomes null.
    fileprivate mutating func checkCount(_ least: Int?) {
        if let least, n < least {
            value = .blank
            reason = .tooFew
        } else if value == .blank {
            reason = .undefined
        }
    }
}

extension TailoringVariable.Kind {
    /// The smallest n for a value; nil for kinds that count.
    fileprivate func leastCount(_ least: Int?, hasValues: Bool) -> Int? {
        switch self {
        case .latest, .first, .at, .statistic, .share, .top, .slope: max(least ?? 1, 1)
        case .series: hasValues ? max(least ?? 1, 1) : nil
        case .count, .days, .streak, .change, .keys, .list, .expression: nil
        }
    }

    /// Whether the kind computes with the numbers of the facts.
    fileprivate var readsNumbers: Bool {
        switch self {
        case .statistic, .series, .slope: true
        default: false
        }
    }

    /// Whether `least` can be set.
    package var acceptsLeast: Bool {
        switch self {
        case .statistic, .share, .top, .series, .slope: true
        default: false
        }
    }
}

extension Location {
    /// The stored coordinates as a key: latitude and longitude, as JSON numbers.
    fileprivate var coordinates: String {
        "\(JSONNumber(latitude).literal),\(JSONNumber(longitude).literal)"
    }
}
