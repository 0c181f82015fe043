import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct NameGeneratorTests {
    @Test func `names are unique, and keywords of expressions are not used`() {
        var nameGenerator = NameGenerator()
        let names = ["How far?", "how-far", "HOW FAR", "and", "7", ""].map { nameGenerator.makeName($0) }
        #expect(names == ["how_far", "how_far_2", "how_far_3", "and_2", "q7", "q"])
    }

    @Test func `a minus before a number becomes a word, other minus signs are dropped`() {
        var nameGenerator = NameGenerator()
        let given = ["-2", "2", "\u{2212}2", "-x", "- 2", "3-2"]
        let names = given.map { nameGenerator.makeName($0, letter: nil) }
        #expect(names == ["minus_2", "2", "minus_2_2", "x", "2_2", "3_2"])
    }

    @Test func `an option may be named other, unless the item has a free-text answer`() {
        var closed = NameGenerator(optionsOf: Item(linkId: "a", type: .choice))
        let names = ["Other", "or"].map { closed.makeName($0, letter: nil) }
        #expect(names == ["other", "or"])
        var free = NameGenerator(optionsOf: Item(linkId: "a", type: .openChoice))
        let others = ["Other", "or"].map { free.makeName($0, letter: nil) }
        #expect(others == ["other_2", "or"])
    }

    @Test func `options get their numbers as weights if some numbers are negative`() {
        let negativeCodes = NegativeOptionCodes(["-1", "0", "1"])
        #expect(negativeCodes.weights == ["-1": -1, "0": 0, "1": 1])
        #expect(negativeCodes.remark?.contains("minus_1") == true)
        for codes in [["0", "1"], ["-1", "x"], ["-1", "-0"], ["-1", "+1"], []] {
            let plain = NegativeOptionCodes(codes)
            #expect(plain.weights.isEmpty && plain.remark == nil)
        }
        let ranked = NegativeOptionCodes(["-1", "1"], areRanked: true)
        #expect(ranked.weights.isEmpty && ranked.remark != nil)
    }
}
