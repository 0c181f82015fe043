import SaunterCore

/// The SQL expression over the raw row `r` (`slots`, `numbers`, `version`) for one cell of a wide file: its value, or
/// the reason why it is blank. Queries use it to compare and count. `StoredLayout` must produce the same cells.
struct CellExpression {
    let history: ItemHistory
    /// The option of the column, if several options can be chosen.
    let option: OptionValue?

    /// The value. Null if the item is not answered.
    func value(versions: [String]) -> String {
        byVersion(versions, missing: "null") { appearance in value(appearance) ?? "null" }
    }

    /// The code of the reason. Null if there is a value.
    func reason(versions: [String]) -> String {
        byVersion(versions, missing: SQLText.literal(MissingReason.notInVersion.code)) { appearance in
            guard let slot = appearance.slot(of: option) else {
                return SQLText.literal(MissingReason.notInVersion.code)
            }
            return "(\(Self.codes))[r.slots[\(slot + 1)] + 1000]"
        }
    }

    /// The reasons from −999 upwards. The slot of an answered item is beyond the end of the array, which returns null.
    private static let codes: String = {
        let reasons = MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }
        return "array[\(reasons.map { SQLText.literal($0.code) }.joined(separator: ", "))]"
    }()

    private func byVersion(
        _ versions: [String], missing: String, _ cell: (ItemHistory.Appearance) -> String
    ) -> String {
        if versions.count == 1, let only = history.appearances.first { return cell(only) }
        let cases = history.appearances.map { "when \(SQLText.literal($0.version)) then (\(cell($0)))::text" }
        return "case r.version \(cases.joined(separator: " ")) else \(missing) end"
    }

    private func value(_ appearance: ItemHistory.Appearance) -> String? {
        switch WideTables.ItemColumn(history: history, option: option).value(in: appearance) {
        case .fixed: return nil
        case .slot(let slot): return "case when r.slots[\(slot + 1)] >= 0 then r.slots[\(slot + 1)] end"
        // A negative slot is before the beginning of the array, which returns null.
        case .coded(let slot, _, let texts):
            let isNumeric = option == nil && appearance.item.hasNumericOptions
            return "(\(isNumeric ? Self.numbers(texts) : Self.texts(texts)))[r.slots[\(slot + 1)] + 1]"
        case .number(let index, _): return StoredNumber(type: appearance.item.type, index: index).value
        }
    }

    private static func texts(_ texts: [String]) -> String {
        "array[\(texts.map(SQLText.literal).joined(separator: ", "))]::text[]"
    }

    private static func numbers(_ texts: [String]) -> String {
        let type = texts.allSatisfy { Int32($0) != nil } ? "integer" : "bigint"
        return "array[\(texts.joined(separator: ", "))]::\(type)[]"
    }
}

extension Item {
    /// Whether all answers are options that are numbers.
    fileprivate var hasNumericOptions: Bool {
        type.form == .options && !type.acceptsFreeText && answerOption.allSatisfy(\.value.isNumber)
    }
}
