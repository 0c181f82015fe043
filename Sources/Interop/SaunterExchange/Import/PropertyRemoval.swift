import SaunterCore

extension Item {
    /// Removes the property that a fault names, so that the item becomes valid.
    /// - Parameters:
    ///   - name: the property.
    ///   - index: the index of the answer option, unit or condition that has the fault. Other properties are removed
    ///     completely, and so are all conditions if one is invalid.
    ///   - member: the member of that answer option.
    /// - Returns: the path of the invalid part in the item, such as `step` or `answerOption/2/weight`; empty if it was
    ///   already removed; nil if the property is unknown or the item needs it.
    mutating func removeProperty(_ name: String, at index: Int?, _ member: String?) -> String? {
        switch name {
        case "required": required = false
        case "repeats": (repeats, minOccurs, maxOccurs) = (false, nil, nil)
        case "minOccurs", "maxOccurs": (minOccurs, maxOccurs) = (nil, nil)
        case "enableWhen":
            (enableWhen, enableBehavior) = ([], .all)
            return index.map { "enableWhen/\($0)" } ?? name
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
        case "decimals": decimals = nil
        case "data_kind": dataKind = nil
        case "unitOption":
            guard type.hasUnits else {
                unitOption = []
                break
            }
            if let index, unitOption.indices.contains(index), unitOption.count > 1 {
                unitOption.remove(at: index)
                break
            }
            (type, unitOption) = (.decimal, [])
        case "item" where type == .group && item.isEmpty: (type, repeats) = (.display, false)
        case "answerOption": return removeOptionProperty(at: index, member)
        default: return nil
        }
        return name
    }

    private mutating func removeOptionProperty(at index: Int?, _ member: String?) -> String? {
        guard let index, answerOption.indices.contains(index), let member, member != "value" else {
            // Options without usable codes cannot be chosen, so the question becomes a free-text question.
            guard type.hasOptions else { return "" }
            (type, answerOption, initial, shuffle, repeats) = (.string, [], nil, false, false)
            return "answerOption"
        }
        switch member {
        case "weight": answerOption[index].weight = nil
        case "exclusive": answerOption[index].exclusive = false
        case "media": answerOption[index].media = nil
        default: answerOption[index].enableWhen = []
        }
        return "answerOption/\(index)/\(member)"
    }
}
