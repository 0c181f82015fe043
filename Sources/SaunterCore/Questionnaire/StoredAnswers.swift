/// The compact form of a sheet's states, as kept in the database; read by `AnswerCodec`.
package struct StoredAnswers: Sendable, Hashable {
    /// One per `AnswerCodec.slots`: a small value, or a `MissingReason`'s raw value (negative).
    package var slots: [Int16]
    /// One per item of type integer, decimal, date (days since 1970), time (seconds) and dateTime
    /// (milliseconds since 1970), in order.
    package var numbers: [Double?]
    /// linkId -> text of the string and text items that are answered.
    package var texts: [String: String]

    package init(slots: [Int16], numbers: [Double?], texts: [String: String]) {
        self.slots = slots
        self.numbers = numbers
        self.texts = texts
    }
}

/// Stored answers that do not fit their questionnaire: another version's, or damaged. Names the place, never
/// a value.
package enum StoredAnswersFault: Error, Sendable, Hashable {
    case slotCount(expected: Int, got: Int)
    case numberCount(expected: Int, got: Int)
    /// A slot of this item holds a value that the item cannot have.
    case slot(linkId: String)
    /// The number of this item is absent or not one of its type.
    case number(linkId: String)
    /// The text of this item is absent.
    case text(linkId: String)
}

extension AnswerCodec {
    /// What one number of `StoredAnswers.slots` means.
    package struct Slot: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// The place of the chosen option, from 0.
            case choice
            /// 1 when `option` is among the chosen ones of a repeating item, else 0.
            case chosen
            /// 1 for true, 0 for false.
            case boolean
            /// 0 when answered; the value stands in `numbers`.
            case number
            /// 0 when answered; the value stands in `texts`.
            case text
        }

        package let linkId: String
        package let kind: Kind
        /// The place of the option in the item, for `chosen`.
        package let option: Int?
    }
}
