/// The compact form of a sheet's states, as kept in the database; read by `AnswerCodec`.
package struct StoredAnswers: Sendable, Hashable {
    /// One per `AnswerCodec.slots`: a small value, or a `MissingReason`'s raw value (negative).
    package var slots: [Int16]
    /// One per item of type integer, decimal, quantity, date (days since 1970), time (seconds) and dateTime
    /// (milliseconds since 1970), in order.
    package var numbers: [Double?]
    /// linkId -> text of the string and text items that are answered, and own words of open choices. In a repeating
    /// group, and of a repeating item, the number of the instance stands behind: `name.2`.
    package var texts: [String: String]
    /// What has no slot: the answers in repeating groups, the values of repeating items, and the comparisons of rankings.
    package var repeated: [RepeatedAnswer]

    package init(
        slots: [Int16], numbers: [Double?], texts: [String: String], repeated: [RepeatedAnswer] = []
    ) {
        self.slots = slots
        self.numbers = numbers
        self.texts = texts
        self.repeated = repeated
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
    /// What is stored of this item's instances or values is not what its slot says, or none that it can have.
    case repeated(linkId: String)
}

extension AnswerCodec {
    /// What one number of `StoredAnswers.slots` means.
    package struct Slot: Sendable, Hashable {
        package enum Kind: Sendable, Hashable {
            /// The place of the chosen option, from 0.
            case choice
            /// 1 when `option` is among the chosen ones of a repeating item, else 0; `notShown` when it was not offered.
            case chosen
            /// 1 for true, 0 for false.
            case boolean
            /// The place of the chosen option, from 0, or the number of options for own words, which stand in `texts`.
            case openChoice
            /// 1 for a repeating open choice with own words, else 0.
            case words
            /// The place of the unit, from 0; the value stands in `numbers`.
            case unit
            /// The rank of `option`, from 1.
            case rank
            /// The number of instances or values, from 1; they stand in `repeated`.
            case count
            /// 0 when answered; the value stands in `numbers`.
            case number
            /// 0 when answered; the value stands in `texts`.
            case text
        }

        package let linkId: String
        package let kind: Kind
        /// The place of the option in the item, for `chosen` and `rank`.
        package let option: Int?
    }
}
