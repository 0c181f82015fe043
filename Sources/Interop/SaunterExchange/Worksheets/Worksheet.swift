/// The cells of a CSV file, or of one sheet of a workbook.
struct Worksheet {
    struct Row {
        /// The number of the row in a workbook, from 1. In a CSV file, the number of the line on which the row begins.
        let number: Int
        let cells: [String]
    }

    /// The name of the sheet; nil for a CSV file.
    let name: String?
    var rows: [Row]

    /// The location of a cell or row for remarks: `survey!B7`, or `line 7, column 2` in a CSV file.
    func location(row: Int, column: Int?) -> String {
        guard let name else { return "line \(row)" + (column.map { ", column \($0 + 1)" } ?? "") }
        return "\(name)!\(column.map(Self.letters) ?? "")\(row)"
    }

    /// The letters of a column: 0 is A, 26 is AA.
    static func letters(_ column: Int) -> String {
        var (letters, rest) = ("", column)
        repeat {
            letters = String(UnicodeScalar(UInt8(65 + rest % 26))) + letters
            rest = rest / 26 - 1
        } while rest >= 0
        return letters
    }
}

extension Worksheet {
    private static let maximumBytes = 32 << 20
    private static let maximumCells = 1_000_000

    /// Reads CSV in UTF-8. The delimiter is the comma, semicolon or tab that is most frequent in the first line. A
    /// quote inside an unquoted cell is part of the text. A quote that is never closed is an error,
    /// because all following rows would become part of one cell.
    init(csv bytes: [UInt8]) throws(ImportError) {
        guard bytes.count <= Self.maximumBytes else {
            throw ImportError(location: "", detail: "larger than \(Self.maximumBytes >> 20) MiB")
        }
        var bytes = bytes[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        guard !bytes.contains(0) else {
            throw ImportError(location: "", detail: "the file is not a text in UTF-8")
        }
        if let line = Self.firstInvalidLine(bytes) {
            throw ImportError(
                location: "line \(line)", detail: "the text is not UTF-8. Save the file in UTF-8")
        }
        let head = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        let delimiter =
            [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].max { one, other in
                head.count { $0 == one } < head.count { $0 == other }
            } ?? UInt8(ascii: ",")
        var rows: [Row] = []
        var (cells, cell): ([String], [UInt8]) = ([], [])
        var (line, rowLine, cellCount) = (1, 1, 0)
        var isQuoted = false
        // The line of the quote that opened the current cell.
        var quoteLine = 1
        var index = bytes.startIndex
        func isNext(_ byte: UInt8) -> Bool { index + 1 < bytes.endIndex && bytes[index + 1] == byte }
        func endCell() {
            cells.append(String(decoding: cell, as: UTF8.self))
            cell.removeAll()
            cellCount += 1
        }
        func endRow() {
            endCell()
            if cells.contains(where: { !$0.isEmpty }) { rows.append(Row(number: rowLine, cells: cells)) }
            cells.removeAll()
        }
        while index < bytes.endIndex {
            guard cellCount <= Self.maximumCells else {
                throw ImportError(location: "", detail: "the file has more than \(Self.maximumCells) cells")
            }
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\"") where isQuoted:
                if isNext(byte) {
                    cell.append(byte)
                    index += 1
                } else {
                    isQuoted = false
                }
            case UInt8(ascii: "\"") where cell.isEmpty: (isQuoted, quoteLine) = (true, line)
            case delimiter where !isQuoted: endCell()
            case 0x0D where !isQuoted && isNext(0x0A): break
            case 0x0A where !isQuoted, 0x0D where !isQuoted:
                endRow()
                line += 1
                rowLine = line
            default:
                if byte == 0x0A { line += 1 }
                cell.append(byte)
            }
            index += 1
        }
        guard !isQuoted else {
            throw ImportError(location: "line \(quoteLine)", detail: "a quote that begins here is not closed")
        }
        if !cell.isEmpty || !cells.isEmpty { endRow() }
        self.init(name: nil, rows: rows)
    }

    /// The number of the first line that is not valid UTF-8; nil if all lines are.
    private static func firstInvalidLine(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        return bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}
