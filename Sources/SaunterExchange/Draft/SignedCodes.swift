import SaunterCore

/// Codes of a list of options that are whole numbers, some of them negative, where options name columns: several may be chosen, or they are ranked.
/// Names have no sign, so -2 is called `minus_2`; what a key would count stays its number, as a weight.
struct SignedCodes {
    private static let range = -1_000_000_000...1_000_000_000

    /// Whole numbers that the options of an item may be as they are.
    static func range(of item: Item) -> ClosedRange<Int> {
        range(areNamed: item.repeats || item.type == .ranking)
    }

    static func range(areNamed: Bool) -> ClosedRange<Int> { areNamed ? 0...1_000_000_000 : range }

    /// Code there -> what its option counts; empty where the codes are no such list, and where options are ranked, which
    /// count nothing.
    let weights: [String: Double]
    /// What is to be said of the item; nil where there is nothing.
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
        let names = "its negative codes are named minus_1, minus_2 and so on"
        if areRanked {
            weights = [:]
            remark = names
        } else {
            weights = numbers.mapValues { Double($0) }
            remark = "\(names), and every option without a weight has its number as one"
        }
    }
}
