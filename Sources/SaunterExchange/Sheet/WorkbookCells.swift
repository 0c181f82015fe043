import Foundation

/// What the sheets of a workbook may still take, together.
struct WorkbookRoom {
    static let mostCells = 1_000_000
    static let mostBytes = 48 << 20

    /// As they are kept: the blanks before the last cell of a row are cells, too.
    var cells = WorkbookRoom.mostCells
    /// Of texts. One shared text counts wherever it stands, because whoever reads the cells looks at it as often.
    var bytes = WorkbookRoom.mostBytes
}

/// The cells of one sheet.
final class WorkbookCells: WorkbookElements {
    private static let maximumColumns = 500
    private static let maximumRows = 50_000
    /// Of a workbook, by its format.
    private static let mostRows = 1_048_576

    private(set) var rows: [Grid.Row] = []
    /// What the sheets after this one may take.
    private(set) var room: WorkbookRoom
    /// Formulas whose results nobody has stored, as programs leave them that write workbooks and reckon nothing: the place of the first,
    /// and how many there are. They are read as blanks.
    private(set) var unsolved: (first: String, count: Int)?
    private let shared: [String]
    private let moments: WorkbookMoments
    private var cells: [String] = []
    private var number = 0
    private var column = 0
    private var type = ""
    private var text = ""
    private var isValue = false
    private var isFormula = false
    private var style = 0

    init(shared: [String], moments: WorkbookMoments, room: WorkbookRoom) {
        self.shared = shared
        self.moments = moments
        self.room = room
    }

    override func begin(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "row":
            let given = attributes["r"].flatMap { Int($0) } ?? number + 1
            number = (1...Self.mostRows).contains(given) ? given : number
            (cells, column) = ([], 0)
        case "c":
            if let place = attributes["r"], let found = Self.column(place) { column = found }
            (type, text, isFormula) = (attributes["t"] ?? "n", "", false)
            style = attributes["s"].flatMap { Int($0) } ?? 0
        case "f": isFormula = true
        case "v", "t": isValue = true
        default: break
        }
    }

    override func end(_ name: String) {
        switch name {
        case "v", "t": isValue = false
        case "c":
            // A formula whose result is an empty text says that it is a text.
            if isFormula, type == "n", text.isEmpty {
                unsolved = (unsolved?.first ?? place, (unsolved?.count ?? 0) + 1)
            }
            guard let found = value else { return refuse("\(place) names a text that is not in the file") }
            if !found.isEmpty { keep(found) }
            column += 1
        case "row":
            let isFilled = cells.contains { $0.contains { !$0.isWhitespace } }
            if isFilled { keepRow() }
        default: break
        }
    }

    private func keep(_ value: String) {
        guard column < Self.maximumColumns else {
            return refuse("it has more than \(Self.maximumColumns) columns")
        }
        room.bytes -= value.utf8.count
        guard room.bytes >= 0 else {
            return refuse("with it the cells hold more than \(WorkbookRoom.mostBytes >> 20) MiB of text")
        }
        while cells.count <= column { cells.append("") }
        cells[column] = value
    }

    private func keepRow() {
        guard rows.count < Self.maximumRows else {
            return refuse("it has more than \(Self.maximumRows) rows")
        }
        room.cells -= cells.count
        guard room.cells >= 0 else {
            return refuse("with it the workbook has more than \(WorkbookRoom.mostCells) cells")
        }
        rows.append(.init(number: number, cells: cells))
    }

    override func take(_ string: String) { if isValue { text += string } }

    private var place: String { Grid.letters(column) + String(number) }

    /// Nil for a shared text that is not there.
    private var value: String? {
        switch type {
        case "s" where text.isEmpty: return ""
        case "s": return Int(text).flatMap { shared.indices.contains($0) ? shared[$0] : nil }
        case "b": return text == "1" ? "TRUE" : "FALSE"
        default:
            guard type == "n", let number = Double(text) else { return text }
            if let moment = moments.text(number, style: style) { return moment }
            // Whole numbers are stored as 1.0 by some.
            return number == number.rounded() && abs(number) < 1e15 ? String(Int64(number)) : text
        }
    }

    /// The column of `BC12`, from 0.
    private static func column(_ place: String) -> Int? {
        var column = 0
        for byte in place.utf8.prefix(4) {
            guard (65...90).contains(byte) else { break }
            column = column * 26 + Int(byte - 64)
        }
        return column == 0 ? nil : column - 1
    }
}
