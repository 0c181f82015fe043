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
        guard let slot = appearance.slot(of: option) else { return nil }
        let stored = "r.slots[\(slot + 1)]"
        if appearance.item.isList || appearance.item.isRepeatingGroup {
            return "case when \(stored) >= 0 then \(stored) end"
        }
        switch appearance.item.type {
        case .choice where option != nil, .openChoice where option != nil, .ranking:
            return "case when \(stored) >= 0 then \(stored) end"
        case .choice: return "(\(Self.values(appearance.item)))[\(stored) + 1]"
        case .openChoice:
            return
                "(\(Self.texts(appearance.item.answerOption.map(\.value.text) + [Item.otherCode])))[\(stored) + 1]"
        case .quantity where option != nil:
            return "(\(Self.texts(appearance.item.unitOption)))[\(stored) + 1]"
        case .boolean: return "case when \(stored) >= 0 then \(stored) end"
        case .integer, .decimal, .quantity, .date, .time, .dateTime:
            return StoredNumber(type: appearance.item.type, index: appearance.number ?? 0).value
        case .group, .display, .string, .text, .location: return nil
        }
    }

    private static func texts(_ texts: [String]) -> String {
        "array[\(texts.map(SQLText.literal).joined(separator: ", "))]::text[]"
    }

    /// The values of the options in storage order. A negative slot is before the beginning of the array, which returns
    /// null.
    private static func values(_ item: Item) -> String {
        let texts = item.answerOption.map(\.value.text)
        let numbers = item.answerOption.compactMap { option -> Int? in
            if case .integer(let value) = option.value { value } else { nil }
        }
        guard numbers.count == texts.count else {
            return Self.texts(texts)
        }
        let type = numbers.allSatisfy { Int32(exactly: $0) != nil } ? "integer" : "bigint"
        return "array[\(texts.joined(separator: ", "))]::\(type)[]"
    }
}
