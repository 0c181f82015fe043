/// The measured quantity, as a code of a code system.
package struct ObservationCode: Sendable, Hashable {
    /// The URI of the code system: LOINC, or another one for local codes.
    package let system: String
    /// The code in the code system.
    package let code: String
    /// The sender's description for people.
    package let display: String?

    /// The URI of LOINC, as in FHIR.
    package static let loinc = "http://loinc.org"

    /// Creates a code, also one that Saunter does not know.
    package init(system: String, code: String, display: String? = nil) {
        self.system = system
        self.code = code
        self.display = display
    }

    /// Creates a LOINC code.
    package init(loinc code: String, _ display: String) {
        self.init(system: Self.loinc, code: code, display: display)
    }

    /// Whether both codes are equal, regardless of `display`.
    package func isSameCode(as other: ObservationCode) -> Bool {
        system == other.system && code == other.code
    }

    func check(pointer: String, faults: inout FaultCollector) {
        if !(1...200).contains(system.utf8.count) || !system.contains(":")
            || system.contains(where: \.isWhitespace)
        {
            faults.add(
                "\(pointer)/system", "not_a_uri", "A code system must be a URI of at most 200 bytes.")
        }
        if !(1...100).contains(code.utf8.count) {
            faults.add("\(pointer)/code", "wrong_length", "A code must have 1 to 100 bytes.")
        } else if system == Self.loinc, !Self.isLOINC(code) {
            faults.add(
                "\(pointer)/code", "not_a_loinc_code",
                "This is not a LOINC code: its form or check digit is wrong.")
        }
        if let display, !(1...400).contains(display.utf8.count) {
            faults.add("\(pointer)/display", "wrong_length", "A display must have 1 to 400 bytes.")
        }
    }

    /// Whether the code is up to seven digits, a hyphen and a valid check digit (Luhn): every second digit from the
    /// right is doubled and its digits are summed, and the total ends in 0.
    static func isLOINC(_ code: String) -> Bool {
        let halves = code.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard halves.count == 2, (1...7).contains(halves[0].count), halves[1].count == 1,
            halves.allSatisfy({ $0.allSatisfy { (48...57).contains($0) } })
        else { return false }
        let digits = (Array(halves[0]) + Array(halves[1])).map { Int($0) - 48 }.reversed()
        let sum = digits.enumerated().reduce(0) { sum, entry in
            guard entry.offset % 2 == 1 else { return sum + entry.element }
            return sum + entry.element * 2 / 10 + entry.element * 2 % 10
        }
        return sum % 10 == 0
    }
}
