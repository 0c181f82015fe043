import SaunterCore

/// `meta/missing_codes.csv`: why a value is blank, as a word, as a number for SPSS and as a letter for Stata.
enum MissingCodes {
    static var csv: [UInt8] {
        var text = CSVText(header: ["code", "spss", "stata", "label"])
        for reason in MissingReason.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            text.add([reason.code, String(reason.rawValue), reason.stata, reason.label])
        }
        return text.bytes
    }
}

extension MissingReason {
    /// Stata's extended missing value.
    var stata: String {
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
        }
    }

    /// In words.
    var label: String {
        switch self {
        case .notInVersion: "The version that was answered has no such item"
        case .notShown: "By its conditions the item or option was not shown"
        case .notReached: "The sheet ended before the item"
        case .skipped: "Shown and left blank"
        case .refused: "Declined to answer"
        case .dontKnow: "Does not know"
        case .notApplicable: "Does not apply"
        case .invalid: "The value could not be one of this item"
        case .redacted: "Deleted by the participant, or taken out afterwards"
        case .withdrawn: "Taken out at the participant's wish"
        }
    }
}
