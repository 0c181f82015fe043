import SaunterCore

/// The option codes of a choice item with several answers, or of a ranking, if all are whole numbers and at least one
/// is negative. The codes of these items are part of column names. A column name cannot contain a minus sign, so the
/// option -2 is named `minus_2`. In a choice item the number becomes the weight of the option, so that scores stay the
/// same. The codes of FHIR codings are treated in the same way for all choice items, also those with a single answer.
struct NegativeOptionCodes {
    private static let range = -1_000_000_000...1_000_000_000

    /// The whole numbers that are allowed as option codes of an item.
    static func range(of item: Item) -> ClosedRange<Int> {
        range(isPartOfColumnName: item.isByOption)
    }

    /// - Parameter isPartOfColumnName: whether the option code is part of a column name. Such a code must not be
    ///   negative.
    static func range(isPartOfColumnName: Bool) -> ClosedRange<Int> {
        isPartOfColumnName ? 0...1_000_000_000 : range
    }

    /// Code in the source -> weight of its option. Empty if no code is negative or a code is not a whole number, and
    /// for rankings, which have no weights.
    let weights: [String: Double]
    /// The remark about the item; nil if there is none.
    let remark: String?

    init(_ codes: [String], areRanked: Bool = false) {
        var numbers: [String: Int] = [:]
        for code in codes {
            if let number = Int(code), String(number) == code, Self.range.contains(number) {
                numbers[code] = number
            }
        }
        guard codes.allSatisfy({ numbers[$0] != nil }), numbers.values.contains(where: { $0 < 0 }) else {
            weights = [:]
            remark = nil
            return
        }
        let names = "negative codes are named minus_1, minus_2 and so on"
        if areRanked {
            weights = [:]
            remark = names
        } else {
            weights = numbers.mapValues { Double($0) }
            remark = "\(names), and the number of each option becomes its weight, unless it has one"
        }
    }
}
