/// Parses rankings. A client submits all options in their order, or comparisons of two options each.
extension AnswerReader {
    /// Parses a ranking: an array of options, or an array of comparisons. The first element decides which.
    mutating func ranking(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(
                pointer, "wrong_type",
                "This item expects an array of options, or of comparisons of two options.")
            return nil
        }
        guard let first = elements.first else { return nil }
        guard first.array != nil || first.object != nil else { return order(elements, pointer) }
        let options = item.answerOption.map(\.value)
        return comparisons(elements, pointer, of: options) { $0.option($1, $2) }
            .map { .ranking(Ranking(options: options, comparisons: $0)) }
    }

    private mutating func order(_ elements: [JSON], _ pointer: String) -> Answer? {
        let before = faults.count
        let count = item.answerOption.count
        var ranks: [Int: Int] = [:]
        for (index, element) in elements.prefix(count + 1).enumerated() {
            guard let option = option(element, "\(pointer)/\(index)")?.index else { continue }
            if ranks.updateValue(index + 1, forKey: option) != nil {
                faults.add("\(pointer)/\(index)", "duplicate_option", "This option is named twice.")
            }
        }
        if faults.count == before, ranks.count != count {
            faults.add(
                pointer, "incomplete_ranking", "A ranking must contain all \(count) options, each once.")
        }
        guard faults.count == before else { return nil }
        let options = item.answerOption.map(\.value)
        return .ranking(Ranking(options: options, ranks: options.indices.map { ranks[$0] ?? count }))
    }

    /// Parses comparisons. Each pair of options is compared at most once. Chains of comparisons must decide all other
    /// pairs.
    /// - Parameters:
    ///   - options: the options that are ranked.
    ///   - noun: a word before the names of options in messages.
    ///   - read: parses one option, and returns it with its index.
    mutating func comparisons(
        _ elements: [JSON], _ pointer: String, of options: [OptionValue], noun: String = "",
        read: (inout AnswerReader, JSON, String) -> (value: OptionValue, index: Int)?
    ) -> [PairComparison]? {
        let before = faults.count
        let count = options.count
        guard elements.count <= count * (count - 1) / 2 else {
            faults.add(
                pointer, "too_many_comparisons", "Each pair of options can be compared only once.")
            return nil
        }
        var decided: [Set<OptionValue>: Int] = [:]
        var comparisons: [PairComparison] = []
        for (index, element) in elements.enumerated() {
            let comparisonPointer = "\(pointer)/\(index)"
            guard let comparison = comparison(element, comparisonPointer, read) else { continue }
            let pair: Set = [comparison.first, comparison.second]
            if pair.count < 2 {
                faults.add(
                    comparisonPointer, "duplicate_comparison",
                    "A comparison must have two different options.")
            } else if let earlier = decided[pair] {
                let isSame = comparisons.first { pair == [$0.first, $0.second] }?.choice == comparison.choice
                faults.add(
                    comparisonPointer, "duplicate_comparison",
                    "The comparison at \(pointer)/\(earlier) already compares \(noun)\(comparison.first.text) "
                        + "and \(noun)\(comparison.second.text), "
                        + (isSame ? "with the same outcome." : "with another outcome."))
            }
            decided[pair] = decided[pair] ?? index
            comparisons.append(comparison)
        }
        guard faults.count == before else { return nil }
        if let (first, second) = PreferenceGraph(options: options, comparisons: comparisons).undecidedPair {
            faults.add(
                pointer, "incomplete_ranking",
                "No comparison and no chain of comparisons decides between \(noun)\(options[first].text) and "
                    + "\(noun)\(options[second].text).")
            return nil
        }
        return comparisons
    }

    /// Parses one comparison: two options, the better one first; or an object with `shown`, `choice` and optionally
    /// `time_ms`.
    private mutating func comparison(
        _ value: JSON, _ pointer: String,
        _ read: (inout AnswerReader, JSON, String) -> (value: OptionValue, index: Int)?
    ) -> PairComparison? {
        if let pair = value.array, pair.count == 2 {
            guard let better = read(&self, pair[0], "\(pointer)/0"),
                let worse = read(&self, pair[1], "\(pointer)/1")
            else { return nil }
            return PairComparison(better: better.value, worse: worse.value)
        }
        guard let members = value.object, let shown = members["shown"]?.array, shown.count == 2,
            let chosen = members["choice"], members.count == (members["time_ms"] == nil ? 2 : 3)
        else {
            faults.add(
                pointer, "wrong_type",
                "A comparison must be an array of two options, the better one first, "
                    + "or an object with shown, choice and optionally time_ms.")
            return nil
        }
        let before = faults.count
        let first = read(&self, shown[0], "\(pointer)/shown/0")
        let second = read(&self, shown[1], "\(pointer)/shown/1")
        let choice = chosen.isNull ? nil : read(&self, chosen, "\(pointer)/choice")
        let time = members["time_ms"].flatMap { $0.isNull ? Optional.none : $0 }
        let milliseconds = time?.int
        if time != nil, !(0...PairComparison.maximumMilliseconds).contains(milliseconds ?? -1) {
            faults.add(
                "\(pointer)/time_ms", "out_of_range",
                "It must be a whole number of milliseconds, from 0 to \(PairComparison.maximumMilliseconds).")
        }
        guard faults.count == before, let first, let second else { return nil }
        if let choice, choice.index != first.index, choice.index != second.index {
            faults.add(
                "\(pointer)/choice", "not_offered",
                "The choice must be one of the two shown options, or null.")
            return nil
        }
        return PairComparison(
            first: first.value, second: second.value, choice: choice?.value, milliseconds: milliseconds)
    }
}
