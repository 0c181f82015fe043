import Foundation
import Logging
import HTTPTypes
import SaunterCore
import SaunterStore
import Testing

@testable import SaunterServer

/// The statistics and the single scores of a study.
@Suite struct StatisticsTests {
    private static let study = "/v1/studies/mindful-walking"
    private static let path = "\(study)/statistics/who_5"

    /// Computes all statistics that are queued, as the background task of a server does.
    private static func compute(_ server: ServerFixture) async throws {
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let service = ExportService(
            store: server.store, ingest: IngestQueue(store: server.store, logger: logger),
            dataDirectory: FileManager.default.temporaryDirectory.path, now: { ServerFixture.now },
            logger: logger)
        while try await service.runNext(.statistics) {}
    }

    @Test func `statistics are computed on request, and new sheets make them stale`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            _ = try await ada.put(
                ada.newRecord("answer-sheets"), SampleSheet.body("who_5", SampleSheet.who5))
            let rosa = try await ada.researcher()

            let asked = try await rosa.send(.post, Self.path)
            #expect([200, 202].contains(asked.status))
            try await Self.compute(ada.server)
            // Another test of this server may still run the job, or have deleted its result.
            var found = try await rosa.get(Self.path).json
            for _ in 0..<60 where found["computed_at"]?.string == nil {
                try await Task.sleep(for: .seconds(1))
                _ = try await rosa.send(.post, Self.path)
                try await Self.compute(ada.server)
                found = try await rosa.get(Self.path).json
            }

            #expect(found["computed_at"]?.string != nil && found["change_seq"]?.int ?? 0 > 0)
            let version = try #require(found["versions"]?.array?.first)
            #expect(version["sheets"] == found["sheets"] && version["sheets"]?.int ?? 0 > 0)
            for scale in version["scales"]?.array ?? [] {
                let figures = scale["figures"]?.array ?? []
                let n = figures.first { $0["figure"]?.string == "n" }?["value"]?.int ?? 0
                let missing = (scale["missing_by_reason"]?.array ?? []).reduce(0) { $0 + ($1["n"]?.int ?? 0) }
                #expect(n + missing == version["sheets"]?.int)
            }
            // Tests of exports delete results of the study at any time. Then they are computed again.
            var numbers: (listed: Int, newer: Int, isStale: Bool) = (0, 0, false)
            for attempt in 0..<5 where numbers.listed == 0 || numbers.newer == 0 {
                if attempt > 0 {
                    _ = try await rosa.send(.post, Self.path)
                    try await Self.compute(ada.server)
                }
                let listed = try await rosa.get("\(Self.study)/statistics").json["items"]?.array?.first {
                    $0["questionnaire"]?.string == "who_5"
                }
                _ = try await ada.put(
                    ada.newRecord("answer-sheets"), SampleSheet.body("who_5", SampleSheet.who5))
                let later = try await rosa.get(Self.path).json
                numbers = (
                    listed?["scales"]?.array?.first?["n"]?.int ?? 0, later["newer_changes"]?.int ?? 0,
                    later["stale"]?.bool == true
                )
            }
            #expect(numbers.listed > 0 && numbers.newer > 0 && numbers.isStale)
        }
    }

    @Test func `a score has the value that the sheet has`() async throws {
        try await ServerFixture.withParticipant { ada async throws in
            let sheet = ada.newRecord("answer-sheets")
            _ = try await ada.put(sheet, SampleSheet.body("who_5", SampleSheet.who5))
            let name = try #require(try await ada.get(ada.own("")).json["participant_id"]?.string)
            let rosa = try await ada.researcher()
            let base = "\(Self.study)/scores?participant=\(name)"

            let scores = try await rosa.pages("\(base)&questionnaire=who_5&limit=1")
            let stored = try await rosa.get(
                "\(Self.study)/participants/\(name)/answer-sheets/\(sheet.suffix(36))"
            ).json["scores"]?.array

            #expect(!scores.isEmpty && scores.count == stored?.count)
            for score in scores {
                let own = stored?.first { $0["scale"] == score["scale"] }
                for member in ["value", "reason", "band", "key_version"] {
                    #expect(score[member] == own?[member], "\(member)")
                }
                // The sheet has the language of its answers, the list the first language of the study.
                #expect(own?["label"] == "Wellbeing" && score["label"] == "Wohlbefinden")
                #expect(score["sheet_id"]?.string == String(sheet.suffix(36)))
            }
            let arm = try #require(scores.first?["arm"]?.string)
            #expect(try await rosa.pages("\(base)&arm=\(arm)&limit=100").count == scores.count)
            for filter in ["arm=none", "scale=none", "questionnaire=pss_10", "questionnaire=none"] {
                #expect(try await rosa.pages("\(base)&\(filter)&limit=100").isEmpty, "\(filter)")
            }
            #expect(try await rosa.get("\(base)&cursor=x").status == 400)
        }
    }

    @Test(arguments: [("mindful-walking", "unknown"), ("pocket-diary", "pocket_note")])
    func `a questionnaire that the study does not have or that has no scales has no statistics`(
        study: String, questionnaire: String
    ) async throws {
        try await ServerFixture.withResearcher(of: study) { rosa async throws in
            let path = "/v1/studies/\(study)/statistics/\(questionnaire)"

            try await rosa.get(path).expectProblem(404, "not-found")
            try await rosa.send(.post, path).expectProblem(404, "not-found")
        }
    }
}
