/// The permitted units and the plausible range of a known code.
package struct MeasuredQuantity: Sendable {
    /// The code of the quantity.
    package let code: ObservationCode
    /// The permitted UCUM units, the most common one first.
    package let units: [String]
    /// The plausible values, in any of the units.
    package let range: ClosedRange<Double>

    /// The quantity of a code; nil for a code that is not in the table.
    package static func of(_ code: ObservationCode) -> MeasuredQuantity? {
        guard code.system == ObservationCode.loinc else { return nil }
        return byCode[code.code]
    }

    private static let byCode = Dictionary(
        uniqueKeysWithValues: all.map { ($0.code.code, $0) })

    private static let all = [
        heartRate, steps, systolic, diastolic, glucoseMass, glucoseMoles, respiratoryRate, temperature,
        saturation,
        weight, distance, energy, duration,
    ]

    /// In beats per minute.
    package static let heartRate = MeasuredQuantity(
        code: .init(loinc: "8867-4", "Heart rate"), units: ["/min", "{beats}/min"], range: 20...255)
    /// A number of steps.
    package static let steps = MeasuredQuantity(
        code: .init(loinc: "55423-8", "Number of steps"), units: ["{steps}", "1"], range: 0...10_000_000)
    /// The upper value of a blood pressure, in mmHg.
    package static let systolic = MeasuredQuantity(
        code: .init(loinc: "8480-6", "Systolic blood pressure"), units: ["mm[Hg]"], range: 0...400)
    /// The lower value of a blood pressure, in mmHg.
    package static let diastolic = MeasuredQuantity(
        code: .init(loinc: "8462-4", "Diastolic blood pressure"), units: ["mm[Hg]"], range: 0...400)
    /// Blood glucose as a mass, in mg/dL.
    package static let glucoseMass = MeasuredQuantity(
        code: .init(loinc: "2339-0", "Glucose in blood, mass"), units: ["mg/dL"], range: 0...5000)
    /// Blood glucose as an amount of substance, in mmol/L.
    package static let glucoseMoles = MeasuredQuantity(
        code: .init(loinc: "15074-8", "Glucose in blood, moles"), units: ["mmol/L"], range: 0...300)
    /// In breaths per minute.
    package static let respiratoryRate = MeasuredQuantity(
        code: .init(loinc: "9279-1", "Respiratory rate"), units: ["/min", "{breaths}/min"], range: 0...200)
    /// Body temperature, in degrees Celsius, degrees Fahrenheit or kelvins.
    package static let temperature = MeasuredQuantity(
        code: .init(loinc: "8310-5", "Body temperature"), units: ["Cel", "[degF]", "K"], range: 0...400)
    /// Oxygen saturation by pulse oximetry, in percent.
    package static let saturation = MeasuredQuantity(
        code: .init(loinc: "59408-5", "Oxygen saturation by pulse oximetry"), units: ["%"], range: 0...100)
    /// Body weight, in kilograms, grams or pounds.
    package static let weight = MeasuredQuantity(
        code: .init(loinc: "29463-7", "Body weight"), units: ["kg", "g", "[lb_av]"], range: 0...1_000_000)
    /// A walked distance, in metric or international units.
    package static let distance = MeasuredQuantity(
        code: .init(loinc: "55430-3", "Distance walked"),
        units: ["m", "km", "cm", "[mi_i]", "[yd_i]", "[ft_i]", "[in_i]"], range: 0...1_000_000_000)
    /// The energy of an exercise, in kilocalories or kilojoules.
    package static let energy = MeasuredQuantity(
        code: .init(loinc: "55424-6", "Energy of exercise"), units: ["kcal", "kJ"], range: 0...1_000_000)
    /// The duration of an exercise, in seconds, minutes or hours.
    package static let duration = MeasuredQuantity(
        code: .init(loinc: "55411-3", "Duration of exercise"), units: ["s", "min", "h"], range: 0...10_000_000
    )
}
