import Testing

@testable import SaunterCore

@Suite struct UCUMScaleTests {
    @Test(
        arguments: [
            (1, "h", 60, "min"), (2, "wk", 14, "d"), (12, "mo", 1, "a"), (1, "kg", 1000, "g"),
            (1, "[stone_av]", 14, "[lb_av]"), (1, "[lb_av]", 16, "[oz_av]"), (1, "[in_i]", 2.54, "cm"),
            (1, "[mi_i]", 1760, "[yd_i]"), (36, "km/h", 10, "m/s"), (1, "[mi_i]/h", 1.609344, "km/h"),
            (1, "[kn_i]", 1.852, "km/h"), (1, "l", 10, "dL"), (1, "[gal_us]", 16, "[cup_us]"),
            (1, "[pt_br]", 20, "[foz_br]"), (37, "Cel", 98.6, "[degF]"), (0, "Cel", 273.15, "K"),
            (1, "kcal", 4184, "J"), (1, "[Cal]", 1, "kcal"), (1, "W", 60, "J/min"),
            (1, "bar", 1000, "mbar"), (760, "mm[Hg]", 101.32472, "kPa"), (1, "mg/dL", 0.01, "g/L"),
            (1, "kg/m2", 0.0001, "kg/cm2"), (60, "/min", 1, "Hz"), (1, "1/min", 1, "min-1"),
            (50, "%", 0.5, "1"), (1, "mmol/L", 1, "umol/mL"), (2, "{cups}/d", 14, "{cups}/wk"),
            (1, "pg/mL", 1, "ng/L"), (5, "pmol/L", 0.005, "nmol/L"),
        ] as [(Double, String, Double, String)])
    func `equal amounts in different units are equal`(
        value: Double, unit: String, other: Double, otherUnit: String
    ) throws {
        let (one, two) = try #require(
            UCUMScale.amounts(Measure(value: value, unit: unit), Measure(value: other, unit: otherUnit)))

        #expect(!(one < two) && !(two < one))
        #expect(UCUMUnit.isValid(unit) && UCUMUnit.isValid(otherUnit))
    }

    @Test(arguments: [
        ("kg", "m"), ("h", "km/h"), ("mmol/L", "mg/dL"), ("{cups}", "{pieces}"), ("{beats}/min", "/h"),
        ("Cel/h", "K/h"), ("[pH]", "mol/L"), ("10*3/uL", "/L"), ("mL/(kg.min)", "L/(kg.h)"), ("kmin", "h"),
        ("m5", "cm5"), ("Cel", "mCel"), ("", "1"), ("m.", "m"),
        ("nm4.nm4", "pm4.pm4"),
        ("Gg4.Gg4.Gg4.Gg4.Gg4.Gg4.Gg4.Gg4.Gg4", "kg4.kg4.kg4.kg4.kg4.kg4.kg4.kg4.kg4"),
    ])
    func `units of different kinds and units that are not in the table are not comparable`(
        one: String, other: String
    ) {
        #expect(!UCUMScale.areComparable(one, other))
        #expect(UCUMScale.amounts(Measure(value: 1, unit: one), Measure(value: 1, unit: other)) == nil)
        #expect(UCUMScale.areComparable(one, one))
    }

    @Test(
        arguments: [
            (500, "g", 0.5, "kg"), (98.6, "[degF]", 37, "Cel"), (273.15, "K", 0, "Cel"),
            (30, "min", 0.5, "h"), (5, "1/min", 5, "/min"), (-40, "Cel", -40, "[degF]"),
            (7, "{cups}", 7, "{cups}"),
        ] as [(Double, String, Double, String)])
    func `an amount is converted if the result is exact`(
        value: Double, unit: String, number: Double, other: String
    ) {
        #expect(
            Measure(value: value, unit: unit).exactly(in: other) == Measure(value: number, unit: other))
    }

    @Test(
        arguments: [
            (20, "min", "h"), (1, "/h", "/min"), (1, "kg", "m"), (1, "mmol/L", "mg/dL"),
            (1, "{cups}/d", "{pieces}/d"),
        ] as [(Double, String, String)])
    func `an amount is not converted if the result is not exact`(value: Double, unit: String, other: String) {
        #expect(Measure(value: value, unit: unit).exactly(in: other) == nil)
    }

    @Test func `every symbol of the table is a UCUM symbol`() {
        #expect(UCUMAtoms.metric.isSuperset(of: UCUMFactors.metric.keys))
        #expect(UCUMAtoms.plain.isSuperset(of: UCUMFactors.plain.keys))
        #expect(UCUMFactors.special.keys.allSatisfy { UCUMUnit.isValid($0) })
    }
}
