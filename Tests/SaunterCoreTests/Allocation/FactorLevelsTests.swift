import Testing

@testable import SaunterCore

@Suite struct FactorLevelsTests {
    private static let allocation = Allocation(
        method: .stratifiedBlocks, blockSizes: [4], isConcealed: true,
        factors: [
            Allocation.Factor(code: "sex", levels: ["female", "male"]),
            Allocation.Factor(code: "place", levels: ["north", "south"]),
        ])

    private func faults(_ json: JSON?) -> [String] {
        do throws(Faults) {
            _ = try FactorLevels(json, of: Self.allocation)
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func `levels in any order are stored in the study's order`() throws {
        let levels = try FactorLevels(["place": "north", "sex": "female"], of: Self.allocation)

        #expect(levels.stratum == "sex=female|place=north")
        #expect(levels.json.text == #"{"sex":"female","place":"north"}"#)
    }

    @Test func `all faults are reported together`() {
        #expect(faults(nil) == ["/factors/sex required", "/factors/place required"])
        #expect(
            faults(["sex": "other", "age": "old", "place": 7])
                == ["/factors/sex not_a_value", "/factors/place not_a_value", "/factors/age unknown_factor"])
        #expect(faults(["a/b": "x", "sex": "male", "place": "south"]) == ["/factors/a~1b unknown_factor"])
        #expect(faults("female") == ["/factors/sex required", "/factors/place required"])
    }

    @Test func `a study without factors accepts no levels`() throws {
        let nothing = Allocation(blockSizes: [4], isConcealed: true)

        #expect(try FactorLevels(nil, of: nothing) == .empty)
        #expect(try FactorLevels([:], of: nothing).stratum == "all")
        #expect(throws: Faults.self) { try FactorLevels(["sex": "male"], of: nothing) }
    }
}
