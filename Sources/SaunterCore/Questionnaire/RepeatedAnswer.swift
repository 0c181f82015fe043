/// One stored value that has no slot, as a row of the dataset.
package struct RepeatedAnswer: Sendable, Hashable {
    package var linkId: String
    /// From 1.
    package var instance: Int
    /// The code of the option where several may be chosen, `unit` for the unit of a quantity, `shown_first` and
    /// `time_ms` for what else is told of a comparison, else empty.
    package var option: String
    /// As `ItemType.storedName`.
    package var type: String
    /// As in the dataset; nil where it is missing, and for texts, which stand apart.
    package var value: String?
    package var missing: MissingReason?

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

    /// The name of one instance of an item, as in `dose.2`.
    static func name(_ linkId: String, _ instance: Int) -> String { "\(linkId).\(instance)" }

    /// Reads what `json` wrote; nil for anything else.
    package init?(_ json: JSON) {
        guard let linkId = json["item"]?.string, let instance = json["instance"]?.int,
            let option = json["option"]?.string, let type = json["type"]?.string
        else { return nil }
        self.init(
            linkId: linkId, instance: instance, option: option, type: type, value: json["value"]?.string,
            missing: json["missing"]?.string.flatMap(MissingReason.init(code:)))
    }

    /// The form in the database.
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
    /// The column `repeated`; nil where there is nothing to say.
    package var repeatedJSON: JSON? { repeated.isEmpty ? nil : .array(repeated.map(\.json)) }

    /// Takes in the column `repeated`; rows that are none are left out, which decoding then finds.
    package mutating func take(repeated json: JSON?) {
        repeated = (json?.array ?? []).compactMap { RepeatedAnswer($0) }
    }
}

extension ItemType {
    /// The name in the dataset and in stored rows.
    package var storedName: String {
        switch self {
        case .dateTime: "date_time"
        case .openChoice: "open_choice"
        default: rawValue
        }
    }
}
