/// How far a score lies from the true one by chance.
package enum MeasurementError {
    /// SEM = SD·√(1−reliability).
    /// - Throws: `.noReliability` outside of 0 to 1, `.notFinite` for a deviation that is negative or no number.
    package static func standard(deviation: Double, reliability: Double) throws(Gap) -> Double {
        guard deviation.isFinite, deviation >= 0 else { throw .notFinite }
        guard reliability >= 0, reliability <= 1 else { throw .noReliability }
        return deviation * (1 - reliability).squareRoot()
    }
}
