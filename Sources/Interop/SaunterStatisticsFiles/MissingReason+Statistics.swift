import SaunterCore

extension MissingReason {
    /// The extended missing value of Stata.
    package var stata: String {
        switch self {
        case .notInVersion: ".v"
        case .notShown: ".n"
        case .notReached: ".z"
        case .skipped: ".s"
        case .refused: ".r"
        case .dontKnow: ".d"
        case .notApplicable: ".a"
        case .invalid: ".i"
        case .redacted: ".x"
        case .withdrawn: ".w"
        case .noConsent: ".c"
        }
    }

    /// The letter of Stata's extended missing value.
    var stataTag: CChar { CChar(bitPattern: stata.utf8.last ?? UInt8(ascii: "z")) }

    /// The reason in words.
    package var label: String {
        switch self {
        case .notInVersion: "The version that was answered has no such item"
        case .notShown: "The conditions of the item or option hid it"
        case .notReached: "The sheet ended before the item"
        case .skipped: "Shown and left blank"
        case .refused: "Declined to answer"
        case .dontKnow: "Does not know"
        case .notApplicable: "Does not apply"
        case .invalid: "The value is not permitted for the item"
        case .redacted: "Deleted by the participant, or removed later"
        case .withdrawn: "Removed at the participant's request"
        case .noConsent: "The participant does not permit this kind of data"
        }
    }

    /// All reasons in ascending order of their numbers.
    static var ordered: [MissingReason] { allCases.sorted { $0.rawValue < $1.rawValue } }
}
