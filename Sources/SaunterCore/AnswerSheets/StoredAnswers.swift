/// The compact form of a sheet, as the database stores it. `AnswerCodec` creates and reads it.
package struct StoredAnswers: Sendable, Hashable {
    /// One number for each element of `AnswerCodec.slots`: a small value, or the raw value of a `MissingReason`, which
    /// is negative.
    package var slots: [Int16]
    /// One number for each item with a numeric type, in order: integer, decimal, quantity, date (days since 1970), time
    /// (seconds since midnight) and dateTime (milliseconds since 1970). A location has three: latitude, longitude, and
    /// accuracy in metres, which is nil if the client did not record it.
    package var numbers: [Double?]
    /// linkId -> the text of an answered string or text item, or the free text of an open choice. In a repeating group
    /// and for a repeating item, the number of the instance follows: `name.2`.
    package var texts: [String: String]
    /// The answers without a slot: answers in repeating groups, values of repeating items, comparisons of rankings, and
    /// ranks and comparisons of compared lists.
    package var repeated: [RepeatedAnswer]

    /// Creates the stored form; by default without repeating parts.
    package init(
        slots: [Int16], numbers: [Double?], texts: [String: String], repeated: [RepeatedAnswer] = []
    ) {
        self.slots = slots
        self.numbers = numbers
        self.texts = texts
        self.repeated = repeated
    }
}

/// Stored answers that do not fit their questionnaire, because they belong to another version or are damaged. It names
/// the item, but never a value.
package enum StoredAnswersFault: Error, Sendable, Hashable {
    case slotCount(expected: Int, actual: Int)
    case numberCount(expected: Int, actual: Int)
    /// A slot of this item contains an impossible value.
    case slot(linkId: String)
    /// The number of this item is absent, or impossible for its type.
    case number(linkId: String)
    /// The text of this item is absent.
    case text(linkId: String)
    /// The stored instances or values of this item are impossible, or do not match its slot.
    case repeated(linkId: String)
}

extension AnswerCodec {
    /// The meaning of one number of `StoredAnswers.slots`.
    package struct Slot: Sendable, Hashable {
        /// The meaning of the number.
        package enum Kind: Sendable, Hashable {
            /// The index of the chosen option.
            case choice
            /// 1 if `option` is chosen in a repeating item, otherwise 0; `notShown` if the option was not offered.
            case chosen
            /// 1 for true, 0 for false.
            case boolean
            /// The index of the chosen option, or the number of options for free text, which is in `texts`.
            case openChoice
            /// 1 if a repeating open choice has free text, otherwise 0.
            case freeText
            /// The index of the unit. The value is in `numbers`.
            case unit
            /// The rank of `option`, from 1.
            case rank
            /// The number of instances or values, from 1. They are in `repeated`.
            case count
            /// 0 if the item is answered. The value is in `numbers`.
            case number
            /// 0 if the item is answered. The coordinates are in `numbers`.
            case location
            /// 0 if the item is answered. The value is in `texts`.
            case text
        }

        /// The item of the slot.
        package let linkId: String
        /// The meaning of the number.
        package let kind: Kind
        /// The index of the option in the item, for `chosen` and `rank`.
        package let option: Int?
    }
}

/// One stored value without a slot. It is a row of the dataset.
package struct RepeatedAnswer: Sendable, Hashable {
    /// The item.
    package var linkId: String
    /// The number of the instance, from 1.
    package var instance: Int
    /// The code of the option, if several options can be chosen. Further values: `unit` for the unit of a quantity;
    /// `lon` and `accuracy_m` for those parts of a location; `shown_first` and `time_ms` for details of a comparison;
    /// `rank` and `comparison` for a compared list; otherwise empty.
    package var option: String
    /// The type name, see `ItemType.storedName`.
    package var type: String
    /// The value as in the dataset. Nil if it is missing, and nil for texts, which are in `StoredAnswers.texts`. The
    /// parts of a location are not in the dataset's tables of answers.
    package var value: String?
    /// Why there is no value; nil if there is one.
    package var missing: MissingReason?

    /// Creates one answer in a repeating part; by default a missing one without an option.
    package init(
        linkId: String, instance: Int, option: String = "", type: String, value: String? = nil,
        missing: MissingReason? = nil
    ) {
        self.linkId = linkId
        self.instance = instance
        self.option = option
        self.type = type
        self.value = value
        self.missing = missing
    }

    /// The name of one instance of an item, such as `dose.2`.
    static func name(_ linkId: String, _ instance: Int) -> String { "\(linkId).\(instance)" }

    /// Parses the output of `json`. Returns nil for any other value.
    package init?(_ json: JSON) {
        guard let linkId = json["item"]?.string, let instance = json["instance"]?.int,
            let option = json["option"]?.string, let type = json["type"]?.string
        else { return nil }
        self.init(
            linkId: linkId, instance: instance, option: option, type: type, value: json["value"]?.string,
            missing: json["missing"]?.string.flatMap(MissingReason.init(code:)))
    }

    /// The JSON form in the database.
    package var json: JSON {
        var object: JSONObject = [
            "item": .string(linkId), "instance": .int(instance), "option": .string(option),
            "type": .string(type),
        ]
        object.add("value", value.map(JSON.string))
        object.add("missing", missing.map { .string($0.code) })
        return .object(object)
    }
}

extension StoredAnswers {
    /// The value of the column `repeated`; nil if there are no rows.
    package var repeatedJSON: JSON? { repeated.isEmpty ? nil : .array(repeated.map(\.json)) }

    /// Sets `repeated` from the value of the column. Invalid rows are skipped; decoding then reports them as absent.
    package mutating func setRepeated(_ json: JSON?) {
        repeated = (json?.array ?? []).compactMap { RepeatedAnswer($0) }
    }
}
