import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct ReportPageTests {
    private static let walks = [
        WalkPoint(
            pseudonym: "<b>&\"", day: 0, meanSpeed: 5, targetSpeed: 4, meanHeartRate: nil, activeSeconds: 60),
        WalkPoint(
            pseudonym: "P2", day: 3, meanSpeed: 3.5, targetSpeed: 4, meanHeartRate: 90, activeSeconds: 60),
        WalkPoint(
            pseudonym: "P2", day: 4, meanSpeed: nil, targetSpeed: nil, meanHeartRate: nil, activeSeconds: 0),
    ]

    private static let grid = AdherenceGrid(participants: [
        ("P1", [0: .init(due: 2, done: 1, late: 1), 2: .init(due: 1, done: 0, late: 0)]), ("P2", [:]),
    ])

    @Test func `the page is well-formed, loads no external resources and escapes its texts`()
        throws
    {
        let report = StudyReport(study: "a<b>", instruments: [], adherence: Self.grid, walks: Self.walks)

        let page = report.html

        // An XML parser accepts the page after the two void elements of HTML are closed.
        let xml = page.replacing("<!doctype html>", with: "")
            .replacing(/<meta ([^>]*)>/) { "<meta \($0.1)/>" }
        let outcome = try Program.run(
            "python3", ["-c", "import sys, xml.dom.minidom as m; m.parseString(sys.argv[1])", xml])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(!page.contains("http") && !page.contains("url(") && !page.contains("<script"))
        #expect(!page.contains("<b>") && page.contains("a&lt;b&gt;"))
        #expect(page.contains("1 of 3 due occasions done (33.3 %), 1 of them late"))
        #expect(page.contains("3 walks, 1 of them with a mean speed above"))
        #expect(page.contains("class=\"target\""))
        #expect(page.contains("P1, day 0: 1 of 2 done, 1 late"))
        // The plots of adherence and of walks have this axis.
        #expect(page.ranges(of: ">day of the study</text>").count == 2)
    }

    @Test func `a study without participants has a page too`() {
        let report = StudyReport(
            study: "empty", instruments: [], adherence: AdherenceGrid(participants: []), walks: [])

        #expect(report.html.contains("0 of 0 due occasions done (–)"))
    }

    @Test func `the files of a report are written completely or not at all`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "report-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let report = StudyReport(instruments: [])

        try report.write(to: folder.path)

        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == ["report.csv", "report.html", "report.json", "report_sheets.csv"])
        let json = try JSONReader.read(Array(Data(contentsOf: folder.appending(path: "report.json"))))
        #expect(json["questionnaires"] == [])
        #expect(throws: DatasetFault.self) { try report.write(to: folder.path) }
    }
}
