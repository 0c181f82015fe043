/// A table of a scoring key, read from a CSV file. A lookup table maps raw values to scores. A norm table contains the
/// mean and the standard deviation of a reference group.
package struct LookupTable: Sendable, Hashable {
    /// One row of the table.
    package struct Row: Sendable, Hashable {
        /// Conditions on covariates only. The row applies if all are true.
        package var conditions: [ScoreCondition]
        /// The score of a range of raw values, or the mean and standard deviation of a reference group.
        package var entry: Entry

        /// - Parameter conditions: on covariates only.
        package init(_ entry: Entry, when conditions: [ScoreCondition] = []) {
            self.entry = entry
            self.conditions = conditions
        }
    }

    /// The content of a row. All rows of a table have the same kind of content.
    package enum Entry: Sendable, Hashable {
        /// The raw values in the range have this score.
        case score(raw: ScoreRange, value: Double, standardError: Double?)
        /// The mean and the standard deviation of the reference group.
        case norm(mean: Double, standardDeviation: Double)
    }

    /// A `DefinitionName`.
    package var id: String
    /// The source of the numbers, as text for readers.
    package var source: String
    /// SHA-256 of the file with LF line ends, in hexadecimal. It represents the rows in the digest of the key.
    package var checksum: String
    /// In the order of the file. The first row that applies is used.
    package var rows: [Row]

    /// - Parameters: see the properties.
    package init(id: String, source: String, checksum: String, rows: [Row]) {
        self.id = id
        self.source = source
        self.checksum = checksum
        self.rows = rows
    }
}
