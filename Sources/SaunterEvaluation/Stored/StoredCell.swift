import SaunterCore

/// One cell of a row that is made of a stored sheet: what is written there, by the sheet's slots or numbers.
enum StoredCell: Sendable, Hashable {
    /// The same on every sheet; nil is blank.
    case fixed(String?)
    /// One of the texts, the first for a slot that holds `lowest`; blank for what lies beyond them.
    case coded(slot: Int, lowest: Int, texts: [String])
    /// What the slot holds; blank when that is a reason.
    case slot(Int)
    /// A number as the database writes it; blank when the slot holds a reason.
    case number(Int, unlessMissing: Int?)

    /// Why there is no answer; blank when there is one.
    static func reason(slot: Int) -> StoredCell {
        let reasons = MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }
        return .coded(slot: slot, lowest: reasons[0].rawValue, texts: reasons.map(\.code))
    }

    /// The option that was chosen of those of an item; behind them stand own words.
    static func option(slot: Int, of item: Item) -> StoredCell {
        let other = item.type == .openChoice ? [Item.otherCode] : []
        return .coded(slot: slot, lowest: 0, texts: item.answerOption.map(\.value.text) + other)
    }

    /// The unit of a quantity.
    static func unit(slot: Int, of item: Item) -> StoredCell {
        .coded(slot: slot, lowest: 0, texts: item.unitOption)
    }
}
