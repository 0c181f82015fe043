import Testing

@testable import SaunterExchange

@Suite struct NameMakerTests {
    @Test func `each name is given once, and none that expressions have a meaning for`() {
        var maker = NameMaker()
        let names = ["How far?", "how-far", "HOW FAR", "and", "7", ""].map { maker.take($0) }
        #expect(names == ["how_far", "how_far_2", "how_far_3", "and_2", "q7", "q"])
    }
}
