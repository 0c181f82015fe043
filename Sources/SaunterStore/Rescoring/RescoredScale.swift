/// What a rescoring changed in one scale of one questionnaire version. Only current sheets are included: the newest
/// revision of each sheet that is neither deleted nor a duplicate.
package struct RescoredScale: Sendable, Hashable {
    /// Numbers of sheets, and how far their values changed.
    package struct Counts: Sendable, Hashable {
        /// The number of scored sheets.
        package var sheets = 0
        /// The number of sheets that had no score of this scale before.
        package var firstScores = 0
        /// The number of sheets with the same value before and after, or without a value before and after.
        package var unchanged = 0
        /// The number of sheets with another value after than before.
        package var changed = 0
        /// The number of sheets with a value before and none after.
        package var becameNull = 0
        /// The number of sheets with a value after and none before.
        package var gainedValue = 0
        /// The number of sheets whose band changed.
        package var bandMoves = 0
        /// The number of sheets with a value before and after.
        package var compared = 0
        /// The sum of the absolute differences of the compared sheets, in points of the scale.
        package var totalChange = 0.0
        /// The maximum of the absolute differences, in points of the scale.
        package var greatestChange = 0.0

        /// The mean absolute difference; nil if nothing is compared.
        package var meanChange: Double? { compared > 0 ? totalChange / Double(compared) : nil }
    }

    /// A change of band. Nil means no band.
    package struct Move: Sendable, Hashable {
        /// The code of the scale whose bands are compared.
        package let scale: String
        /// The code of the band before.
        package let from: String?
        /// The code of the band after.
        package let to: String?
    }

    /// A change of band and the number of sheets that made it.
    package struct CountedMove: Sendable, Hashable {
        /// The bands before and after.
        package let move: Move
        /// The number of sheets, from 1.
        package let sheets: Int
    }

    /// The code of the questionnaire.
    package let questionnaire: String
    /// The answered version.
    package let version: String
    /// The code of the scale.
    package let scale: String
    /// The version of the active key.
    package let keyVersion: String
    /// SHA-256 of the active key, in hexadecimal digits.
    package let keyDigest: String
    /// What changed, counted over the sheets.
    package let counts: Counts
    /// Sorted by bands.
    package let moves: [CountedMove]
}
