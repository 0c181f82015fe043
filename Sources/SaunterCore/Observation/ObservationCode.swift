/// What was measured, in the words of a code system.
package struct ObservationCode: Sendable, Hashable {
    /// A URI: LOINC's, or any other for codes of one's own.
    package let system: String
    package let code: String
    /// For people, as the sender words it.
    package let display: String?

    /// LOINC's, as FHIR writes it.
    package static let loinc = "http://loinc.org"

    package init(system: String, code: String, display: String? = nil) {
        self.system = system
        self.code = code
        self.display = display
    }

    /// A code of LOINC.
    package init(loinc code: String, _ display: String) {
        self.init(system: Self.loinc, code: code, display: display)
    }

    /// Whether two codes name the same, however they are worded.
    package func names(_ other: ObservationCode) -> Bool { system == other.system && code == other.code }

    func check(pointer: String, faults: inout WalkFaults) {
        if !(1...200).contains(system.utf8.count) || !system.contains(":")
            || system.contains(where: \.isWhitespace)
        {
            faults.add(
                "\(pointer)/system", "not_a_uri", "A code system is named by a URI of at most 200 bytes.")
        }
        if !(1...100).contains(code.utf8.count) {
            faults.add("\(pointer)/code", "wrong_length", "A code has 1 to 100 bytes.")
        } else if system == Self.loinc, !Self.isLOINC(code) {
            faults.add(
                "\(pointer)/code", "not_a_loinc_code", "Its check digit or form is not that of a LOINC code.")
        }
        if let display, !(1...400).contains(display.utf8.count) {
            faults.add("\(pointer)/display", "wrong_length", "A display has 1 to 400 bytes.")
        }
    }

    /// Up to seven digits, a hyphen and a check digit: the sum of the digits, every other one from the right doubled and its
    /// own digits summed, ends in 0 (Luhn).
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
