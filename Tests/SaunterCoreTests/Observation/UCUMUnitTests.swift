import Testing

@testable import SaunterCore

@Suite struct UCUMUnitTests {
    @Test(arguments: [
        "/min", "{beats}/min", "mm[Hg]", "mg/dL", "mmol/L", "%", "1", "{steps}", "Cel", "[degF]", "km/h",
        "m/s", "m/s2", "kg.m2",
        "kcal", "10*3/uL", "10^9/L", "mL/(kg.min)", "[in_i]", "kg/m2", "/m3", "m-1", "{a}", "dB[SPL]", "um",
        "h", "[MET]", "U/(10.g){wet}", "10*-3/uL", "4.[pi].10*-7.N/A2", "1{c}", "min/km", "Mibit",
        "[m/s2/Hz^(1/2)]",
    ])
    func `units of sensors are accepted`(text: String) throws {
        #expect(try UCUMUnit(text).text == text)
    }

    @Test(arguments: [
        "", "beats/min", "bpm", "mmHg", "C°", "°C", "m/", "m//s", "(m", "m{", "m{a", "m)", "()", "[Hg]", "{a",
        "a}",
        "{a{b}}", "kmin", "k%",
        "m s", "m.", "lb", "KM/H", "10*x", "[unknown]", "[in_i", "m{a}{b}",
        String(repeating: "m.", count: 40) + "m",
        String(repeating: "(", count: 30) + "m" + String(repeating: ")", count: 30),
    ])
    func `invalid and unknown units are rejected`(text: String) {
        #expect(throws: UCUMUnit.Fault.self) { try UCUMUnit(text) }
        #expect(!UCUMUnit.isValid(text))
    }

    @Test(
        arguments: [
            ("mmHg", 1, "mm[Hg]"), ("bpm", 1, "{beats}/min"), ("\u{B0}C", 1, "Cel"), ("KG", 1, "kg"),
            ("lbs", 1, "[lb_av]"),
            ("kg/m^2", 5, "kg/m2"), ("hours", 1, "h"), ("ML/MIN", 4, "ml/min"), ("in", 1, "[in_i]"),
            ("cups", 1, "{cups}"), ("mg/dl/", 7, nil),
            ("m.", 3, nil), ("m[", 2, nil), ("(m", 3, nil), ("m-", 3, nil), ("m{a", 2, nil),
            ("1234567890", 1, nil),
        ] as [(String, Int, String?)])
    func `a fault has a position and a suggestion`(text: String, position: Int, suggestion: String?) throws {
        let fault = try #require(throws: UCUMUnit.Fault.self) { try UCUMUnit(text) }
        #expect(fault.position == position)
        #expect(
            suggestion.map { fault.detail.hasSuffix("; did you mean \($0)?") } ?? !fault.detail.contains("?"))
        if let suggestion { #expect(UCUMUnit.isValid(suggestion)) }
    }

    @Test func `every suggestion is a unit`() {
        for suggestion in UCUMAtoms.commonSpellings.values {
            #expect(UCUMUnit.isValid(suggestion), "\(suggestion)")
        }
    }

    @Test func `every symbol is a unit, and only metric symbols accept prefixes`() {
        #expect(
            UCUMAtoms.metric.count == 96 && UCUMAtoms.plain.count == 214 && UCUMAtoms.prefixes.count == 24)
        #expect(UCUMAtoms.metric.isDisjoint(with: UCUMAtoms.plain))
        for symbol in UCUMAtoms.metric.union(UCUMAtoms.plain) {
            #expect(UCUMUnit.isValid(symbol) && UCUMUnit.isValid("\(symbol)2/\(symbol)-3{x}"), "\(symbol)")
        }
        for prefix in UCUMAtoms.prefixes {
            for symbol in UCUMAtoms.metric {
                #expect(UCUMUnit.isValid(prefix + symbol), "\(prefix)\(symbol)")
            }
        }
        for symbol in ["min", "wk", "[in_i]", "%", "deg"] {
            #expect(!UCUMUnit.isValid("k\(symbol)"), "k\(symbol)")
        }
    }

    @Test(arguments: [
        ("mmol/L", "mmol/l", true), ("/min", "1/min", true), ("L", "l", true), ("dal2.l-1", "daL2.L-1", true),
        ("mL{blood.l}", "ml{blood.l}", true), ("mL{l}", "mL{L}", false), ("{l}", "{L}", false),
        ("mol", "moL", false), ("cal", "caL", false), ("/min", "{beats}/min", false),
        ("11/min", "1/min", false),
        ("[ly]", "[Ly]", false), ("g", "kg", false), ("no unit", "no unit", true), ("no/l", "no/L", false),
    ])
    func `spellings of the same unit are equivalent, and other units are not`(
        one: String, other: String, isSame: Bool
    ) {
        #expect(UCUMUnit.areEquivalent(one, other) == isSame)
        #expect(UCUMUnit.areEquivalent(other, one) == isSame)
    }

    @Test(arguments: [
        ("{beats}/min", "/min", true), ("mm[Hg]{sitting}", "mm[Hg]", true), ("{score}", "1", true),
        ("L/({day})", "L/(1)", true), ("1/min", "/min", true), ("{cups}/d", "{cups}/d", true),
        ("{cups}/d", "{pieces}/d", false), ("{beats}/min", "/h", false), ("{score", "1", false),
    ])
    func `an annotation counts as 1 if the other unit has none`(one: String, other: String, isSame: Bool) {
        #expect(UCUMUnit.areEquivalentIgnoringAnnotations(one, other) == isSame)
        #expect(UCUMUnit.areEquivalentIgnoringAnnotations(other, one) == isSame)
    }

    @Test(arguments: UCUMUnit.ambiguous.keys.sorted())
    func `an ambiguous unit is valid, and so is its suggestion`(text: String) throws {
        let ambiguity = try #require(UCUMUnit.ambiguous[text])

        #expect(UCUMUnit.isValid(text))
        #expect(UCUMUnit.isValid(ambiguity.meant))
        #expect(UCUMUnit.ambiguityWarning(text)?.hasSuffix("did you mean \(ambiguity.meant)?") == true)
        #expect(UCUMUnit.ambiguityWarning(ambiguity.meant) == nil)
    }
}
