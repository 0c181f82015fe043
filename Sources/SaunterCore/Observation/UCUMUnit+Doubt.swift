/// Units that read like another one's usual sign. They are what UCUM says they are; hardly anybody means that.
extension UCUMUnit {
    /// The text -> what it is, and what is mostly meant by it.
    package static let doubtful: [String: (what: String, meant: String)] = [
        "mph": ("milliphot, of light", "[mi_i]/h"), "ft": ("femtotonne, of mass", "[ft_i]"),
        "pt": ("picotonne, of mass", "[pt_us]"),
        "st": ("stere, of volume", "[stone_av]"), "ct": ("centitonne, of mass", "[car_m]"),
        "C": ("coulomb, of charge", "Cel"), "F": ("farad, of capacitance", "[degF]"),
    ]

    /// A sentence about a unit that is most likely not the one that was meant; nil where there is no doubt.
    package static func doubt(_ text: String) -> String? {
        doubtful[text].map { "\(text) is the \($0.what); did you mean \($0.meant)?" }
    }
}

extension Questionnaire {
    /// What is allowed, and yet most likely a slip: with the pointer to each place.
    package func hints() -> [Fault] {
        var hints: [Fault] = []
        func weigh(_ unit: String, _ pointer: String) {
            guard let doubt = UCUMUnit.doubt(unit) else { return }
            hints.append(Fault(pointer: pointer, code: "doubtful_unit", detail: doubt))
        }
        func look(_ items: [Item], _ pointer: String) {
            for (index, item) in items.enumerated() {
                if let unit = item.unit { weigh(unit, "\(pointer)/\(index)/unit") }
                for (place, unit) in item.unitOption.enumerated() {
                    weigh(unit, "\(pointer)/\(index)/unitOption/\(place)")
                }
                look(item.item, "\(pointer)/\(index)/item")
            }
        }
        look(item, "/item")
        return hints
    }
}
