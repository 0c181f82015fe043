/// What follows from comparisons by going on from one to the next: sleep before sport, sport before friends, hence
/// sleep before friends.
struct ComparisonChains: Sendable {
    /// For each option whether it stands above, or even with, each other one.
    private var reaches: [[Bool]]
    /// Places of those that were preferred, and of those that were not.
    private let preferences: [(better: Int, worse: Int)]

    /// - Parameter options: of the item; comparisons of anything else say nothing.
    init(options: [OptionValue], comparisons: [PairComparison]) {
        let places = Dictionary(
            options.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var reaches = Array(repeating: Array(repeating: false, count: options.count), count: options.count)
        var preferences: [(better: Int, worse: Int)] = []
        for comparison in comparisons {
            guard let first = places[comparison.first], let second = places[comparison.second] else {
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

    /// For each option how many it stands above, less how many stand above it.
    var balances: [Int] {
        reaches.indices.map { place in
            reaches[place].count { $0 } - reaches.indices.count { reaches[$0][place] }
        }
    }

    /// Whether a preference is contradicted by others.
    var hasCircle: Bool { preferences.contains { reaches[$0.worse][$0.better] } }

    /// The first two options, in the item's order, between which nothing decides; nil where everything is decided.
    var undecided: (first: Int, second: Int)? {
        for first in reaches.indices {
            for second in reaches.indices where second > first {
                if !reaches[first][second], !reaches[second][first] { return (first, second) }
            }
        }
        return nil
    }
}
