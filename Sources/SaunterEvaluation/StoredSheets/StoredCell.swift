import SaunterCore

/// One cell of a row that is made from a stored sheet: how its text follows from the slots and numbers of the sheet.
enum StoredCell: Sendable, Hashable {
    /// The same text for every sheet; nil is blank.
    case fixed(String?)
    /// One of the texts: the first if the slot is `lowest`, the second if it is `lowest + 1`, and so on. Blank if the
    /// slot is outside this range.
    case coded(slot: Int, lowest: Int, texts: [String])
    /// The value of the slot. Blank if the slot contains a reason.
    case slot(Int)
    /// The number with this index, as the database writes it. Blank if the given slot contains a reason.
    case number(Int, unlessMissing: Int?)

    /// The reason why there is no answer. Blank if there is an answer.
    static func reason(slot: Int) -> StoredCell {
        let reasons = MissingReason.allCases.sorted { $0.rawValue < $1.rawValue }
        return .coded(slot: slot, lowest: reasons[0].rawValue, texts: reasons.map(\.code))
    }

    /// The chosen option of an item. For an open choice, the last text is `other`.
    static func option(slot: Int, of item: Item) -> StoredCell {
        let other = item.type == .openChoice ? [Item.otherCode] : []
        return .coded(slot: slot, lowest: 0, texts: item.answerOption.map(\.value.text) + other)
    }

    /// The unit of a quantity.
    static func unit(slot: Int, of item: Item) -> StoredCell {
        .coded(slot: slot, lowest: 0, texts: item.unitOption)
    }
}
