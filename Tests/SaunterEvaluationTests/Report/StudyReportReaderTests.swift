import SaunterCore
import SaunterStatistics
import Testing

@testable import SaunterEvaluation

@Suite struct StudyReportReaderTests {
    @Test func `the report of a study uses its sheets, days and walks`() async throws {
        try await Garden.with { garden in
            let reader = StudyReportReader(pool: garden.export)

            let report = try await reader.report(study: "garden", now: Garden.now)

            #expect(report.asOf?.description == "2026-03-30T15:00:00.000Z")
            // The sheets that count by version, the same as in the wide file.
            try await garden.dataset { folder, _ in
                let scores = try Array(TableRows("\(folder)/data/scores.csv"))
                var sheets: [String] = []
                for instrument in report.instruments {
                    let wide = try TableRows("\(folder)/data/wide_\(instrument.code).csv").filter {
                        $0["version"] == instrument.version
                    }
                    #expect(instrument.sheetCount == wide.count)
                    sheets += wide.compactMap { $0["sheet_id"] }
                }
                #expect(report.sheetCount == sheets.count && sheets.count > 3)
                #expect(Set(report.instruments.flatMap(\.patterns).map(\.sheet)) == Set(sheets))
                #expect(!scores.isEmpty)
                let days = try Array(TableRows("\(folder)/data/adherence_daily.csv"))
                #expect(report.adherence?.due == days.compactMap { Int($0["due"] ?? "") }.reduce(0, +))
                #expect(report.adherence?.done == days.compactMap { Int($0["done"] ?? "") }.reduce(0, +))
                #expect(report.adherence?.late == days.compactMap { Int($0["late"] ?? "") }.reduce(0, +))
                #expect(report.adherence?.participants.map(\.pseudonym) == ["P001", "P002"])
                let walks = try Array(TableRows("\(folder)/data/walks.csv"))
                #expect(report.walks?.count == walks.count && !walks.isEmpty)
                #expect(report.walks?.map(\.meanSpeed) == walks.map { Double($0["mean_speed_kmh"] ?? "") })
            }
            #expect(report.html.contains("Adherence"))
        }
    }

