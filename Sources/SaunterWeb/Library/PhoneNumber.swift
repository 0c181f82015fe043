/// A telephone number in groups of digits, as people read it: `+49 800 111 0111`, `116 123`.
struct PhoneNumber {
    /// The number in groups.
    let text: String

    /// - Parameter number: as in a pack: `+` and digits, or 3 to 6 digits.
    init(_ number: String) {
        let digits = number.filter(\.isNumber)
        guard number.hasPrefix("+") else {
            text = Self.groups(digits[...]).joined(separator: " ")
            return
        }
        let code = digits.prefix(Self.lengthOfCountryCode(digits))
        text = (["+\(code)"] + Self.groups(digits[code.endIndex...])).joined(separator: " ")
    }

    /// Groups of three digits. The last one has up to four.
    private static func groups(_ digits: Substring) -> [Substring] {
        var rest = digits
        var groups: [Substring] = []
        while rest.count > 4 {
            groups.append(rest.prefix(3))
            rest = rest.dropFirst(3)
        }
        return rest.isEmpty ? groups : groups + [rest]
    }

    /// The codes with two digits of the plan E.164. 1 and 7 have one digit, all others three.
    private static let twoDigits: Set<String> = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
        "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81",
        "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ]

    private static func lengthOfCountryCode(_ digits: String) -> Int {
        if digits.hasPrefix("1") || digits.hasPrefix("7") { return 1 }
        return twoDigits.contains(String(digits.prefix(2))) ? 2 : 3
    }
}
