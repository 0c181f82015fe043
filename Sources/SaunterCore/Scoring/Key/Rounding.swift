/// The direction of rounding.
package enum RoundingMode: String, Sendable, Hashable, CaseIterable {
    /// To the nearest number; a tie goes to the even digit.
    case halfEven = "half_even"
    /// To the nearest number; a tie goes away from zero.
    case halfUp = "half_up"
    /// Toward zero.
    case down
    /// Away from zero.
    case up
}

/// The number of decimal places of a score, and the rounding mode.
package struct Rounding: Sendable, Hashable {
    /// Decimal places, 0…9.
    package var places: Int
    /// What happens to ties and to the discarded digits.
    package var mode: RoundingMode

    /// - Parameter places: decimal places, 0…9.
    package init(places: Int, mode: RoundingMode) {
        self.places = places
        self.mode = mode
    }
}
