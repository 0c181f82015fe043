import SaunterCore
import Testing

@testable import SaunterExchange

@Suite struct WorkbookTests {
    private static let survey = WorkbookFile.rows([
        ["type", "name", "label"], ["integer", "age", "How old?"],
    ])

    private func imported(
        _ sheets: [(name: String, rows: String)], shared: [String] = []
    ) throws -> ImportedInstrument {
        let bytes = WorkbookFile.bytes(sheets, shared: shared)
        return try #require(XLSFormImport.read(bytes, name: "form").first).get()
    }

    private func refusal(_ sheets: [(name: String, rows: String)], shared: [String] = []) -> String? {
        let refusal = #expect(throws: ImportRefusal.self) { _ = try imported(sheets, shared: shared) }
        return refusal?.text
    }

    @Test func `a workbook becomes an instrument, whatever the order of its sheets`() throws {
        let choices = WorkbookFile.rows([
            ["list_name", "name", "label"], ["yn", "yes", "Yes"], ["yn", "no", "No"],
        ])
        let survey = WorkbookFile.rows([
            ["type", "name", "label"], ["integer", "age", "How old?"], ["select_one yn", "walks", "Walks?"],
        ])

        let items = try imported([("Choices", choices), ("notes", "<row/>"), (" Survey ", survey)])
            .questionnaire.item

        #expect(items.map(\.linkId) == ["age", "walks"])
        #expect(items[1].answerOption.map(\.value.text) == ["yes", "no"])
    }

    @Test func `sheets that no form has are not read`() throws {
        let others = (0..<200).map { (name: "notes \($0)", rows: "<row><c r=") }

        let instrument = try imported(others + [(name: "survey", rows: Self.survey)])

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
    }

    @Test func `of sheets with one name the first is read, and once`() throws {
        let again = (0..<1000).map { (name: $0 % 2 == 0 ? "survey" : "SURVEY", rows: "<row><c r=") }

        let instrument = try imported([(name: "survey", rows: Self.survey)] + again)

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
    }

    /// SF is the last column that is taken, the five hundredth: a cell in it fills its row.
    @Test func `the blanks before a cell count, and those of all sheets together`() {
        let rows = WorkbookFile.rows(1000, inColumn: "SF")
        let reason = "with it the workbook has more than 1000000 cells"

        #expect(refusal([("survey", WorkbookFile.rows(2001, inColumn: "SF"))]) == "survey: \(reason)")
        #expect(
            refusal([("survey", rows), ("choices", WorkbookFile.rows(1001, inColumn: "SF"))])
                == "choices: \(reason)")
        #expect(
            refusal([("survey", rows), ("choices", rows)])?.contains("needs the column type") == true)
    }

    @Test func `what is beyond the last row or column is refused, and not dropped`() {
        let rows = WorkbookFile.rows(50_000, inColumn: "A")
        let one = WorkbookFile.rows(1, inColumn: "A")
        let wide = Self.survey + WorkbookFile.rows(1, inColumn: "SG")

        #expect(refusal([("survey", rows + one)]) == "survey: it has more than 50000 rows")
        #expect(refusal([("survey", rows)])?.contains("needs the column type") == true)
        #expect(refusal([("survey", wide)]) == "survey: it has more than 500 columns")
    }

    @Test func `a shared text counts wherever it stands`() {
        let text = String(repeating: "x", count: 1 << 20)
        let cells = String(repeating: #"<row><c t="s"><v>0</v></c></row>"#, count: 49)

        #expect(
            refusal([("survey", cells)], shared: [text])
                == "survey: with it the cells hold more than 48 MiB of text")
    }

    @Test func `blank cells of a sheet that is formatted to its end are none`() throws {
        let formatted = #"<row><c r="XFD9" s="1"/></row>"#

        let instrument = try imported([("survey", Self.survey + String(repeating: formatted, count: 60_000))])

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
    }
}
