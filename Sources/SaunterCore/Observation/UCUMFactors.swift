/// Common units of questionnaires in metres, grams, seconds, kelvins and moles: time, mass, length, volume,
/// temperature, speed, energy, power, pressure, amount and fraction. The exact factors are from UCUM's own table (UCUM
/// 2.2, ucum.org, sections 4.2 to 4.6). A year has 365.25 days, and a month is a twelfth of it.
enum UCUMFactors {
    /// A unit as a product of base units.
    struct Unit: Sendable {
        let factor: Quantity
        /// Base unit -> exponent.
        let dimension: [String: Int]
    }

    /// Temperature units with their own zero: kelvins are (value + offset) × factor.
    static let special: [String: (offset: Quantity, factor: Quantity)] = [
        "Cel": (Quantity(273.15), Quantity(1)),
        "[degF]": (Quantity(459.67), Quantity(5).divided(by: 9)),
    ]

    /// The unit of a symbol, with a prefix if the symbol permits one. Nil if it is not in the table.
    static func unit(_ symbol: String) -> Unit? {
        if let unit = metric[symbol] ?? plain[symbol] { return unit }
        for (prefix, factor) in prefixes where symbol.hasPrefix(prefix) {
            guard let unit = metric[String(symbol.dropFirst(prefix.count))] else { continue }
            return Unit(factor: unit.factor * factor, dimension: unit.dimension)
        }
        return nil
    }

    /// The prefixes from 10^-12, which hormones need, to 10^9.
    private static let prefixes: [String: Quantity] = [
        "p": Quantity(1e-12), "n": Quantity(1e-9), "u": Quantity(1e-6), "m": Quantity(0.001),
        "c": Quantity(0.01),
        "d": Quantity(0.1), "da": Quantity(10), "h": Quantity(100), "k": Quantity(1000),
        "M": Quantity(1_000_000), "G": Quantity(1_000_000_000),
    ]

    private static let time = ["s": 1]
    private static let mass = ["g": 1]
    private static let length = ["m": 1]
    private static let volume = ["m": 3]
    private static let speed = ["m": 1, "s": -1]
    private static let energy = ["g": 1, "m": 2, "s": -2]
    private static let pressure = ["g": 1, "m": -1, "s": -2]

    /// Symbols that can have a prefix.
    static let metric: [String: Unit] = [
        "s": Unit(1, time), "g": Unit(1, mass), "t": Unit(1e6, mass), "m": Unit(1, length),
        "K": Unit(1, ["K": 1]), "mol": Unit(1, ["mol": 1]), "l": Unit(0.001, volume),
        "L": Unit(0.001, volume), "Hz": Unit(1, ["s": -1]), "N": Unit(1000, ["g": 1, "m": 1, "s": -2]),
        "Pa": Unit(1000, pressure), "bar": Unit(1e8, pressure), "m[Hg]": Unit(133_322_000, pressure),
        "m[H2O]": Unit(9_806_650, pressure), "J": Unit(1000, energy), "cal": Unit(4184, energy),
        "W": Unit(1000, ["g": 1, "m": 2, "s": -3]),
    ]

    /// Symbols without a prefix.
    static let plain: [String: Unit] = [
        "min": Unit(60, time), "h": Unit(3600, time), "d": Unit(86_400, time), "wk": Unit(604_800, time),
        "mo": Unit(2_629_800, time), "mo_j": Unit(2_629_800, time), "a": Unit(31_557_600, time),
        "a_j": Unit(31_557_600, time),
        "[gr]": Unit(0.06479891, mass), "[oz_av]": Unit(28.349523125, mass),
        "[lb_av]": Unit(453.59237, mass), "[stone_av]": Unit(6350.29318, mass),
        "[in_i]": Unit(0.0254, length), "[ft_i]": Unit(0.3048, length), "[yd_i]": Unit(0.9144, length),
        "[mi_i]": Unit(1609.344, length), "[nmi_i]": Unit(1852, length),
        "[kn_i]": Unit(factor: Quantity(1852).divided(by: 3600), dimension: speed),
        "[tsp_us]": Unit(0.00000492892159375, volume), "[tbs_us]": Unit(0.00001478676478125, volume),
        "[foz_us]": Unit(0.0000295735295625, volume), "[cup_us]": Unit(0.0002365882365, volume),
        "[pt_us]": Unit(0.000473176473, volume), "[qt_us]": Unit(0.000946352946, volume),
        "[gal_us]": Unit(0.003785411784, volume), "[tsp_m]": Unit(0.000005, volume),
        "[tbs_m]": Unit(0.000015, volume), "[foz_m]": Unit(0.00003, volume), "[cup_m]": Unit(0.00024, volume),
        "[foz_br]": Unit(0.0000284130625, volume), "[pt_br]": Unit(0.00056826125, volume),
        "[gal_br]": Unit(0.00454609, volume),
        "[Cal]": Unit(4_184_000, energy), "atm": Unit(101_325_000, pressure),
        "[psi]": Unit(
            factor: Quantity(8_896_443_230_521).divided(by: 1_290_320), dimension: pressure),
        "%": Unit(0.01, [:]), "[ppth]": Unit(0.001, [:]), "[ppm]": Unit(1e-6, [:]),
    ]
}

extension UCUMFactors.Unit {
    fileprivate init(_ factor: Double, _ dimension: [String: Int]) {
        self.init(factor: Quantity(factor), dimension: dimension)
    }
}
