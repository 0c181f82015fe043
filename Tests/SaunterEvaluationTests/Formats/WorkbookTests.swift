import Foundation
import SaunterCore
import SaunterStatisticsFiles
import Testing

@testable import SaunterEvaluation

@Suite struct WorkbookTests {
    @Test func `openpyxl reads the cells of every table from the workbook, with dates and without formulas`()
        async throws
    {
        try await Garden.with { garden in
            try await garden.dataset(profile: .full, formats: [.excel]) { folder, _ in
                let outcome = try Program.run(
                    Program.python, [Garden.fixtures + "/check_workbook.py", folder])
                #expect(
                    outcome.status == 0, "\(outcome.output)\nThe test needs openpyxl: pip install openpyxl")
                #expect(outcome.output.hasSuffix("all as expected\n"))
            }
        }
    }

    /// Rows that only state their number.
    private struct UnreadRows: StatisticsRows {
        let rowCount: Int
        let read: @Sendable () -> Void

        func forEachRow(_ body: ([StatisticsCell]) throws -> Void) throws { read() }
        func widths() throws -> [Int] { [] }
    }

    @Test func `a table with more rows than a sheet can have is not written`() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).xlsx")
        defer { try? FileManager.default.removeItem(at: url) }
        func source(_ rows: Int, isRead: Bool) -> ExcelWorkbook.Source {
            let table = StatisticsTable(
                name: "rows_\(rows)", title: "", path: "data/rows_\(rows).csv", key: [], columns: [],
                reasons: nil)
            return (table, UnreadRows(rowCount: rows) { #expect(isRead) })
        }

        try ExcelWorkbook(
            path: "excel/dataset.xlsx",
            tables: [source(1_048_576, isRead: false), source(1_048_575, isRead: true)], descriptions: [],
            asOf: Garden.now
        ).write(to: url)

        let sheets = try Program.run("unzip", ["-p", url.path, "xl/workbook.xml"]).output
        #expect(sheets.contains("\"contents\"") && sheets.contains("\"rows_1048575\""))
        #expect(!sheets.contains("rows_1048576"))
    }
}
