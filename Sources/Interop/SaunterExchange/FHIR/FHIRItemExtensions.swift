import SaunterCore

/// Reads the extensions of items.
extension FHIRQuestionnaireReader {
    /// Applies the extensions of an item.
    /// - Returns: the URLs of the extensions that were imported.
    static func applyExtensions(to item: inout Item, _ object: JSONObject) -> Set<String> {
        var imported: Set<String> = []
        for element in object["extension"]?.array ?? [] {
            guard let url = element["url"]?.string,
                let value = element.object?.first(where: { $0.name.hasPrefix("value") })?.value
            else { continue }
            let name = Self.name(url)
            if !isQuantityBound(name), apply(name, value, to: &item) { imported.insert(url) }
        }
        // The bounds are read last, because the extensions for units may follow them.
        let units = FHIRUnits(of: item, object)
        for element in object["extension"]?.array ?? [] {
            guard let url = element["url"]?.string, isQuantityBound(Self.name(url)),
                let value = element["valueQuantity"].flatMap({ units.bound($0) })
            else { continue }
            if Self.name(url).hasSuffix("minQuantity") {
                item.minValue = value
            } else {
                item.maxValue = value
            }
            imported.insert(url)
        }
        return imported
    }

    /// Adds a remark for each bound that cannot be converted exactly to the unit of the answers. For example, 20 min
    /// has no exact value in h, and mg/dL cannot be converted to mmol/L.
    mutating func noteInexactBounds(of item: Item, _ object: JSONObject, _ pointer: String) {
        let units = FHIRUnits(of: item, object)
        for (index, element) in (object["extension"]?.array ?? []).enumerated() {
            guard let url = element["url"]?.string, Self.isQuantityBound(Self.name(url)),
                let quantity = element["valueQuantity"], quantity["value"]?.double != nil,
                units.bound(quantity) == nil
            else { continue }
            markImported([url], of: item.linkId)
            remark(
                Remark(
                    location: "\(pointer)/extension/\(index)",
                    detail: "the bound is kept without effect: "
                        + "it cannot be converted exactly to the first unit of the item"))
        }
    }

    private static func isQuantityBound(_ name: String) -> Bool {
        name == "sdc-questionnaire-minQuantity" || name == "sdc-questionnaire-maxQuantity"
    }

    /// The last part of the URL of an extension.
    private static func name(_ url: String) -> String {
        String(url.split(separator: url.hasPrefix("urn:") ? ":" : "/").last ?? "")
    }

    private static func apply(_ name: String, _ value: JSON, to item: inout Item) -> Bool {
        switch name {
        case "questionnaire-hidden": return set(&item.hidden, value.bool)
        case "questionnaire-itemControl":
            let codes = (value["coding"]?.array ?? []).compactMap { $0["code"]?.string }
            let control = codes.lazy.compactMap { ItemControl(rawValue: aliases[$0] ?? $0) }.first
            return fill(&item.itemControl, control)
        case "minValue": return fill(&item.minValue, bound(value, item.type))
        case "maxValue": return fill(&item.maxValue, bound(value, item.type))
        case "minLength": return fill(&item.minLength, value.int)
        case "regex": return fill(&item.regex, value.string?.nonBlank)
        case "maxDecimalPlaces": return fill(&item.maxDecimalPlaces, value.int)
        case "questionnaire-minOccurs": return fill(&item.minOccurs, value.int)
        case "questionnaire-maxOccurs": return fill(&item.maxOccurs, value.int)
        case "questionnaire-sliderStepValue", "step": return fill(&item.step, value.double)
        case "enable-when-expression": return fill(&item.enableWhenExpression, value.string?.nonBlank)
        case "ranking":
            guard value.bool == true, item.type == .choice else { return false }
            (item.type, item.repeats) = (.ranking, false)
            return true
        case "location-decimals":
            guard let decimals = value.int, item.type == .string || item.type == .location else {
                return false
            }
            (item.type, item.decimals) = (.location, decimals)
            return true
        case "data-kind": return fill(&item.dataKind, value.string?.nonBlank)
        case "shuffle": return set(&item.shuffle, value.bool)
        case "questionnaire-unit", "questionnaire-unitOption":
            guard let unit = value["code"]?.string ?? value["display"]?.string else { return false }
            if item.type.hasUnits {
                if !item.unitOption.contains(unit) { item.unitOption.append(unit) }
            } else {
                item.unit = unit
            }
            return true
        default: return false
        }
    }

    /// Names of controls that mean the same as a control of Saunter.
    private static let aliases = ["gtable": "table", "grid": "table"]

    /// Stores a value, if there is one. Returns whether there is one.
    private static func set<Value>(_ member: inout Value, _ value: Value?) -> Bool {
        guard let value else { return false }
        member = value
        return true
    }

    /// Stores a value in an optional member, if there is one. Returns whether there is one.
    private static func fill<Value>(_ member: inout Value?, _ value: Value?) -> Bool {
        guard let value else { return false }
        member = value
        return true
    }

    private static func bound(_ value: JSON, _ type: ItemType) -> Double? {
        type.form == .moment
            ? value.string.flatMap { type.definition.answer(text: $0) }?.storedNumber : value.double
    }
}
