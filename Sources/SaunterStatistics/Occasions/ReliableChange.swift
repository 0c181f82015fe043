/// Whether one person's change is more than error of measurement (Jacobson and Truax 1991).
package struct ReliableChange: Sendable, Hashable {
    /// √2·SEM: how far two scores of an unchanged person differ.
    package let errorOfDifference: Double
    /// The smallest change that is reliable at 5 %: 1.96 times that error.
    package var smallestReliable: Double { Self.critical * errorOfDifference }

    private static let critical = 1.959963984540054

    /// - Parameters:
    ///   - deviation: of the scores before, n − 1.
    ///   - reliability: alpha or a test-retest correlation; whoever reports the index names which.
    /// - Throws: as `MeasurementError.standard`; `.noVariation` when no error is left to divide by.
    package init(deviation: Double, reliability: Double) throws(Gap) {
        errorOfDifference =
            try MeasurementError.standard(deviation: deviation, reliability: reliability)
            * 2.0.squareRoot()
        guard errorOfDifference > 0 else { throw .noVariation }
    }

    /// (after − before) / error of the difference; beyond ±1.96 it is reliable at 5 %.
    /// - Throws: `.notFinite`.
    package func index(before: Double, after: Double) throws(Gap) -> Double {
        try ((after - before) / errorOfDifference).finite()
    }
}
