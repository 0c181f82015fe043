import SaunterCore

/// What an option says besides its value and its words.
extension FHIRReading {
    /// Addresses under which our own export writes what FHIR R4 has no word for.
    static let conditionAddress = "urn:saunter:option-enable-when"
    static let behaviorAddress = "urn:saunter:option-enable-behavior"
    static let labelAddress = "urn:saunter:option-label"

    /// Whether our own export wrote a ranking as a choice.
    static func isRanking(_ object: JSONObject) -> Bool {
        (object["extension"]?.array ?? []).contains {
            $0["url"] == "urn:saunter:ranking" && $0["valueBoolean"] == true
        }
    }

    /// What an option is called there, before it becomes a name; empty where it has no value.
    static func code(of option: JSONObject) -> String {
        guard let value = option.first(where: { $0.name.hasPrefix("value") })?.value else { return "" }
        if let number = value.int { return String(number) }
        return value.string ?? value["code"]?.string ?? ""
    }

    /// The conditions under which options are offered, as our own export writes them. Of an option all are taken, or none.
    mutating func conditions(ofOptionsOf item: inout Item, _ source: JSONObject) {
        guard let list = source["answerOption"]?.array else { return }
        for (place, index) in zip(item.answerOption.indices, optionPlaces[item.linkId] ?? [])
        where list.indices.contains(index) {
            let here = "\(places[item.linkId] ?? self.place)/answerOption/\(index)/extension"
            var conditions: [Condition] = []
            var behavior = EnableBehavior.all
            var unread: Int?
            for (spot, element) in (list[index]["extension"]?.array ?? []).enumerated() {
                switch element["url"]?.string {
                case Self.conditionAddress:
                    if let condition = optionCondition(element) {
                        conditions.append(condition)
                    } else {
                        unread = unread ?? spot
                    }
                case Self.behaviorAddress:
                    if let read = element["valueCode"]?.string.flatMap({ EnableBehavior(rawValue: $0) }) {
                        behavior = read
                    } else {
                        unread = unread ?? spot
                    }
                default: break
                }
            }
            if let unread {
                remark(
                    Remark(
                        place: "\(here)/\(unread)",
                        detail: "this option is offered whatever was answered: "
                            + "its conditions are kept without effect, because this cannot be read"))
            } else if !conditions.isEmpty {
                item.answerOption[place].enableWhen = conditions
                item.answerOption[place].enableBehavior = behavior
            }
        }
    }

    /// An element of `enableWhen`, as a text.
    private func optionCondition(_ element: JSON) -> Condition? {
        guard let text = element["valueString"]?.string, let read = try? JSONReader.read(text) else {
            return nil
        }
        return condition(read)
    }
}
