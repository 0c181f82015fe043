import Testing

@testable import SaunterCore

@Suite struct UCUMUnitTests {
    @Test(arguments: [
        "/min", "{beats}/min", "mm[Hg]", "mg/dL", "mmol/L", "%", "1", "{steps}", "Cel", "[degF]", "km/h",
        "m/s", "m/s2", "kg.m2",
        "kcal", "10*3/uL", "10^9/L", "mL/(kg.min)", "[in_i]", "kg/m2", "/m3", "m-1", "{a}", "dB[SPL]", "um",
        "h", "[MET]",
    ])
    func `units of sensors are taken`(text: String) {
        #expect(UCUMUnit(text)?.text == text)
    }

    @Test(arguments: [
        "", "beats/min", "bpm", "mmHg", "C°", "°C", "m/", "m//s", "(m", "m{", "m{a", "m)", "()", "[Hg]", "{a",
        "a}",
        "{a{b}}", "kmin", "k%",
        "m s", "m.", "lb", "KM/H", "mph", "10*x", "[unknown]", "[in_i", "m{a}{b}",
        String(repeating: "m.", count: 40) + "m",
        String(repeating: "(", count: 30) + "m" + String(repeating: ")", count: 30),
    ])
    func `what is no unit, or one that is not known, is refused`(text: String) {
        #expect(UCUMUnit(text) == nil)
    }
}
