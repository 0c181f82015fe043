/// Options brought into an order: told at once, or by comparing them pair by pair.
package struct Ranking: Sendable, Hashable {
    /// All options of the item, in the questionnaire's order.
    package let options: [OptionValue]
    /// For each option its rank; 1 is the best. Equal ranks are shared, and the ranks after them left out.
    package let ranks: [Int]
    /// As they were decided; empty where the order was told at once.
    package let comparisons: [PairComparison]

    /// An order that was told at once.
    /// - Parameter ranks: one for each option, each from 1 to their number once.
    package init(options: [OptionValue], ranks: [Int]) {
        self.options = options
        self.ranks = ranks
        comparisons = []
    }

    /// The ranking that follows from comparisons. An option stands above another if it was preferred to it, or to one
    /// that stands above it or even with it; its rank follows from how many it stands above, less how many stand above
    /// it. Those that contradict each other in a circle share a rank, and so do those that were told to be even.
    package init(options: [OptionValue], comparisons: [PairComparison]) {
        let chains = ComparisonChains(options: options, comparisons: comparisons)
        self.options = options
        ranks = chains.balances.map { balance in 1 + chains.balances.count { $0 > balance } }
        self.comparisons = comparisons
    }

    /// The options, the best first; those of equal rank in the questionnaire's order.
    package var order: [OptionValue] {
        zip(options, ranks).enumerated().sorted {
            ($0.element.1, $0.offset) < ($1.element.1, $1.offset)
        }.map(\.element.0)
    }

    /// Whether somebody preferred an option to one that, by other comparisons, stands above it or even with it.
    package var hasCircle: Bool {
        !comparisons.isEmpty && ComparisonChains(options: options, comparisons: comparisons).hasCircle
    }

    var json: JSON {
        comparisons.isEmpty ? .array(order.map(\.json)) : .array(comparisons.map(\.json))
    }
}
