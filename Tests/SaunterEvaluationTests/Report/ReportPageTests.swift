import Foundation
import SaunterCore
import Testing

@testable import SaunterEvaluation

@Suite struct ReportPageTests {
    private static let walks = [
        WalkPoint(
            person: "<b>&\"", day: 0, meanSpeed: 5, targetSpeed: 4, meanHeartRate: nil, activeSeconds: 60),
        WalkPoint(person: "P2", day: 3, meanSpeed: 3.5, targetSpeed: 4, meanHeartRate: 90, activeSeconds: 60),
        WalkPoint(
            person: "P2", day: 4, meanSpeed: nil, targetSpeed: nil, meanHeartRate: nil, activeSeconds: 0),
    ]

    private static let grid = AdherenceGrid(people: [
        ("P1", [0: .init(due: 2, done: 1, late: 1), 2: .init(due: 1, done: 0, late: 0)]), ("P2", [:]),
    ])

    @Test func `the page is well-formed, asks for nothing from elsewhere, and quotes what it was given`()
        throws
    {
        let report = StudyReport(study: "a<b>", instruments: [], adherence: Self.grid, walks: Self.walks)

        let page = report.html

        // A reader of XML takes it once the two marks that only HTML has are closed.
        let xml = page.replacing("<!doctype html>", with: "")
            .replacing(/<meta ([^>]*)>/) { "<meta \($0.1)/>" }
        let outcome = try Program.run(
            "python3", ["-c", "import sys, xml.dom.minidom as m; m.parseString(sys.argv[1])", xml])
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(!page.contains("http") && !page.contains("url(") && !page.contains("<script"))
        #expect(!page.contains("<b>") && page.contains("a&lt;b&gt;"))
        #expect(page.contains("1 of 3 done that were due (33.3 %), 1 of them late"))
        #expect(page.contains("3 walks, 1 of them faster"))
        #expect(page.contains("class=\"target\""))
        #expect(page.contains("P1, day 0: 1 of 2 done, 1 late"))
    }

    @Test func `a study of nobody has a page too`() {
        let report = StudyReport(
            study: "empty", instruments: [], adherence: AdherenceGrid(people: []), walks: [])

        #expect(report.html.contains("0 of 0 done that were due (–)"))
    }

    @Test func `the files of a report appear together or not at all`() throws {
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
