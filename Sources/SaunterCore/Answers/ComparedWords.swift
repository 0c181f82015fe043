/// The participant's own words in their submitted order, with the comparisons of pairs that rank them. It is an answer
/// to a compared list: a repeating `string` item with the control `pairwise`.
package struct ComparedWords: Sendable, Hashable {
    /// The words; at least two, all different.
    package let words: [String]
    /// The ranking of the numbers of the words, from 1. The words themselves are only in `words`, because texts are
    /// stored and exported separately.
    package let ranking: Ranking

    /// - Parameter comparisons: comparisons of the numbers of the words, from 1.
    package init(words: [String], comparisons: [PairComparison]) {
        self.words = words
        ranking = Ranking(options: Self.numbers(words.count), comparisons: comparisons)
    }

    /// The numbers that represent the words in comparisons.
    static func numbers(_ count: Int) -> [OptionValue] { (0..<count).map { .integer($0 + 1) } }

    /// `{"values": ["a", "b"], "comparisons": [["b", "a"]]}`.
    var json: JSON {
        let comparisons = ranking.comparisons.map { comparison in
            comparison.json { option in
                guard case .integer(let number) = option, words.indices.contains(number - 1) else {
                    return .null
                }
                return .string(words[number - 1])
            }
        }
        return ["values": .array(words.map(JSON.string)), "comparisons": .array(comparisons)]
    }
}

extension Item {
    /// Whether the item is a list of own words that the participant can rank by comparing pairs.
    package var isComparedList: Bool { isList && type == .string && itemControl == .pairwise }
}

extension Answer {
    /// The text; nil for other answers.
    fileprivate var word: String? { if case .text(let word) = self { word } else { nil } }
}

extension AnswerReader {
    /// Parses `{"values": [...], "comparisons": [...]}`. The comparisons name the values, and decide all pairs.
    mutating func comparedWords(_ value: JSON, _ pointer: String) -> Answer? {
        guard let members = value.object, let values = members["values"],
            let elements = members["comparisons"]?.array, members.count == 2
        else {
            faults.add(
                pointer, "wrong_type",
                "This item expects an array of texts, best first, or an object with values and comparisons.")
            return nil
        }
        let before = faults.count
        let list = list(values, "\(pointer)/values")
        guard faults.count == before else { return nil }
        let words = list?.values.compactMap(\.word) ?? []
        var seen: Set<String> = []
        for (index, word) in words.enumerated() where !seen.insert(word).inserted {
            faults.add(
                "\(pointer)/values/\(index)", "duplicate_value", "Values that are compared must differ.")
        }
        guard faults.count == before else { return nil }
        let comparisons = comparisons(
            elements, "\(pointer)/comparisons", of: ComparedWords.numbers(words.count), noun: "value "
        ) { reader, value, pointer in
            reader.word(value, words, pointer)
        }
        // One word or none needs no comparison.
        return comparisons.flatMap {
            $0.isEmpty ? list : .comparedWords(ComparedWords(words: words, comparisons: $0))
        }
    }

    /// The number of a word that a comparison names. The fault does not quote the words.
    private mutating func word(
        _ value: JSON, _ words: [String], _ pointer: String
    ) -> (value: OptionValue, index: Int)? {
        guard let index = value.string.flatMap({ words.firstIndex(of: $0) }) else {
            faults.add(pointer, "not_an_option", "A comparison must name two of the values.")
            return nil
        }
        return (.integer(index + 1), index)
    }
}

/// The rows of a compared list, in addition to those of its values: the rank of each value, and the comparisons of the
/// values' numbers.
extension ComparedWords {
    /// The option code of a rank.
    package static let rankCode = "rank"
    /// The option code of a comparison's outcome.
    package static let comparisonCode = "comparison"

    static func rankRow(of linkId: String, instance: Int, rank: Int) -> RepeatedAnswer {
        RepeatedAnswer(
            linkId: linkId, instance: instance, option: rankCode, type: ItemType.ranking.storedName,
            value: String(rank))
    }

    /// The rows of the comparisons, in order.
    func comparisonRows(of linkId: String) -> [RepeatedAnswer] {
        ranking.rows(of: linkId, outcome: Self.comparisonCode)
    }

    /// Restores an answer to a compared list from its rows. Without comparisons it is the list itself.
    /// - Parameter list: the restored values.
    /// - Returns: nil if the rows do not fit the values.
    static func answer(_ list: [Answer], _ rows: [RepeatedAnswer]) -> Answer? {
        let rows = rows.filter { $0.type == ItemType.ranking.storedName }
        let compared = rows.filter { $0.option != rankCode }
        guard !compared.isEmpty else { return .list(list) }
        let words = list.compactMap(\.word)
        guard
            let comparisons = PairComparison.all(
                compared, options: numbers(words.count), outcome: comparisonCode)
        else { return nil }
        let answer = ComparedWords(words: words, comparisons: comparisons)
        let ranks = rows.filter { $0.option == rankCode }.sorted { $0.instance < $1.instance }.map(\.value)
        return ranks == answer.ranking.ranks.map { String($0) } ? .comparedWords(answer) : nil
    }
}
