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
        let other = item.type.acceptsFreeText ? [Item.otherCode] : []
        return .coded(slot: slot, lowest: 0, texts: item.answerOption.map(\.value.text) + other)
    }

    /// The unit of a quantity.
    static func unit(slot: Int, of item: Item) -> StoredCell {
        .coded(slot: slot, lowest: 0, texts: item.unitOption)
    }
}

extension Item {
    /// The cells of the answer, one for each row of `answers.csv`. Their slots contain the reason if it is missing.
    func storedCells(_ codec: AnswerCodec) -> [(option: String, slot: Int, cell: StoredCell)] {
        guard let slot = codec.slotIndex(of: linkId) else { return [] }
        let number = StoredCell.number(codec.numberIndex(of: linkId) ?? 0, unlessMissing: slot)
        switch slotKind {
        case .count, .boolean: return [("", slot, .slot(slot))]
        case .chosen, .freeText, .rank:
            let codes = answerOption.map(\.value.text) + (type.acceptsFreeText ? [Item.otherCode] : [])
            return codes.enumerated().map { ($1, slot + $0, .slot(slot + $0)) }
        case .choice, .openChoice: return [("", slot, .option(slot: slot, of: self))]
        case .number: return [("", slot, number)]
        case .unit: return [("", slot, number), (Item.unitCode, slot, .unit(slot: slot, of: self))]
        // Other tables contain texts and locations.
        case .text, .location: return [("", slot, .fixed(nil))]
        }
    }
}
