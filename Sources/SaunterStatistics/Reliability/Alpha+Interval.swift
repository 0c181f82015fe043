extension Alpha {
    /// Feldt's interval (Feldt, Woodruff and Salih 1987): 1 − (1−α)·F, with the quantiles of F for n−1 and
    /// (n−1)(k−1) degrees of freedom.
    /// - Parameter level: 0.95 for the 95 % interval.
    /// - Throws: `.tooFewValues` below two sheets, `.notFinite` for a level that is not between 0 and 1,
    ///   `.noConvergence`.
    package func interval(level: Double = 0.95) throws(Gap) -> ClosedRange<Double> {
        guard sheetCount > 1 else { throw .tooFewValues }
        let freedom = Double(sheetCount - 1)
        guard let distribution = FDistribution(freedom, freedom * Double(itemCount - 1)) else {
            throw .notFinite
        }
        let tail = (1 - level) / 2
        let upper = 1 - (1 - value) * (try distribution.quantile(tail))
        let lower = 1 - (1 - value) * (try distribution.quantile(1 - tail))
        // With alpha above 1, which pairwise covariances can give, the ends change places.
        return try min(lower.finite(), upper.finite())...max(lower, upper)
    }
}