    @Test func `the statistics of a questionnaire are its part of the report`() async throws {
        try await Garden.with { garden in
            let reader = StudyReportReader(pool: garden.export)
            let report = try await reader.report(study: "garden", now: Garden.now)

            for code in Set(report.instruments.map(\.code)) {
                let statistics = try await reader.statistics(
                    study: "garden", questionnaire: code, now: Garden.now)

                let expected = report.instruments.filter { $0.code == code }
                #expect(statistics.json["versions"] == .array(expected.map(\.json)))
                #expect(statistics.sheetCount == expected.reduce(0) { $0 + $1.sheetCount })
                #expect(statistics.asOf == report.asOf)
                for scale in statistics.instruments.flatMap(\.scales) {
                    let missing = scale.missingByReason.reduce(0) { $0 + $1.count }
                    #expect(Double(missing) == scale.figures.first("missing")?.value.value)
                }
            }
            let blinded = try await reader.statistics(
                study: "garden", questionnaire: "mood", blindingSecret: Array("rain".utf8), now: Garden.now)
            #expect(blinded.instruments.first?.scales.first?.arms.map(\.arm) == ["A", "B"])
            await #expect(throws: DatasetFault.self) {
                try await reader.statistics(study: "garden", questionnaire: "weather")
            }
        }
    }

    @Test func `another change or another version gives statistics another tag`() {
        let tag = QuestionnaireStatistics.tag(changeSequence: 7, versions: "1.0.0 ab")

        #expect(tag == QuestionnaireStatistics.tag(changeSequence: 7, versions: "1.0.0 ab"))
        #expect(tag != QuestionnaireStatistics.tag(changeSequence: 8, versions: "1.0.0 ab"))
        #expect(tag != QuestionnaireStatistics.tag(changeSequence: 7, versions: "1.0.0 ab,1.1.0 cd"))
        let digests = [true, false].map {
            QuestionnaireStatistics.digest(study: "garden", questionnaire: "mood", isBlinded: $0)
        }
        #expect(digests[0] != digests[1])
    }

    @Test func `a filtered report uses the same rows as a filtered dataset`() async throws {
        try await Garden.with { garden in
            let filters = DatasetFilters(
                from: LocalDate("2026-03-29"), to: LocalDate("2026-03-29"), questionnaires: ["mood"],
                arms: ["plants"])

            let report = try await StudyReportReader(pool: garden.export).report(
                study: "garden", filters: filters, now: Garden.now)

            try await garden.dataset(filters: filters) { folder, manifest in
                let wide = try Array(TableRows("\(folder)/data/wide_mood.csv"))
                #expect(report.sheetCount == wide.count && wide.count == 1)
                #expect(report.adherence?.participants.map(\.pseudonym) == ["P001"])
                #expect(report.json["filters"] == manifest.json["filters"])
            }
            #expect(
                report.html.contains(
                    "Contains only a part of the study: from 2026-03-29; to 2026-03-29; arms plants; questionnaires mood. "
                ))
            #expect(
                !StudyReport(filters: DatasetFilters(), instruments: []).html.contains("part of the study"))
        }
    }

    @Test func `the report shows the participant flow by arm`() async throws {
        try await Garden.with { garden in
            let reader = StudyReportReader(pool: garden.export)

            let report = try await reader.report(study: "garden", now: Garden.now)

            #expect(
                report.flow
                    == ParticipantFlow(
                        arms: [
                            .init(name: "plants", allocated: 2, stopped: 0, excluded: 1, analysed: 1),
                            .init(name: "stones", allocated: 1, stopped: 1, excluded: 0, analysed: 1),
                        ], erased: 1))
            #expect(
                report.html.contains(
                    """
                    Participants: 4 enrolled; erased: 1; allocated: 3 (plants 2, stones 1); \
                    stopped: 1 (plants 0, stones 1); excluded: 1 (plants 1, stones 0); \
                    analysed: 2 (plants 1, stones 1).
                    """))
            let scale = try #require(report.instruments.first?.scales.first)
            #expect(scale.arms.map(\.arm) == ["plants", "stones"])
            let filtered = try await reader.report(
                study: "garden", filters: DatasetFilters(arms: ["stones"]), now: Garden.now)
            #expect(filtered.flow?.arms.map(\.name) == ["stones"])
            #expect(filtered.flow?.erased == nil && filtered.flow?.enrolled == 1)
        }
    }

    @Test func `a blinded report of a study has the same numbers and no codes of arms`() async throws {
        try await Garden.with { garden in
            let reader = StudyReportReader(pool: garden.export)
            let open = try await reader.report(study: "garden", now: Garden.now)

            let report = try await reader.report(
                study: "garden", blindingSecret: Array("rain".utf8), now: Garden.now)

            #expect(report.flow?.arms.map(\.name) == ["A", "B"])
            #expect(report.flow?.enrolled == open.flow?.enrolled)
            #expect(Set(report.flow?.arms.map(\.allocated) ?? []) == [1, 2])
            #expect(report.instruments.first?.scales.first?.arms.map(\.arm) == ["A", "B"])
            for text in [report.html, report.json.text, String(decoding: report.figuresCSV, as: UTF8.self)] {
                #expect(!text.contains("plants") && !text.contains("stones"))
            }
        }
    }

    @Test func `an unknown study is rejected, and a report is recorded in the audit log`() async throws {
        try await Garden.with { garden in
            let reader = StudyReportReader(pool: garden.export)

            await #expect(throws: DatasetFault.unknownStudy("forest")) {
                try await reader.report(study: "forest")
            }
            try await reader.record(try await reader.report(study: "garden", now: Garden.now))

            let entries = try await garden.valueAsOwner(
                "select action || ' ' || (detail ->> 'as_of') from audit.entry where study = 'garden'")
            #expect(entries == "report_made 2026-03-30T15:00:00.000Z")
        }
    }
}
