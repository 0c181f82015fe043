/// A table of a key, as its CSV file gives it: from raw values to scores, or the mean and SD of people like this
/// one.
package struct LookupTable: Sendable, Hashable {
    package struct Row: Sendable, Hashable {
        /// On covariates alone; all must hold.
        package var conditions: [ScoreCondition]
        package var entry: Entry

        package init(_ entry: Entry, when conditions: [ScoreCondition] = []) {
            self.entry = entry
            self.conditions = conditions
        }
    }

    package enum Entry: Sendable, Hashable {
        case score(raw: ScoreRange, value: Double, standardError: Double?)
        case norm(mean: Double, standardDeviation: Double)
    }

    /// A name as scales have them.
    package var id: String
    /// Where the numbers come from, for people.
    package var source: String
    /// SHA-256 of the file with lines ended by LF: the part of the definition that the rows are.
    package var checksum: String
    package var rows: [Row]

    package init(id: String, source: String, checksum: String, rows: [Row]) {
        self.id = id
        self.source = source
        self.checksum = checksum
        self.rows = rows
    }
}
