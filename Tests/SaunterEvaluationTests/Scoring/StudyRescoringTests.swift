import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct StudyRescoringTests {
    @Test func `missing scores are added once, with the version of each sheet, and old scores are kept`()
        async throws
    {
        try await Garden.with { garden in
            let scoring = StudyRescoring(pool: garden.research)

            let first = try await scoring.run(study: "garden")
            let second = try await scoring.run(study: "garden")

            // Two revisions of one sheet and two more sheets, one of them unscheduled. A deleted sheet is not scored.
            #expect(first.figures == [5, 5, 10, 0])
            #expect(second.figures == [5, 0, 0, 0])
            #expect(
                try await garden.value("select count(*) from research.score where key_digest = 'old'") == "2")
            #expect(try await garden.value(Self.score("c1", 1, "feeling")) == "0.1")
            #expect(try await garden.value(Self.score("c1", 2, "feeling")) == "0.2")
            // Option 2 of version 1.1.0, whose options run from 3 to 1, is 1.
            #expect(try await garden.value(Self.score("c5", 1, "feeling")) == "0.1")
            #expect(try await garden.value(Self.score("c3", 1, "reasons")) == "not_shown")
        }
    }

    @Test func `only the missing scores are added`() async throws {
        try await Garden.with { garden in
            let scoring = StudyRescoring(pool: garden.research)
            _ = try await scoring.run(study: "garden")
            try await garden.change(
                "delete from research.rescored_sheet where sheet_id::text like '%c3'")

            #expect(try await scoring.run(study: "garden").figures == [5, 1, 2, 0])
        }
    }

    @Test func `a damaged sheet is listed and the others are scored`() async throws {
        try await Garden.with { garden in
            try await garden.change(
                "update research.answer_sheet set slots[1] = 7 where sheet_id::text like '%c3'")

            let report = try await StudyRescoring(pool: garden.research).run(study: "garden")

            #expect(report.scored == 4)
            #expect(report.damaged.count == 1)
            #expect(report.damaged.first?.contains("mood 1.0.0 sheet") == true)
        }
    }

    @Test func `an unknown study is rejected`() async throws {
        try await Garden.with { garden in
            await #expect(throws: DatasetFault.unknownStudy("nowhere")) {
                try await StudyRescoring(pool: garden.research).run(study: "nowhere")
            }
        }
    }

    private static func score(_ sheet: String, _ revision: Int, _ scale: String) -> String {
        "select coalesce(value::text, reason) from research.score where sheet_id::text like '%\(sheet)' and revision = \(revision) "
            + "and scale = '\(scale)' and key_digest <> 'old'"
    }
}

extension StudyRescoring.Report {
    fileprivate var figures: [Int] { [sheets, scored, rows, damaged.count] }
}
