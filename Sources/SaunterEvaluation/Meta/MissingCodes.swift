import SaunterCore
import SaunterStatisticsFiles

/// `meta/missing_codes.csv`: the reasons for blank values, each with a word, a number for SPSS and a letter for Stata.
enum MissingCodes {
    static var csv: [UInt8] {
        var text = CSVText(header: ["code", "spss", "stata", "label"])
        for reason in MissingReason.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            text.add([reason.code, String(reason.rawValue), reason.stata, reason.label])
        }
        return text.bytes
    }
}
