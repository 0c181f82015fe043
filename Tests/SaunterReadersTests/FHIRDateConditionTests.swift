import SaunterCore
import SaunterEvaluation
import Testing

@testable import SaunterReaders

@Suite struct FHIRDateConditionTests {
    @Test(arguments: [
        ("2026", "eq", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
        ("ge2026-12", "ge", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
        ("lt2026-02-28", "lt", "2026-02-28T00:00:00.000Z", "2026-03-01T00:00:00.000Z"),
        ("2026-03-28T16:30:00Z", "eq", "2026-03-28T16:30:00.000Z", "2026-03-28T16:30:01.000Z"),
        ("sa2026-03-28T16:30:00.250+01:00", "sa", "2026-03-28T15:30:00.250Z", "2026-03-28T15:30:00.251Z"),
    ])
    func `a date parameter means the span that its precision leaves open`(
        text: String, relation: String, from: String, to: String
    ) throws {
        let condition = try #require(ResponseSearch.DateCondition(fhir: text))

        #expect(condition.relation.rawValue == relation)
        #expect(condition.from.description == from && condition.to.description == to)
    }

    @Test(arguments: [
        "", "ge", "xx2026", "2026-13", "2026-02-30", "26", "2026-1-1", "9999", "now", "2026-00",
    ])
    func `a text that is not a FHIR date is rejected`(text: String) {
        #expect(ResponseSearch.DateCondition(fhir: text) == nil)
    }
}
