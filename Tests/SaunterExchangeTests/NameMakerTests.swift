import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct NameMakerTests {
    @Test func `each name is given once, and none that expressions have a meaning for`() {
        var maker = NameMaker()
        let names = ["How far?", "how-far", "HOW FAR", "and", "7", ""].map { maker.take($0) }
        #expect(names == ["how_far", "how_far_2", "how_far_3", "and_2", "q7", "q"])
    }

    @Test func `a minus before a number is not lost, and no other is kept`() {
        var maker = NameMaker()
        let given = ["-2", "2", "\u{2212}2", "-x", "- 2", "3-2"]
        let names = given.map { maker.take($0, letter: nil) }
        #expect(names == ["minus_2", "2", "minus_2_2", "x", "2_2", "3_2"])
    }

    @Test func `of options other is a name, unless own words have it`() {
        var closed = NameMaker(optionsOf: Item(linkId: "a", type: .choice))
        let names = ["Other", "or"].map { closed.take($0, letter: nil) }
        #expect(names == ["other", "or"])
        var free = NameMaker(optionsOf: Item(linkId: "a", type: .openChoice))
        let others = ["Other", "or"].map { free.take($0, letter: nil) }
        #expect(others == ["other_2", "or"])
    }

    @Test func `options count their numbers where some of these are negative`() {
        let signed = SignedCodes(["-1", "0", "1"])
        #expect(signed.weights == ["-1": -1, "0": 0, "1": 1])
        #expect(signed.remark?.contains("minus_1") == true)
        for codes in [["0", "1"], ["-1", "x"], ["-1", "-0"], ["-1", "+1"], []] {
            let plain = SignedCodes(codes)
            #expect(plain.weights.isEmpty && plain.remark == nil)
        }
        let ranked = SignedCodes(["-1", "1"], areRanked: true)
        #expect(ranked.weights.isEmpty && ranked.remark != nil)
    }
}
