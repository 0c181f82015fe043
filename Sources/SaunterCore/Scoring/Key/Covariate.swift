/// Something known of a person that norms and bands depend on, and where it is known from.
package struct Covariate: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        /// An item of the same sheet: what it counts, or the code that was chosen.
        case item(String)
        /// The participant's profile; given by whoever scores.
        case profile
        /// The enrolment, such as its arm; given by whoever scores.
        case enrolment
    }

    /// A name as scales have them; no item and no scale has it too, except the item that it comes from.
    package var id: String
    package var source: Source
    /// The codes that it can be; empty for a number.
    package var codes: [String]

    package init(id: String, source: Source, codes: [String] = []) {
        self.id = id
        self.source = source
        self.codes = codes
    }
}

/// What a covariate is for one person.
package enum CovariateValue: Sendable, Hashable {
    case number(Double)
    case code(String)
}
