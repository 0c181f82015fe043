import Testing

@testable import SaunterCore

@Suite struct ArmNamesTests {
    private static let codes = ["control", "experimental", "waiting"]

    @Test func `without blinding, arms have their codes and their order`() {
        let names = ArmNames(["waiting", "control"])

        #expect(names.names == ["waiting", "control"])
        #expect(names["control"] == "control" && names["other"] == nil)
    }

    @Test func `letters depend on the secret, the study and the code, and not on the order of the codes`() {
        func letters(_ codes: [String], study: String, secret: UInt8) -> [String?] {
            let names = ArmNames(blinding: codes, of: study, secret: [secret])
            #expect(names.names == ["A", "B", "C"])
            return Self.codes.map { names[$0] }
        }
        let first = letters(Self.codes, study: "walk", secret: 1)

        #expect(letters(Self.codes.reversed(), study: "walk", secret: 1) == first)
        #expect(Set(first) == ["A", "B", "C"])
        // All 6 orders occur. An order that follows from the alphabet would always be the same.
        let bySecret = (0...255).map { letters(Self.codes, study: "walk", secret: $0) }
        #expect(Set(bySecret).count == 6)
        let byStudy = (0..<100).map { letters(Self.codes, study: "study\($0)", secret: 1) }
        #expect(Set(byStudy).count == 6)
    }

    @Test func `more than 26 arms have two letters`() {
        let names = ArmNames(blinding: (0..<30).map { "arm\($0)" }, of: "walk", secret: [1])

        #expect(names.names[25...28] == ["Z", "AA", "AB", "AC"])
    }
}
