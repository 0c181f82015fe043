/// Rankings, told at once or by comparisons.
extension AnswerReader {
    /// All options in their order, or comparisons of two options each.
    mutating func ranking(_ value: JSON, _ pointer: String) -> Answer? {
        guard let elements = value.array else {
            faults.add(pointer, "wrong_type", "This item takes a list of options, or of comparisons of two.")
            return nil
        }
        guard let first = elements.first else { return nil }
        return first.array == nil && first.object == nil
            ? order(elements, pointer) : comparisons(elements, pointer)
    }

    private mutating func order(_ elements: [JSON], _ pointer: String) -> Answer? {
        let before = faults.count
        let count = item.answerOption.count
        var ranks: [Int: Int] = [:]
        for (index, element) in elements.prefix(count + 1).enumerated() {
            guard let place = option(element, "\(pointer)/\(index)")?.place else { continue }
            if ranks.updateValue(index + 1, forKey: place) != nil {
                faults.add("\(pointer)/\(index)", "duplicate_option", "This option is named twice.")
            }
        }
        if faults.count == before, ranks.count != count {
            faults.add(pointer, "incomplete_ranking", "All \(count) options are ranked, each once.")
        }
        guard faults.count == before else { return nil }
        let options = item.answerOption.map(\.value)
        return .ranking(Ranking(options: options, ranks: options.indices.map { ranks[$0] ?? count }))
    }

    /// Every two options are compared once at most; between those that were not, others decide.
    private mutating func comparisons(_ elements: [JSON], _ pointer: String) -> Answer? {
        let before = faults.count
        let count = item.answerOption.count
        guard elements.count <= count * (count - 1) / 2 else {
            faults.add(pointer, "too_many_comparisons", "Each two options are compared once at most.")
            return nil
        }
        var decided: [Set<OptionValue>: Int] = [:]
        var comparisons: [PairComparison] = []
        for (index, element) in elements.enumerated() {
            let here = "\(pointer)/\(index)"
            guard let comparison = comparison(element, here) else { continue }
            let pair: Set = [comparison.first, comparison.second]
            if pair.count < 2 {
                faults.add(here, "duplicate_comparison", "An option is compared with another one.")
            } else if let earlier = decided[pair] {
                let isSame = comparisons.first { pair == [$0.first, $0.second] }?.choice == comparison.choice
                faults.add(
                    here, "duplicate_comparison",
                    "\(comparison.first.text) and \(comparison.second.text) are compared at \(pointer)/\(earlier) already, "
                        + (isSame ? "with the same outcome." : "with another outcome."))
            }
            decided[pair] = decided[pair] ?? index
            comparisons.append(comparison)
        }
        guard faults.count == before else { return nil }
        let options = item.answerOption.map(\.value)
        if let (first, second) = ComparisonChains(options: options, comparisons: comparisons).undecided {
            faults.add(
                pointer, "incomplete_ranking",
                "Nothing decides between \(options[first].text) and \(options[second].text): they were not compared, and no chain "
                    + "of comparisons leads from one to the other.")
            return nil
        }
        return .ranking(Ranking(options: options, comparisons: comparisons))
    }

    /// The two options, the better one first, or an object that tells more.
    private mutating func comparison(_ value: JSON, _ pointer: String) -> PairComparison? {
        if let pair = value.array, pair.count == 2 {
            guard let better = option(pair[0], "\(pointer)/0"), let worse = option(pair[1], "\(pointer)/1")
            else {
                return nil
            }
            return PairComparison(better: better.value, worse: worse.value)
        }
        guard let members = value.object, let shown = members["shown"]?.array, shown.count == 2,
            let told = members["choice"], members.count == (members["time_ms"] == nil ? 2 : 3)
        else {
            faults.add(
                pointer, "wrong_type",
                "A comparison is two options, the better one first, or shown, choice and perhaps time_ms.")
            return nil
        }
        let before = faults.count
        let first = option(shown[0], "\(pointer)/shown/0")
        let second = option(shown[1], "\(pointer)/shown/1")
        let choice = told.isNull ? nil : option(told, "\(pointer)/choice")
        let time = members["time_ms"].flatMap { $0.isNull ? nil : $0 }
        let milliseconds = time?.int
        if time != nil, !(0...PairComparison.longestMilliseconds).contains(milliseconds ?? -1) {
            faults.add(
                "\(pointer)/time_ms", "out_of_range",
                "A whole number of milliseconds, from 0 to \(PairComparison.longestMilliseconds).")
        }
        guard faults.count == before, let first, let second else { return nil }
        if let choice, choice.place != first.place, choice.place != second.place {
            faults.add(
                "\(pointer)/choice", "not_offered", "The choice is one of the two that were shown, or null.")
            return nil
        }
        return PairComparison(
            first: first.value, second: second.value, choice: choice?.value, milliseconds: milliseconds)
    }
}
