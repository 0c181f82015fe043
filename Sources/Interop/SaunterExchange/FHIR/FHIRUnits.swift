import SaunterCore

/// The units of an item, and their names in the source.
struct FHIRUnits {
    /// The units as the item writes them. Bounds use the first one.
    private let codes: [String]
    /// Display text in the source -> the unit codes that it represents.
    private var displays: [String: [String]] = [:]

    /// - Parameter source: the item in the source.
    init(of item: Item, _ source: JSONObject) {
        codes = item.type.hasUnits ? item.unitOption : [item.unit].compactMap(\.self)
        for element in source["extension"]?.array ?? [] where Self.isUnit(element["url"]?.string ?? "") {
            guard let code = element["valueCoding"]?["code"]?.string, codes.contains(code),
                let display = element["valueCoding"]?["display"]?.string,
                displays[display]?.contains(code) != true
            else { continue }
            displays[display, default: []].append(code)
        }
    }

    /// The value of a bound in the first unit; nil if it cannot be converted exactly. A bound without a unit uses the
    /// only unit of the item.
    func bound(_ quantity: JSON) -> Double? {
        let number = Self.number(quantity)
        if Self.hasNoUnit(quantity) { return codes.count <= 1 ? number : nil }
        return number.flatMap { amount($0, quantity, in: codes.prefix(1))?.value }
    }

    /// The answer in one of the units of the item; nil if it cannot be converted exactly. An answer without a unit uses
    /// the only unit of the item.
    func answer(_ quantity: JSON) -> Measure? {
        guard let number = Self.number(quantity) else { return nil }
        if Self.hasNoUnit(quantity) { return codes.count == 1 ? Measure(value: number, unit: codes[0]) : nil }
        return amount(number, quantity, in: codes[...])
    }

    private static func isUnit(_ url: String) -> Bool {
        url.hasSuffix("/questionnaire-unit") || url.hasSuffix("/questionnaire-unitOption")
    }

    /// The value; nil if the quantity has a comparator, such as `< 5 mg`.
    private static func number(_ quantity: JSON) -> Double? {
        quantity["comparator"] == nil ? quantity["value"]?.double : nil
    }

    private static func hasNoUnit(_ quantity: JSON) -> Bool {
        quantity["code"]?.string == nil && quantity["unit"]?.string == nil
    }

    /// The amount in one of the units: in the same unit, in an equivalent spelling of it, or converted.
    private func amount(_ number: Double, _ quantity: JSON, in units: ArraySlice<String>) -> Measure? {
        guard let unit = self.unit(of: quantity) else { return nil }
        let isUCUM = quantity["system"].map { $0.string == FHIRItemWriter.unitSystemURL } ?? true
        let same =
            units.first { $0 == unit }
            ?? units.first { isUCUM && UCUMUnit.areEquivalentIgnoringAnnotations($0, unit) }
        if let same { return Measure(value: number, unit: same) }
        guard isUCUM else { return nil }
        return units.lazy.compactMap { Measure(value: number, unit: unit).exactly(in: $0) }.first
    }

    /// The unit of a quantity: its code, otherwise its display text.
    private func unit(of quantity: JSON) -> String? {
        if let code = quantity["code"]?.string { return code }
        guard let unitText = quantity["unit"]?.string else { return nil }
        let candidates = displays[unitText] ?? []
        return candidates.count == 1 ? candidates[0] : unitText
    }
}
