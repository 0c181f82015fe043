import Testing

@testable import SaunterCore

@Suite struct ScoringCheckTests {
    private typealias Samples = QuestionnaireSamples

    private let items = [
        Samples.rating("q1", 0...4), Samples.rating("q2", 0...4), Samples.item("n", .integer),
        Samples.item("t", .string), Samples.item("d", .date), Samples.choice("c", ["x", "y"]),
        Samples.choice("m", ["x", "y", "none"], repeats: true, exclusive: ["none"]),
    ]

    private func faults(_ scales: [Scale], version: String = "1.0.0") -> [String] {
        Samples.questionnaire(items, scoring: ScoringKey(version: version, scales: scales)).faults()
            .map { "\($0.pointer) \($0.code)" }
    }

    private func faults(_ change: (inout Scale) -> Void) -> [String] {
        var scale = Scale(id: "s", items: ["q1", "q2"], method: .sum)
        change(&scale)
        return faults([scale])
    }

    @Test func `a valid key has no faults`() {
        #expect(faults { _ in } == [])
        #expect(
            faults {
                ($0.reverse, $0.missing) = (["q2"], .prorate(minimumAnswered: 2))
                ($0.minimum, $0.maximum) = (0, 8)
                $0.rounding = Rounding(places: 9, mode: .down)
                $0.bands = [Band(id: "low", below: 4), Band(id: "high", from: 4)]
            } == [])
        #expect(
            faults([
                Scale(id: "a", items: ["m", "n"], method: .sum),
                Scale(id: "b", items: ["q1"], method: .value, minimum: 0, maximum: 4),
                Scale(id: "e", items: ["a", "b"], reverse: ["b"], method: .mean),
            ]) == [])
    }

    @Test func `versions, ids and the number of scales are checked`() {
        #expect(faults([], version: "1") == ["/scoring/version bad_version", "/scoring/scales no_scales"])
        #expect(faults { $0.id = "Total" } == ["/scoring/scales/0/id bad_id"])
        #expect(
            faults([Scale(id: "s", items: ["q1"], method: .sum), Scale(id: "s", items: ["q2"], method: .sum)])
                == ["/scoring/scales/1/id duplicate_id"])
        #expect(
            faults((0...200).map { Scale(id: "s\($0)", items: ["q1"], method: .sum) }) == [
                "/scoring/scales too_many_scales"
            ])
    }

    @Test func `items exist, are unique, are defined before the scale and are numeric`() {
        #expect(faults { $0.items = [] } == ["/scoring/scales/0/items no_items"])
        #expect(faults { $0.items = ["q1", "q1"] } == ["/scoring/scales/0/items/1 duplicate_item"])
        #expect(faults { $0.items = ["q1", "q9"] } == ["/scoring/scales/0/items/1 unknown_item"])
        #expect(faults { $0.items = ["q1", "s"] } == ["/scoring/scales/0/items/1 cycle"])
        #expect(faults { $0.items = ["t"] } == ["/scoring/scales/0/items/0 not_numeric"])
        #expect(faults { $0.items = ["d"] } == ["/scoring/scales/0/items/0 not_numeric"])
        #expect(faults { $0.items = ["c"] } == ["/scoring/scales/0/items/0 no_weight"])
        let later = [Scale(id: "a", items: ["b"], method: .sum), Scale(id: "b", items: ["q1"], method: .sum)]
        #expect(faults(later) == ["/scoring/scales/0/items/0 later_scale"])
        let ambiguous = [
            Scale(id: "n", items: ["q1"], method: .sum), Scale(id: "b", items: ["n"], method: .sum),
        ]
        #expect(faults(ambiguous) == ["/scoring/scales/1/items/0 ambiguous_item"])
    }

    @Test func `only items with a declared range can be reversed`() {
        #expect(faults { $0.reverse = ["n"] } == ["/scoring/scales/0/reverse/0 unknown_item"])
        #expect(faults { $0.reverse = ["q1", "q1"] } == ["/scoring/scales/0/reverse/1 duplicate_item"])
        #expect(
            faults { ($0.items, $0.reverse) = (["n"], ["n"]) } == ["/scoring/scales/0/reverse/0 no_range"])
        #expect(
            faults { ($0.items, $0.reverse) = (["m"], ["m"]) } == ["/scoring/scales/0/reverse/0 no_range"])
        let scales = [
            Scale(id: "a", items: ["q1"], method: .sum),
            Scale(id: "b", items: ["a"], reverse: ["a"], method: .sum),
        ]
        #expect(faults(scales) == ["/scoring/scales/1/reverse/0 no_range"])
    }

    @Test func `numbers of a missing rule have limits`() {
        #expect(faults { $0.method = .value } == ["/scoring/scales/0/items one_item"])
        #expect(
            faults { $0.missing = .prorate(minimumAnswered: 0) } == ["/scoring/scales/0/missing out_of_range"]
        )
        #expect(
            faults { $0.missing = .prorate(minimumAnswered: 3) } == ["/scoring/scales/0/missing out_of_range"]
        )
        #expect(faults { $0.factor = 0 } == ["/scoring/scales/0/factor out_of_range"])
        #expect(faults { $0.factor = .nan } == ["/scoring/scales/0/factor out_of_range"])
        #expect(faults { $0.offset = .infinity } == ["/scoring/scales/0/offset out_of_range"])
        #expect(
            faults { $0.rounding = Rounding(places: 10, mode: .up) } == [
                "/scoring/scales/0/round/places out_of_range"
            ])
        #expect(
            faults { $0.rounding = Rounding(places: .min, mode: .up) } == [
                "/scoring/scales/0/round/places out_of_range"
            ])
    }

    @Test func `overlapping bands are a fault, adjacent bands are not`() {
        func bands(_ bands: [Band]) -> [String] { faults { $0.bands = bands } }

        #expect(bands([Band(id: "a", from: 0, below: 2), Band(id: "b", from: 2, below: 4)]) == [])
        #expect(bands([Band(id: "b", from: 2, below: 4), Band(id: "a", from: 0, below: 2)]) == [])
        #expect(
            bands([Band(id: "a", from: 0, below: 2.1), Band(id: "b", from: 2)]) == [
                "/scoring/scales/0/bands/1 overlapping_bands"
            ])
        #expect(
            bands([Band(id: "a"), Band(id: "b", from: 2, below: 3)]) == [
                "/scoring/scales/0/bands/1 overlapping_bands"
            ])
        #expect(bands([Band(id: "a", from: 2, below: 2)]) == ["/scoring/scales/0/bands/0/below empty_range"])
        #expect(
            bands([Band(id: "a", below: 2), Band(id: "a", from: 2)]) == [
                "/scoring/scales/0/bands/1/id duplicate_id"
            ])
        #expect(
            bands([Band(id: "A", from: .nan)]) == [
                "/scoring/scales/0/bands/0/id bad_id", "/scoring/scales/0/bands/0/from out_of_range",
            ])
    }

    @Test(arguments: [
        (ScoringMethod.sum, 0.0, 8.0), (.mean, 0, 4), (.minimum, 0, 4), (.maximum, 0, 4), (.count, 0, 2),
    ])
    func `a declared range is a fault if scores can be outside of it`(
        method: ScoringMethod, least: Double, greatest: Double
    ) {
        func range(_ minimum: Double, _ maximum: Double) -> [String] {
            faults { ($0.method, $0.minimum, $0.maximum) = (method, minimum, maximum) }
        }

        #expect(range(least, greatest) == [])
        #expect(range(least - 1, greatest + 1) == [])
        #expect(range(least + 0.5, greatest) == ["/scoring/scales/0/minimum range_too_narrow"])
        #expect(range(least, greatest - 0.5) == ["/scoring/scales/0/maximum range_too_narrow"])
        #expect(range(5, 4) == ["/scoring/scales/0/minimum empty_range"])
    }

    @Test func `the attainable range depends on factor, offset, rounding and earlier scales`() {
        func scales(_ minimum: Double, _ maximum: Double) -> [String] {
            faults([
                Scale(id: "a", items: ["q1", "q2"], method: .mean, factor: -2, offset: 10),
                Scale(
                    id: "b", items: ["a", "m"], method: .sum, factor: 0.5,
                    rounding: Rounding(places: 0, mode: .up),
                    minimum: minimum, maximum: maximum),
            ])
        }

        // a: 2…10; m: 0…2; the sum: 2…12; half of it: 1…6
        #expect(scales(1, 6) == [])
        #expect(scales(1.1, 6) == ["/scoring/scales/1/minimum range_too_narrow"])
        #expect(scales(1, 5.9) == ["/scoring/scales/1/maximum range_too_narrow"])
    }
}
