import Foundation
import SaunterCohort
import SaunterCore
import Testing

@testable import saunter

@Suite struct SimulationCheckTests {
    /// The check of a dataset that contains the sheets `a` and `b`.
    private func check(_ outcomes: SubmissionOutcomes) throws -> SimulationCheck {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/data", withIntermediateDirectories: true)
        _ = try folder.file("data/sheets.csv", "sheet_id\nSa\nSb\n")
        _ = try folder.file("data/occasions.csv", "status\ncompleted_on_time\n")
        _ = try folder.file("data/enrolments.csv", "enrolment_id\nEa\n")
        return try withExtendedLifetime(folder) {
            try SimulationCheck(dataset: folder.path, outcomes: outcomes, mails: 0, seconds: 1)
        }
    }

    @Test func `a run is complete if the dataset contains every sheet once`() throws {
        let check = try check(SubmissionOutcomes(acknowledged: ["a", "b"]))

        #expect(check.isComplete)
        #expect(check.json["rejected"] == ["count": 0, "reasons": []])
        #expect(
            check.resultLines == ["All 2 sheets that the server acknowledged are in the dataset, each once."])
    }

    @Test func `the stored decisions of rules are counted by their outcome`() throws {
        let folder = try TestFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/data", withIntermediateDirectories: true)
        _ = try folder.file("data/sheets.csv", "sheet_id\n")
        _ = try folder.file("data/occasions.csv", "status\n")
        _ = try folder.file("data/enrolments.csv", "enrolment_id\n")
        _ = try folder.file(
            "data/decisions.csv",
            "enrolment_id,rule,outcome\nEa,tip,randomised_out\nEa,tip,message\nEb,tip,message\nEb,cup,award\n"
        )

        let check = try withExtendedLifetime(folder) {
            try SimulationCheck(
                dataset: folder.path, outcomes: SubmissionOutcomes(), mails: 2, seconds: 1, hasRules: true)
        }

        #expect(
            check.json["rules"] == [
                ["rule": "cup", "outcomes": ["award": 1]],
                ["rule": "tip", "outcomes": ["message": 2, "randomised_out": 1]],
            ])
    }

    @Test func `a rejection is reported with its reason and makes the run incomplete`() throws {
        let reasons = (1...12).map { "answer_sheet \($0): rejected: It is invalid" }

        let check = try check(SubmissionOutcomes(acknowledged: ["a", "b"], rejections: reasons))

        #expect(!check.isComplete)
        #expect(check.json["whole"] == false)
        #expect(check.json["rejected"]?["count"] == 12)
        #expect(check.json["rejected"]?["reasons"] == JSON.array(reasons.prefix(10).map(JSON.string)))
        #expect(check.resultLines.count == 12)
        #expect(
            check.resultLines[1]
                == "The server rejected 12 records of simulated participants:")
        #expect(check.resultLines.last == "  \(reasons[9])")
    }

    @Test func `a missing or unknown sheet makes the run incomplete`() throws {
        let check = try check(SubmissionOutcomes(acknowledged: ["a", "c"]))

        #expect(!check.isComplete)
        #expect(check.missing == ["Sc"] && check.unknown == ["Sb"])
        #expect(check.resultLines.count == 1)
    }
}
