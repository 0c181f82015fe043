import Foundation

/// The cells and bytes of text that the remaining sheets of a workbook may have.
struct WorkbookBudget {
    static let maximumCells = 1_000_000
    static let maximumBytes = 48 << 20

    /// The number of cells that may still be stored. The blank cells before the last cell of a row count too.
    var cells = WorkbookBudget.maximumCells
    /// The number of bytes of text that may still be stored. A shared text counts for every cell that uses it, because
    /// every use is processed.
    var bytes = WorkbookBudget.maximumBytes
}

/// Reads the cells of one sheet.
final class WorksheetReader: WorkbookXMLReader {
    private static let maximumColumns = 500
    private static let maximumRows = 50_000
    /// The highest row number that the format allows.
    private static let highestRowNumber = 1_048_576

    private(set) var rows: [Worksheet.Row] = []
    /// The budget that remains for the following sheets.
    private(set) var budget: WorkbookBudget
    /// The reference of the first formula without a stored result, and the number of such formulas. Programs that
    /// write workbooks without calculating them produce such formulas. They are read as blank cells.
    private(set) var formulasWithoutResult: (first: String, count: Int)?
    private let shared: [String]
    private let dates: WorkbookDates
    private var cells: [String] = []
    private var number = 0
    private var column = 0
    private var type = ""
    private var text = ""
    private var isValue = false
    private var isFormula = false
    private var style = 0

    init(shared: [String], dates: WorkbookDates, budget: WorkbookBudget) {
        self.shared = shared
        self.dates = dates
        self.budget = budget
    }

    override func didStart(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "row":
            let given = attributes["r"].flatMap { Int($0) } ?? number + 1
            number = (1...Self.highestRowNumber).contains(given) ? given : number
            (cells, column) = ([], 0)
        case "c":
            if let reference = attributes["r"], let found = Self.column(reference) { column = found }
            (type, text, isFormula) = (attributes["t"] ?? "n", "", false)
            style = attributes["s"].flatMap { Int($0) } ?? 0
        case "f": isFormula = true
        case "v", "t": isValue = true
        default: break
        }
    }

    override func didEnd(_ name: String) {
        switch name {
        case "v", "t": isValue = false
        case "c":
            // A formula whose result is an empty text has the type `str`, so it is not counted.
            if isFormula, type == "n", text.isEmpty {
                formulasWithoutResult = (
                    formulasWithoutResult?.first ?? reference, (formulasWithoutResult?.count ?? 0) + 1
                )
            }
            guard let found = value else {
                return reject("\(reference) refers to a text that is not in the file")
            }
            if !found.isEmpty { append(found) }
            column += 1
        case "row":
            let isFilled = cells.contains { $0.contains { !$0.isWhitespace } }
            if isFilled { appendRow() }
        default: break
        }
    }

    private func append(_ value: String) {
        guard column < Self.maximumColumns else {
            return reject("the sheet has more than \(Self.maximumColumns) columns")
        }
        budget.bytes -= value.utf8.count
        guard budget.bytes >= 0 else {
            return reject(
                "with this sheet the cells contain more than \(WorkbookBudget.maximumBytes >> 20) MiB of text"
            )
        }
        while cells.count <= column { cells.append("") }
        cells[column] = value
    }

    private func appendRow() {
        guard rows.count < Self.maximumRows else {
            return reject("the sheet has more than \(Self.maximumRows) rows")
        }
        budget.cells -= cells.count
        guard budget.cells >= 0 else {
            return reject("with this sheet the workbook has more than \(WorkbookBudget.maximumCells) cells")
        }
        rows.append(.init(number: number, cells: cells))
    }

    override func didRead(_ string: String) { if isValue { text += string } }

    private var reference: String { Worksheet.letters(column) + String(number) }

    /// The text of the current cell; nil if it refers to a shared text that does not exist.
    private var value: String? {
        switch type {
        case "s" where text.isEmpty: return ""
        case "s": return Int(text).flatMap { shared.indices.contains($0) ? shared[$0] : nil }
        case "b": return text == "1" ? "TRUE" : "FALSE"
        default:
            guard type == "n", let number = Double(text) else { return text }
            if let date = dates.text(number, style: style) { return date }
            // Some programs store whole numbers as 1.0.
            return number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : text
        }
    }

    /// The column index of a reference such as `BC12`, from 0.
    private static func column(_ reference: String) -> Int? {
        var column = 0
        for byte in reference.utf8.prefix(4) {
            guard (65...90).contains(byte) else { break }
            column = column * 26 + Int(byte - 64)
        }
        return column == 0 ? nil : column - 1
    }
}
