/// Where a decimal goes that lies between two that can be written.
package enum RoundingMode: String, Sendable, Hashable, CaseIterable {
    /// To the nearest; a tie to the even digit.
    case halfEven = "half_even"
    /// To the nearest; a tie away from zero.
    case halfUp = "half_up"
    /// Toward zero.
    case down
    /// Away from zero.
    case up
}

/// To how many decimal places a score is rounded, and how.
package struct Rounding: Sendable, Hashable {
    /// Decimal places, 0…9.
    package var places: Int
    package var mode: RoundingMode

    package init(places: Int, mode: RoundingMode) {
        self.places = places
        self.mode = mode
    }
}
