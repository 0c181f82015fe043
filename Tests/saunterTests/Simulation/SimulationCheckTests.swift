import Foundation
import SaunterCohort
import SaunterCore
import Testing

@testable import saunter

@Suite struct SimulationCheckTests {
    /// What is said of a dataset that holds the sheets `a` and `b`.
    private func check(_ handedIn: HandedIn) throws -> SimulationCheck {
        let scratch = try Scratch()
        try FileManager.default.createDirectory(
            atPath: "\(scratch.path)/data", withIntermediateDirectories: true)
        _ = try scratch.file("data/sheets.csv", "sheet_id\nSa\nSb\n")
        _ = try scratch.file("data/occasions.csv", "status\ncompleted_on_time\n")
        _ = try scratch.file("data/enrolments.csv", "enrolment_id\nEa\n")
        return try withExtendedLifetime(scratch) {
            try SimulationCheck(dataset: scratch.path, handedIn: handedIn, mails: 0, seconds: 1)
        }
    }

    @Test func `a run of which every sheet is in the dataset once is whole`() throws {
        let check = try check(HandedIn(acknowledged: ["a", "b"]))

        #expect(check.isWhole)
        #expect(check.json["rejected"] == ["count": 0, "reasons": []])
        #expect(
            check.verdict == ["All 2 sheets that the server acknowledged are in the dataset, each once."])
    }

    @Test func `a rejection is told with its reason, and the run is not whole`() throws {
        let reasons = (1...12).map { "answer_sheet \($0): rejected: It is invalid" }

        let check = try check(HandedIn(acknowledged: ["a", "b"], rejections: reasons))

        #expect(!check.isWhole)
        #expect(check.json["whole"] == false)
        #expect(check.json["rejected"]?["count"] == 12)
        #expect(check.json["rejected"]?["reasons"] == JSON.array(reasons.prefix(10).map(JSON.string)))
        #expect(check.verdict.count == 12)
        #expect(
            check.verdict[1]
                == "The server rejected 12 of what made-up people handed in:")
        #expect(check.verdict.last == "  \(reasons[9])")
    }

    @Test func `a sheet that is missing or unknown leaves the run not whole`() throws {
        let check = try check(HandedIn(acknowledged: ["a", "c"]))

        #expect(!check.isWhole)
        #expect(check.missing == ["Sc"] && check.unknown == ["Sb"])
        #expect(check.verdict.count == 1)
    }
}
