import SaunterCore

/// The units in which an item is answered, and what they are called where it comes from.
struct FHIRUnits {
    /// As the item spells them. Bounds count in the first.
    private let codes: [String]
    /// What people read there -> the codes that it stands for.
    private var displays: [String: [String]] = [:]

    /// - Parameter source: the item as it was read.
    init(of item: Item, _ source: JSONObject) {
        codes = item.type == .quantity ? item.unitOption : [item.unit].compactMap(\.self)
        for element in source["extension"]?.array ?? [] where Self.isUnit(element["url"]?.string ?? "") {
            guard let code = element["valueCoding"]?["code"]?.string, codes.contains(code),
                let display = element["valueCoding"]?["display"]?.string,
                displays[display]?.contains(code) != true
            else { continue }
            displays[display, default: []].append(code)
        }
    }

    /// The number of a bound in the first unit; nil where none is exactly that amount. One without a unit is in the only one.
    func bound(_ quantity: JSON) -> Double? {
        let number = Self.number(quantity)
        if Self.isBare(quantity) { return codes.count <= 1 ? number : nil }
        return number.flatMap { amount($0, quantity, in: codes.prefix(1))?.value }
    }

    /// An answer in one of the units, spelled as the item spells it; nil where no number of any is exactly that amount. One without
    /// a unit is in the only one.
    func answer(_ quantity: JSON) -> Measure? {
        guard let number = Self.number(quantity) else { return nil }
        if Self.isBare(quantity) { return codes.count == 1 ? Measure(value: number, unit: codes[0]) : nil }
        return amount(number, quantity, in: codes[...])
    }

    private static func isUnit(_ url: String) -> Bool {
        url.hasSuffix("/questionnaire-unit") || url.hasSuffix("/questionnaire-unitOption")
    }

    /// Nil also for what is only compared with a number, such as `< 5 mg`.
    private static func number(_ quantity: JSON) -> Double? {
        quantity["comparator"] == nil ? quantity["value"]?.double : nil
    }

    private static func isBare(_ quantity: JSON) -> Bool {
        quantity["code"]?.string == nil && quantity["unit"]?.string == nil
    }

    /// As it is spelled, else under another spelling of the unit, else converted.
    private func amount(_ number: Double, _ quantity: JSON, in units: ArraySlice<String>) -> Measure? {
        guard let unit = self.unit(of: quantity) else { return nil }
        let isOfUCUM = quantity["system"].map { $0.string == FHIRItem.units } ?? true
        let same =
            units.first { $0 == unit }
            ?? units.first { isOfUCUM && UCUMUnit.isSameBesidesWords($0, unit) }
        if let same { return Measure(value: number, unit: same) }
        guard isOfUCUM else { return nil }
        return units.lazy.compactMap { Measure(value: number, unit: unit).exactly(in: $0) }.first
    }

    /// By its code; without one, by what people read.
    private func unit(of quantity: JSON) -> String? {
        if let code = quantity["code"]?.string { return code }
        guard let words = quantity["unit"]?.string else { return nil }
        let meant = displays[words] ?? []
        return meant.count == 1 ? meant[0] : words
    }
}
