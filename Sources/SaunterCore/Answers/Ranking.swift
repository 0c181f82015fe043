/// A ranking of all options of an item. It comes from a submitted order, or from comparisons of pairs.
package struct Ranking: Sendable, Hashable {
    /// All options of the item, in the questionnaire's order.
    package let options: [OptionValue]
    /// The rank of each option, from 1, the best. Options with equal scores share a rank, and the following ranks are
    /// skipped.
    package let ranks: [Int]
    /// The comparisons in their submitted order; empty for a submitted order of options.
    package let comparisons: [PairComparison]

    /// Creates a ranking from a submitted order.
    /// - Parameter ranks: the rank of each option; a permutation of 1 to their number.
    package init(options: [OptionValue], ranks: [Int]) {
        self.options = options
        self.ranks = ranks
        comparisons = []
    }

    /// Creates a ranking from comparisons. They are transitive: if A is above or even with B, and B is above or even
    /// with C, then A is above or even with C. The rank follows from the Copeland score: the number of options below
    /// minus the number of options above. Options in a preference cycle share a rank, and so do options that were
    /// compared as even.
    package init(options: [OptionValue], comparisons: [PairComparison]) {
        let graph = PreferenceGraph(options: options, comparisons: comparisons)
        self.options = options
        ranks = graph.copelandScores.map { balance in 1 + graph.copelandScores.count { $0 > balance } }
        self.comparisons = comparisons
    }

    /// The options, best first. Options of equal rank are in the questionnaire's order.
    package var order: [OptionValue] {
        zip(options, ranks).enumerated().sorted {
            ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
        }.map(\.element.0)
    }

    /// Whether the comparisons contradict each other: one comparison prefers A to B, but according to the other
    /// comparisons B is above or even with A.
    package var hasCycle: Bool {
        !comparisons.isEmpty && PreferenceGraph(options: options, comparisons: comparisons).hasCycle
    }

    var json: JSON {
        comparisons.isEmpty ? .array(order.map(\.json)) : .array(comparisons.map(\.json))
    }
}

/// One comparison of two options of a ranking.
package struct PairComparison: Sendable, Hashable {
    /// The option that was shown first, if `hasDisplayOrder`; otherwise the better one.
    package let first: OptionValue
    /// The other option.
    package let second: OptionValue
    /// The preferred option; nil if the participant preferred neither.
    package let choice: OptionValue?
    /// Whether the client recorded which option was shown first.
    package let hasDisplayOrder: Bool
    /// The time that the participant needed, if the client recorded it.
    package let milliseconds: Int?

    /// The maximum of `milliseconds`: one day.
    static let maximumMilliseconds = 86_400_000

    /// A comparison with its display order.
    package init(first: OptionValue, second: OptionValue, choice: OptionValue?, milliseconds: Int? = nil) {
        self.init(first, second, choice, hasDisplayOrder: true, milliseconds)
    }

    /// A preference without a display order.
    package init(better: OptionValue, worse: OptionValue) {
        self.init(better, worse, better, hasDisplayOrder: false, nil)
    }

    private init(
        _ first: OptionValue, _ second: OptionValue, _ choice: OptionValue?, hasDisplayOrder: Bool,
        _ milliseconds: Int?
    ) {
        self.first = first
        self.second = second
        self.choice = choice
        self.hasDisplayOrder = hasDisplayOrder
        self.milliseconds = milliseconds
    }

    /// The option that was not preferred; nil if the participant preferred neither.
    package var lessPreferred: OptionValue? { choice.map { $0 == first ? second : first } }

    /// The submitted form: `["sleep", "sport"]`, the better one first, or `{"shown": […], "choice": …, "time_ms": …}`.
    var json: JSON { json(\.json) }

    /// The submitted form.
    /// - Parameter name: returns the name of an option in it.
    func json(_ name: (OptionValue) -> JSON) -> JSON {
        guard hasDisplayOrder else { return [name(first), name(second)] }
        var object: JSONObject = [
            "shown": [name(first), name(second)], "choice": choice.map(name) ?? .null,
        ]
        object.add("time_ms", milliseconds.map { .int($0) })
        return .object(object)
    }
}

/// Rows of the dataset: `sleep>sport`, or `sleep=sport` if neither was preferred. The option that was shown first and
/// the time have separate rows.
extension PairComparison {
    private static let shownFirst = "shown_first"
    private static let time = "time_ms"

