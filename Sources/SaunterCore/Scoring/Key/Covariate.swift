/// A property of a participant that norms and bands depend on, such as age, with its source.
package struct Covariate: Sendable, Hashable {
    /// Where the value comes from.
    package enum Source: Sendable, Hashable {
        /// An item of the scored sheet, by linkId: its number or the chosen code.
        case item(String)
        /// The participant's profile. The caller of the scoring engine passes the value.
        case profile
        /// The enrolment, for example its arm. The caller of the scoring engine passes the value.
        case enrolment
    }

    /// A `DefinitionName`. No scale has the same name. No item has it either, except the item that is the source.
    package var id: String
    /// Where its value comes from.
    package var source: Source
    /// The permitted codes; empty if the covariate is a number.
    package var codes: [String]

    /// - Parameters: see the properties.
    package init(id: String, source: Source, codes: [String] = []) {
        self.id = id
        self.source = source
        self.codes = codes
    }
}

/// The value of a covariate for one participant.
package enum CovariateValue: Sendable, Hashable {
    case number(Double)
    case code(String)
}
