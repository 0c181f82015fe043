/// The reliable change index (Jacobson and Truax 1991): whether a person's change is greater than the measurement
/// error.
package struct ReliableChange: Sendable, Hashable {
    /// √2·SEM: the standard error of the difference of two scores of a person who did not change.
    package let errorOfDifference: Double
    /// The smallest change that is reliable at the 5 % level: 1.96 × the standard error of the difference.
    package var smallestReliable: Double { Self.critical * errorOfDifference }

    private static let critical = 1.959963984540054

    /// - Parameters:
    ///   - deviation: the standard deviation of the scores before, with n − 1.
    ///   - reliability: alpha or a test-retest correlation. A report must name which one.
    /// - Throws: the errors of `MeasurementError.standard`; `.noVariation` if the error is zero.
    package init(deviation: Double, reliability: Double) throws(UndefinedStatistic) {
        errorOfDifference =
            try MeasurementError.standard(deviation: deviation, reliability: reliability)
            * 2.0.squareRoot()
        guard errorOfDifference > 0 else { throw .noVariation }
    }

    /// (after − before) / standard error of the difference. Beyond ±1.96 the change is reliable at the 5 % level.
    /// - Throws: `.notFinite`.
    package func index(before: Double, after: Double) throws(UndefinedStatistic) -> Double {
        try ((after - before) / errorOfDifference).finite()
    }
}
