/// The standard error of measurement: the random deviation of a score from the true score.
package enum MeasurementError {
    /// SEM = SD·√(1−reliability).
    /// - Throws: `.noReliability` if the reliability is not between 0 and 1; `.notFinite` if the deviation is negative
    ///   or not finite.
    package static func standard(deviation: Double, reliability: Double) throws(UndefinedStatistic) -> Double
    {
        guard deviation.isFinite, deviation >= 0 else { throw .notFinite }
        guard reliability >= 0, reliability <= 1 else { throw .noReliability }
        return deviation * (1 - reliability).squareRoot()
    }
}