    /// - Parameter code: the option code of the row with the outcome.
    func rows(of linkId: String, instance: Int, outcome code: String = "") -> [RepeatedAnswer] {
        func row(_ value: String, _ option: String) -> RepeatedAnswer {
            RepeatedAnswer(
                linkId: linkId, instance: instance, option: option, type: ItemType.ranking.storedName,
                value: value)
        }
        let outcome =
            if let choice, let lessPreferred { "\(choice.text)>\(lessPreferred.text)" } else {
                "\(first.text)=\(second.text)"
            }
        return [row(outcome, code)] + (hasDisplayOrder ? [row(first.text, Self.shownFirst)] : [])
            + (milliseconds.map { [row(String($0), Self.time)] } ?? [])
    }

    /// Restores all comparisons from their rows. Returns nil if the rows do not fit the options.
    /// - Parameter code: the option code of the rows with the outcomes.
    static func all(
        _ rows: [RepeatedAnswer], options: [OptionValue], outcome code: String
    ) -> [PairComparison]? {
        var comparisons: [PairComparison] = []
        var rest = rows[...]
        while let instance = rest.first?.instance {
            let own = rest.prefix { $0.instance == instance }
            rest = rest.dropFirst(own.count)
            guard let comparison = PairComparison(Array(own), options: options, outcome: code) else {
                return nil
            }
            comparisons.append(comparison)
        }
        return comparisons
    }

    /// Restores one comparison from its rows. Returns nil if the rows do not fit the options.
    init?(_ rows: [RepeatedAnswer], options: [OptionValue], outcome code: String = "") {
        func value(_ option: String) -> String? { rows.first { $0.option == option }?.value }
        guard Set(rows.map(\.option)).count == rows.count, let outcome = value(code) else { return nil }
        let isEven = outcome.contains("=")
        let names = outcome.split(separator: isEven ? "=" : ">", omittingEmptySubsequences: false)
        guard names.count == 2, let one = options.first(where: { $0.text == names[0] }),
            let other = options.first(where: { $0.text == names[1] })
        else { return nil }
        let milliseconds = value(Self.time).flatMap { Int($0) }
        switch value(Self.shownFirst) {
        case nil where !isEven && rows.count == 1: self.init(better: one, worse: other)
        case one.text:
            self.init(first: one, second: other, choice: isEven ? nil : one, milliseconds: milliseconds)
        case other.text:
            self.init(first: other, second: one, choice: isEven ? nil : one, milliseconds: milliseconds)
        default: return nil
        }
    }
}

/// The transitive closure of comparisons: sleep before sport and sport before friends imply sleep before friends.
struct PreferenceGraph: Sendable {
    /// `reaches[a][b]`: whether option a is above or even with option b.
    private let reaches: [[Bool]]
    /// The indices of the better and the worse option of each comparison with a preference.
    private let preferences: [(better: Int, worse: Int)]

    /// - Parameter options: the options of the item. Comparisons of other options are ignored.
    init(options: [OptionValue], comparisons: [PairComparison]) {
        let indices = Dictionary(
            options.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var reaches = Array(repeating: Array(repeating: false, count: options.count), count: options.count)
        var preferences: [(better: Int, worse: Int)] = []
        for comparison in comparisons {
            guard let first = indices[comparison.first], let second = indices[comparison.second] else {
                continue
            }
            switch comparison.choice {
            case nil: (reaches[first][second], reaches[second][first]) = (true, true)
            case comparison.first: preferences.append((first, second))
            default: preferences.append((second, first))
            }
        }
        for preference in preferences { reaches[preference.better][preference.worse] = true }
        for middle in options.indices {
            for first in options.indices where reaches[first][middle] {
                for last in options.indices where reaches[middle][last] { reaches[first][last] = true }
            }
        }
        self.reaches = reaches
        self.preferences = preferences
    }

    /// The Copeland score of each option: the number of options that it is above, minus the number that are above it.
    var copelandScores: [Int] {
        reaches.indices.map { index in
            reaches[index].count { $0 } - reaches.indices.count { reaches[$0][index] }
        }
    }

    /// Whether other comparisons contradict a preference.
    var hasCycle: Bool { preferences.contains { reaches[$0.worse][$0.better] } }

    /// The first pair of options, in the item's order, that no chain of comparisons decides; nil if all pairs are
    /// decided.
    var undecidedPair: (first: Int, second: Int)? {
        for first in reaches.indices {
            for second in reaches.indices where second > first {
                if !reaches[first][second], !reaches[second][first] { return (first, second) }
            }
        }
        return nil
    }
}
