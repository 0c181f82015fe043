/// The share of the variance that is between people, for single measurements, computed from mean squares. The names
/// are those of McGraw and Wong (1996) and, in parentheses, of Shrout and Fleiss (1979).
package struct IntraclassCorrelation: Sendable, Hashable {
    /// ICC(1) (ICC(1,1)): one-way. The occasions of different people have nothing in common.
    package let oneWay: Estimate<Double>
    /// ICC(A,1) (ICC(2,1)): two-way, absolute agreement. A shift between occasions is an error.
    package let agreement: Estimate<Double>
    /// ICC(C,1) (ICC(3,1)): two-way, consistency. A shift between occasions is not an error.
    package let consistency: Estimate<Double>
    /// The number of people with a value for each occasion. The others are excluded.
    package let personCount: Int
    /// The number of occasions, at least 2.
    package let occasionCount: Int

    /// - Parameter table: one row per person, one column per occasion.
    /// - Throws: `.noValues`; `.tooFewValues` for fewer than two complete rows; `.tooFewItems` for fewer than two
    ///   columns; `.notFinite`.
    package init(_ table: ItemTable) throws(UndefinedStatistic) {
        let complete = try table.complete()
        guard complete.rowCount > 1 else { throw .tooFewValues }
        guard complete.itemCount > 1 else { throw .tooFewItems }
        personCount = complete.rowCount
        occasionCount = complete.itemCount
        let columns = complete.columns.map { $0.compactMap(\.self) }
        let people = Double(personCount)
        let occasions = Double(occasionCount)
        let squares = Squares(columns)
        let between = squares.rows / (people - 1)
        let within = (squares.columns + squares.residuals) / (people * (occasions - 1))
        let shift = squares.columns / (occasions - 1)
        let error = squares.residuals / ((people - 1) * (occasions - 1))
        func share(_ part: Double, _ whole: Double) throws(UndefinedStatistic) -> Double {
            guard part.isFinite, whole.isFinite else { throw .notFinite }
            guard whole != 0 else { throw .noVariation }
            return try (part / whole).finite()
        }
        oneWay = Estimate { () throws(UndefinedStatistic) in
            try share(between - within, between + (occasions - 1) * within)
        }
        agreement = Estimate { () throws(UndefinedStatistic) in
            try share(
                between - error,
                between + (occasions - 1) * error + occasions / people * (shift - error))
        }
        consistency = Estimate { () throws(UndefinedStatistic) in
            try share(between - error, between + (occasions - 1) * error)
        }
    }

    /// The sums of squares of a two-way table with one value per cell.
    private struct Squares {
        let rows: Double
        let columns: Double
        let residuals: Double

        init(_ table: [[Double]]) {
            let columnMeans = table.map { Moments.mean($0) }
            let mean = Moments.mean(columnMeans)
            let rowMeans = (0..<(table.first?.count ?? 0)).map { row in Moments.mean(table.map { $0[row] }) }
            rows = Double(table.count) * rowMeans.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            columns = Double(rowMeans.count) * columnMeans.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            residuals = zip(table, columnMeans).reduce(0) { sum, column in
                zip(column.0, rowMeans).reduce(sum) { sum, cell in
                    let residual = cell.0 - cell.1 - column.1 + mean
                    return sum + residual * residual
                }
            }
        }
    }
}
