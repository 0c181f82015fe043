/// Options brought into an order: told at once, or by comparing them pair by pair.
package struct Ranking: Sendable, Hashable {
    /// One decision between two options.
    package struct Comparison: Sendable, Hashable {
        package let better: OptionValue
        package let worse: OptionValue

        package init(better: OptionValue, worse: OptionValue) {
            self.better = better
            self.worse = worse
        }
    }

    /// All options of the item, in the questionnaire's order.
    package let options: [OptionValue]
    /// For each option its rank; 1 is the best. Equal ranks are shared, and the ranks after them left out.
    package let ranks: [Int]
    /// As they were decided; empty where the order was told at once.
    package let comparisons: [Comparison]

    /// An order that was told at once.
    /// - Parameter ranks: one for each option, each from 1 to their number once.
    package init(options: [OptionValue], ranks: [Int]) {
        self.options = options
        self.ranks = ranks
        comparisons = []
    }

    /// The ranking that follows from comparisons. An option stands above another if it was preferred to it, or to one
    /// that stands above it; its rank follows from how many it stands above, less how many stand above it. Those that
    /// contradict each other in a circle share a rank.
    package init(options: [OptionValue], comparisons: [Comparison]) {
        let places = Dictionary(
            options.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var isAbove = Array(repeating: Array(repeating: false, count: options.count), count: options.count)
        for comparison in comparisons {
            if let better = places[comparison.better], let worse = places[comparison.worse] {
                isAbove[better][worse] = true
            }
        }
        for middle in options.indices {
            for first in options.indices where isAbove[first][middle] {
                for last in options.indices where isAbove[middle][last] { isAbove[first][last] = true }
            }
        }
        let balances = options.indices.map { place in
            isAbove[place].count { $0 } - options.indices.count { isAbove[$0][place] }
        }
        self.options = options
        ranks = balances.map { balance in 1 + balances.count { $0 > balance } }
        self.comparisons = comparisons
    }

    /// The options, the best first; those of equal rank in the questionnaire's order.
    package var order: [OptionValue] {
        zip(options, ranks).enumerated().sorted {
            ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
        }.map(\.element.0)
    }

    var json: JSON {
        comparisons.isEmpty
            ? .array(order.map(\.json)) : .array(comparisons.map { [$0.better.json, $0.worse.json] })
    }
}
