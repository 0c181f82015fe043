import SaunterCore
import SaunterEvaluation
import Testing

@testable import SaunterServer

@Suite struct FHIRMomentTests {
    @Test(arguments: [
        ("2026", "eq", "2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
        ("ge2026-12", "ge", "2026-12-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"),
        ("lt2026-02-28", "lt", "2026-02-28T00:00:00.000Z", "2026-03-01T00:00:00.000Z"),
        ("2026-03-28T16:30:00Z", "eq", "2026-03-28T16:30:00.000Z", "2026-03-28T16:30:01.000Z"),
        ("sa2026-03-28T16:30:00.250+01:00", "sa", "2026-03-28T15:30:00.250Z", "2026-03-28T15:30:00.251Z"),
    ])
    func `a moment is the span that its text leaves open`(
        text: String, relation: String, from: String, to: String
    ) throws {
        let moment = try #require(ResponseSearch.Moment(fhir: text))

        #expect(moment.relation.rawValue == relation)
        #expect(moment.from.description == from && moment.to.description == to)
    }

    @Test(arguments: [
        "", "ge", "xx2026", "2026-13", "2026-02-30", "26", "2026-1-1", "9999", "now", "2026-00",
    ])
    func `what is no date of FHIR is none`(text: String) {
        #expect(ResponseSearch.Moment(fhir: text) == nil)
    }
}
