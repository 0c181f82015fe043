import SaunterCore
import SaunterServer
import Testing

@testable import SaunterEvaluation
@testable import SaunterReaders

@Suite struct ODataFilterTests {
    @Test(arguments: [
        "rev eq 1", "(rev eq 1)", "not rev eq 1", "instrument eq 'it''s' and rev lt 2 or deleted eq true",
        "submitted_at ge 2026-03-28T16:30:00Z", "occasion_id ne null", "late_s gt -1.5e3",
    ])
    func `comparisons and their combinations are parsed`(text: String) throws {
        _ = try ODataFilter.parse(text, of: Tables.sheets)
    }

    @Test func `and binds more tightly than or, and two quotes in a text mean one`() throws {
        let condition = try ODataFilter.parse(
            "rev eq 1 or rev eq 2 and instrument eq 'it''s'", of: Tables.sheets)

        guard case .any(let parts) = condition, parts.count == 2, case .all(let both) = parts[1],
            case .compare("instrument", .equal, let text) = both[1]
        else {
            Issue.record("\(condition)")
            return
        }
        #expect(text == "it's")
    }

    @Test(arguments: [
        "", "rev", "rev eq", "rev is 1", "hat eq 1", "rev eq 1 and", "(rev eq 1", "rev eq 1)", "rev eq 'x'",
        "instrument eq x", "instrument eq 'x", "deleted eq 1", "rev gt null", "rev eq nan", "rev eq 1e999",
        "contains(instrument,'x')", String(repeating: "(", count: 3999),
        String(repeating: "not ", count: 900),
        String(repeating: "x", count: 4001),
    ])
    func `a text outside the grammar is rejected`(text: String) {
        #expect(throws: Problem.self) { try ODataFilter.parse(text, of: Tables.sheets) }
    }
}
