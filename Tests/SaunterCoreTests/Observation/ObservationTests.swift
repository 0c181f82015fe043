import Testing

@testable import SaunterCore

@Suite struct ObservationTests {
    private static let start = Instant(milliseconds: 1_777_896_000_000)
    private static let own = ObservationCode(system: "urn:example:codes", code: "skin")

    private func faults(
        code: ObservationCode = ObservationTests.own, seconds: Int = 10, tMs: [Int] = [0, 1000],
        untilMs: [Int]? = nil,
        components: [Observation.Component] = [.init(unit: "uS", values: [1, 2])]
    ) -> [String] {
        do {
            _ = try Observation(
                code: code, startedAt: Self.start, endedAt: Self.start.adding(seconds: seconds), tMs: tMs,
                untilMs: untilMs, components: components)
            return []
        } catch {
            return error.list.map { "\($0.pointer) \($0.code)" }
        }
    }

    @Test func `a series, a single reading and time spans are valid`() {
        #expect(faults() == [])
        #expect(faults(seconds: 0, tMs: [0], components: [.init(unit: "uS", values: [1])]) == [])
        #expect(faults(untilMs: [1000, 10_000]) == [])
        #expect(faults(components: [.init(unit: "uS", values: [nil, 2])]) == [])
    }

    @Test func `times and columns that do not fit are faults`() {
        #expect(faults(seconds: -1).contains("/ended_at ends_before_start"))
        #expect(faults(seconds: 15 * 86_400) == ["/ended_at too_long"])
        // A single value can span a year, but a series spans at most fourteen days.
        func faultsOfSingleValue(_ days: Int, at time: Int = 0) -> [String] {
            faults(
                seconds: days * 86_400, tMs: [time], untilMs: [days * 86_400_000],
                components: [.init(unit: "uS", values: [1])])
        }
        #expect(faultsOfSingleValue(366) == [] && faultsOfSingleValue(367) == ["/ended_at too_long"])
        #expect(faultsOfSingleValue(366, at: 15 * 86_400_000) == ["/t_ms/0 outside"])
        #expect(faults(tMs: [1000, 1000]) == ["/t_ms/1 not_increasing"])
        #expect(faults(tMs: [-1, 10_001]) == ["/t_ms/0 outside", "/t_ms/1 outside"])
        #expect(faults(tMs: [], components: [.init(unit: "uS", values: [])]).contains("/t_ms wrong_count"))
        #expect(faults(untilMs: [500]) == ["/until_ms unequal_length"])
        #expect(faults(untilMs: [-1, 10_001]) == ["/until_ms/0 outside", "/until_ms/1 outside"])
        #expect(
            faults(components: [.init(unit: "uS", values: [1])]) == ["/components/0/values unequal_length"])
        #expect(faults(components: [.init(unit: "uS", values: [nil, nil])]) == ["/components empty"])
        #expect(faults(components: []) == ["/components wrong_count"])
        #expect(
            faults(components: [.init(unit: "sweat", values: [1, .infinity])])
                == ["/components/0/unit not_a_unit", "/components/0/values/1 not_finite"])
        #expect(
            faults(components: Array(repeating: .init(unit: "uS", values: [1, 2]), count: 2)) == [
                "/components given_twice"
            ])
    }

    @Test func `a known code limits the units and values`() {
        let heart = ObservationCode(system: ObservationCode.loinc, code: "8867-4")
        #expect(faults(code: heart, components: [.init(unit: "/min", values: [60, 61])]) == [])
        #expect(
            faults(code: heart, components: [.init(unit: "mm[Hg]", values: [60, 1000])])
                == ["/components/0/unit wrong_unit", "/components/0/values/1 out_of_range"])
    }

    @Test func `a value without a known range is at most 10^15 in magnitude`() {
        // A litre of blood contains about 5 × 10^12 erythrocytes.
        #expect(faults(components: [.init(unit: "/L", values: [5e12, -1e15])]) == [])
        #expect(
            faults(components: [.init(unit: "/L", values: [1e15, 1.1e15])])
                == ["/components/0/values/1 out_of_range"])
    }

    @Test func `the unit of a code can have every spelling of UCUM`() {
        let heart = ObservationCode(system: ObservationCode.loinc, code: "8867-4")
        let glucose = ObservationCode(system: ObservationCode.loinc, code: "15074-8")
        #expect(faults(code: heart, components: [.init(unit: "1/min", values: [60, 61])]) == [])
        #expect(faults(code: glucose, components: [.init(unit: "mmol/l", values: [5, 6])]) == [])
        #expect(
            faults(code: glucose, components: [.init(unit: "umol/l", values: [5, 6])])
                == ["/components/0/unit wrong_unit"])
    }

    @Test(arguments: [
        ("8867-4", true), ("8867-5", false), ("8867", false), ("88674", false), ("-4", false),
        ("a867-4", false), ("12345678-9", false),
    ])
    func `a LOINC code has a valid check digit`(code: String, isValid: Bool) {
        #expect(ObservationCode.isLOINC(code) == isValid)
    }

    @Test func `a code system is a URI`() {
        #expect(faults(code: .init(system: "mine", code: "a")) == ["/code/system not_a_uri"])
        #expect(
            faults(code: .init(system: "urn:a b", code: "")) == [
                "/code/system not_a_uri", "/code/code wrong_length",
            ])
    }

    @Test func `the number of faults of a hostile observation is limited`() {
        let values = [Double?](repeating: -.infinity, count: 50_000)
        #expect(
            faults(tMs: Array(repeating: -1, count: 50_000), components: [.init(unit: "uS", values: values)])
                .count == 100)
    }

    @Test func `a summary ignores missing values`() {
        #expect(
            ObservationSummary(of: [nil, 3, 1, nil, 2.5]).mean == 2.166667)
        let none = ObservationSummary(of: [nil])
        #expect(none.count == 0 && none.mean == nil && none.minimum == nil && none.maximum == nil)
    }
}
