/// What a re-scoring did to one scale of one version, of the sheets that count.
package struct RescoredScale: Sendable, Hashable {
    package struct Counts: Sendable, Hashable {
        /// Sheets that were scored.
        package var sheets = 0
        /// Those that had no score of this scale before.
        package var firstScores = 0
        /// The same value before and after, or none before and after.
        package var unchanged = 0
        /// Another value.
        package var changed = 0
        package var becameNull = 0
        package var gainedValue = 0
        package var bandMoves = 0
        /// A value before and after.
        package var compared = 0
        /// Absolute differences of those that are compared: their sum, and the greatest.
        package var totalChange = 0.0
        package var greatestChange = 0.0

        /// Mean absolute difference; nil where nothing is compared.
        package var meanChange: Double? { compared > 0 ? totalChange / Double(compared) : nil }
    }

    /// From a band, or from none, to another.
    package struct Move: Sendable, Hashable {
        package let scale: String
        package let from: String?
        package let to: String?
    }

    /// A move and how many sheets made it.
    package struct CountedMove: Sendable, Hashable {
        package let move: Move
        package let sheets: Int
    }

    package let questionnaire: String
    /// The version that was answered.
    package let version: String
    package let scale: String
    /// Of the key that is in force now.
    package let keyVersion: String
    package let keyDigest: String
    package let counts: Counts
    /// Sorted by bands.
    package let moves: [CountedMove]
}
