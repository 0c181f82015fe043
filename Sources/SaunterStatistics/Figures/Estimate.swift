/// A figure, or why there is none.
package typealias Estimate<Value> = Result<Value, Gap>

extension Result where Failure == Gap {
    /// The figure, if there is one.
    package var value: Success? {
        if case .success(let value) = self { value } else { nil }
    }

    /// Why there is none, if there is none.
    package var gap: Gap? {
        if case .failure(let gap) = self { gap } else { nil }
    }
}

extension Double {
    /// Itself.
    /// - Throws: `.notFinite` for an infinity or what is no number.
    func finite() throws(Gap) -> Double {
        guard isFinite else { throw .notFinite }
        return self
    }
}
