/// What a rescoring changed in one scale of one questionnaire version. Only sheets that reports count are included.
package struct RescoredScale: Sendable, Hashable {
    /// Numbers of sheets, and how far their values changed.
    package struct Counts: Sendable, Hashable {
        /// Scored sheets.
        package var sheets = 0
        /// Sheets that had no score of this scale before.
        package var firstScores = 0
        /// Sheets with the same value before and after, or without a value before and after.
        package var unchanged = 0
        /// Sheets with another value after than before.
        package var changed = 0
        package var becameNull = 0
        package var gainedValue = 0
        package var bandMoves = 0
        /// Sheets with a value before and after.
        package var compared = 0
        /// The absolute differences of the compared sheets: their sum and their maximum.
        package var totalChange = 0.0
        package var greatestChange = 0.0

        /// The mean absolute difference; nil if nothing is compared.
        package var meanChange: Double? { compared > 0 ? totalChange / Double(compared) : nil }
    }

    /// A change of band. Nil means no band.
    package struct Move: Sendable, Hashable {
        package let scale: String
        package let from: String?
        package let to: String?
    }

    /// A change of band and the number of sheets that made it.
    package struct CountedMove: Sendable, Hashable {
        package let move: Move
        package let sheets: Int
    }

    package let questionnaire: String
    /// The answered version.
    package let version: String
    package let scale: String
    /// The version of the active key.
    package let keyVersion: String
    package let keyDigest: String
    package let counts: Counts
    /// Sorted by bands.
    package let moves: [CountedMove]
}
