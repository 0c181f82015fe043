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
        let refusal = #expect(throws: ImportError.self) { _ = try imported(sheets, shared: shared) }
        return refusal?.text
    }

    @Test func `a workbook becomes an instrument, regardless of the order of its sheets`() throws {
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

    @Test func `other sheets are not read`() throws {
        let others = (0..<200).map { (name: "notes \($0)", rows: "<row><c r=") }

        let instrument = try imported(others + [(name: "survey", rows: Self.survey)])

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
    }

    @Test func `only the first of several sheets with the same name is read`() throws {
        let again = (0..<1000).map { (name: $0 % 2 == 0 ? "survey" : "SURVEY", rows: "<row><c r=") }

        let instrument = try imported([(name: "survey", rows: Self.survey)] + again)

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
    }

    /// SF is the last allowed column, the 500th. A cell in it makes its row complete.
    @Test func `blank cells before a cell count, over all sheets together`() {
        let rows = WorkbookFile.rows(1000, inColumn: "SF")
        let reason = "with this sheet the workbook has more than 1000000 cells"

        #expect(refusal([("survey", WorkbookFile.rows(2001, inColumn: "SF"))]) == "survey: \(reason)")
        #expect(
            refusal([("survey", rows), ("choices", WorkbookFile.rows(1001, inColumn: "SF"))])
                == "choices: \(reason)")
        #expect(
            refusal([("survey", rows), ("choices", rows)])?.contains("has no column \"type\"") == true)
    }

    @Test func `cells beyond the last row or column are rejected, not dropped`() {
        let rows = WorkbookFile.rows(50_000, inColumn: "A")
        let one = WorkbookFile.rows(1, inColumn: "A")
        let wide = Self.survey + WorkbookFile.rows(1, inColumn: "SG")

        #expect(refusal([("survey", rows + one)]) == "survey: the sheet has more than 50000 rows")
        #expect(refusal([("survey", rows)])?.contains("has no column \"type\"") == true)
        #expect(refusal([("survey", wide)]) == "survey: the sheet has more than 500 columns")
    }

    @Test func `a shared text counts for every cell that uses it`() {
        let text = String(repeating: "x", count: 1 << 20)
        let cells = String(repeating: #"<row><c t="s"><v>0</v></c></row>"#, count: 49)

        #expect(
            refusal([("survey", cells)], shared: [text])
                == "survey: with this sheet the cells contain more than 48 MiB of text")
    }

    @Test func `formatted blank cells do not count`() throws {
        let formatted = #"<row><c r="XFD9" s="1"/></row>"#

        let instrument = try imported([("survey", Self.survey + String(repeating: formatted, count: 60_000))])

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
    }

    /// The labels of cells, each given as XML.
    private func labels(
        _ cells: [String], formats: [String] = [], properties: String = ""
    ) throws -> [String] {
        let rows = cells.enumerated().map { index, cell in
            let texts = ["text", "q\(index)"].map { #"<c t="inlineStr"><is><t>\#($0)</t></is></c>"# }
            return "<row>\(texts.joined())\(cell)</row>"
        }
        let heading = WorkbookFile.rows([["type", "name", "label"]])
        let bytes = WorkbookFile.bytes(
            [("survey", heading + rows.joined())], formats: formats, properties: properties)
        let questionnaire = try #require(XLSFormImport.read(bytes, name: "form").first).get().questionnaire
        return questionnaire.item.map { questionnaire.text["en"]?.items[$0.linkId] ?? "" }
    }

    @Test func `dates and times are recognised by their style`() throws {
        let formats = ["General", "yyyy-mm-dd", "[Red]0.0 &quot;days&quot;", "[h]:mm", "0.0\\d"]
        let cells = [
            ("45292", 0), ("45292", 1), ("45292.25", 1), ("0.5", 3), ("45292", 2), ("1.5", 4), ("59", 1),
            ("61", 1), ("-1", 1), ("45292", 9), ("2958465", 1), ("2958465.5", 1), ("2958465.999999", 1),
            ("2958466", 1),
        ]
        let texts = cells.map { #"<c s="\#($0.1)"><v>\#($0.0)</v></c>"# }

        #expect(
            try labels(texts, formats: formats) == [
                "45292", "2024-01-01", "2024-01-01T06:00", "12:00", "45292", "1.5", "1900-02-28",
                "1900-03-01", "-1", "45292", "9999-12-31", "9999-12-31T12:00", "2958465.999999", "2958466",
            ])
        let countedFrom1904 = ["45292", "2957003", "2957004"].map { #"<c s="1"><v>\#($0)</v></c>"# }
        #expect(
            try labels(countedFrom1904, formats: formats, properties: #"date1904="1""#) == [
                "2028-01-02", "9999-12-31", "2957004",
            ])
    }

    @Test func `a formula without a result is blank with a remark, one with an empty text is blank`() throws {
        func row(_ formulas: String...) -> String {
            let cells = formulas.map { #"<c r="\#($0)"><f>A1</f><v></v></c>"# }
            return "<row>\(cells.joined())</row>"
        }
        let settings = WorkbookFile.rows([["version", "form_title"]]) + row("A2")

        let instrument = try imported([
            ("survey", Self.survey + row("C3", "D3") + row("C4")), ("settings", settings),
        ])

        #expect(instrument.questionnaire.item.map(\.linkId) == ["age"])
        let blank = "read as blank, because it is a formula without a stored result"
        let again = "Open the workbook, save it and import it again"
        #expect(
            instrument.remarks.map(\.text) == [
                "survey!C3: \(blank) (the first of 3 cells). \(again)", "settings!A2: \(blank). \(again)",
            ])
        let results = [#"<c t="str"><f>A1</f><v></v></c>"#, "<c><f>1+1</f><v>2</v></c>"]
        #expect(try labels(results) == ["q0", "2"])
    }

    @Test func `a missing shared text and a missing sheet are rejected`() throws {
        let text = #"<row><c r="A3" t="s"><v>7</v></c></row>"#
        #expect(
            refusal([("survey", Self.survey + text)], shared: ["one"])
                == "survey: A3 refers to a text that is not in the file")

        var bytes = WorkbookFile.bytes([("survey", Self.survey), ("choices", Self.survey)])
        let name = Array("xl/worksheets/sheet1.xml".utf8)
        for index in bytes.indices.dropLast(name.count)
        where Array(bytes[index..<index + name.count]) == name { bytes[index + name.count - 5] = 0x32 }
        let error = #expect(throws: ImportError.self) { _ = try XLSFormImport.read(bytes, name: "form") }
        #expect(error?.text == "choices: the workbook lists this sheet, but does not contain it")
    }
}
