/// A statistic, or the reason why it is undefined.
package typealias Estimate<Value> = Result<Value, UndefinedStatistic>

extension Result where Failure == UndefinedStatistic {
    /// The statistic; nil if it is undefined.
    package var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }

    /// The reason why the statistic is undefined; nil if it is defined.
    package var undefined: UndefinedStatistic? {
        if case .failure(let undefined) = self { undefined } else { nil }
    }
}

extension Double {
    /// Returns the number itself.
    /// - Throws: `.notFinite` if the number is infinite or NaN.
    func finite() throws(UndefinedStatistic) -> Double {
        guard isFinite else { throw .notFinite }
        return self
    }
}
