import SaunterCore

extension Item {
    /// Takes one property away that a fault names.
    /// - Parameters:
    ///   - place: which of its options or conditions.
    ///   - member: which member of that option.
    /// - Returns: the property's name, empty where nothing was there any more; nil where it cannot be spared.
    mutating func strip(_ name: String, at place: Int?, _ member: String?, _ fault: Fault) -> String? {
        switch name {
        case "required": required = false
        case "repeats": (repeats, minOccurs, maxOccurs) = (false, nil, nil)
        case "minOccurs", "maxOccurs": (minOccurs, maxOccurs) = (nil, nil)
        case "enableWhen": (enableWhen, enableBehavior) = ([], .all)
        case "enableWhenExpression": enableWhenExpression = nil
        case "initial": initial = nil
        case "minValue", "maxValue": (minValue, maxValue) = (nil, nil)
        case "minLength", "maxLength": (minLength, maxLength) = (nil, nil)
        case "regex": regex = nil
        case "maxDecimalPlaces": maxDecimalPlaces = nil
        case "step": step = nil
        case "unit": unit = nil
        case "shuffle": shuffle = false
        case "media": media = nil
        case "unitOption":
            guard type == .quantity else {
                unitOption = []
                break
            }
            if let place, unitOption.indices.contains(place), unitOption.count > 1 {
                unitOption.remove(at: place)
                break
            }
            (type, unitOption) = (.decimal, [])
        case "item" where type == .group && item.isEmpty: (type, repeats) = (.display, false)
        case "answerOption": return strip(option: place, member)
        default: return nil
        }
        return name
    }

    private mutating func strip(option place: Int?, _ member: String?) -> String? {
        guard let place, answerOption.indices.contains(place), let member, member != "value" else {
            // Without options that can be told apart it is asked in own words.
            guard type.hasOptions else { return "" }
            (type, answerOption, initial, shuffle, repeats) = (.string, [], nil, false, false)
            return "answerOption"
        }
        switch member {
        case "weight": answerOption[place].weight = nil
        case "exclusive": answerOption[place].exclusive = false
        default: answerOption[place].enableWhen = []
        }
        return "answerOption/\(place)/\(member)"
    }
}
