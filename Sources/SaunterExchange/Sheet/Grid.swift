/// A sheet of cells, as a CSV file or a workbook has it.
struct Grid {
    struct Row {
        /// From 1, as people count.
        let number: Int
        let cells: [String]
    }

    /// Nil for a CSV file.
    let name: String?
    var rows: [Row]

    /// `survey!B7`, or `line 7, column 2`.
    func place(row: Int, column: Int?) -> String {
        guard let name else { return "line \(row)" + (column.map { ", column \($0 + 1)" } ?? "") }
        return "\(name)!\(column.map(Self.letters) ?? "")\(row)"
    }

    /// 0 is A, 26 is AA.
    static func letters(_ column: Int) -> String {
        var (letters, rest) = ("", column)
        repeat {
            letters = String(UnicodeScalar(UInt8(65 + rest % 26))) + letters
            rest = rest / 26 - 1
        } while rest >= 0
        return letters
    }
}

extension Grid {
    private static let maximumBytes = 32 << 20
    private static let maximumCells = 1_000_000

    /// A CSV text in UTF-8, parted by commas, semicolons or tabs, whichever its first line has most of. Quotes out of place
    /// belong to the text; one that is never closed would take in all rows behind it, and refuses the file.
    init(csv bytes: [UInt8]) throws(ImportRefusal) {
        guard bytes.count <= Self.maximumBytes else {
            throw ImportRefusal(place: "", detail: "larger than \(Self.maximumBytes >> 20) MiB")
        }
        var bytes = bytes[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        guard !bytes.contains(0) else { throw ImportRefusal(place: "", detail: "this is no text in UTF-8") }
        if let line = Self.oddLine(bytes) {
            throw ImportRefusal(
                place: "line \(line)", detail: "this is no text in UTF-8: save the file in UTF-8")
        }
        let head = bytes.prefix { $0 != 0x0A && $0 != 0x0D }
        let delimiter =
            [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")].max { one, other in
                head.count { $0 == one } < head.count { $0 == other }
            } ?? UInt8(ascii: ",")
        var rows: [Row] = []
        var (cells, cell): ([String], [UInt8]) = ([], [])
        var (line, start, count) = (1, 1, 0)
        var isQuoted = false
        // Line of the last quote that began a cell.
        var opened = 1
        var at = bytes.startIndex
        func isNext(_ byte: UInt8) -> Bool { at + 1 < bytes.endIndex && bytes[at + 1] == byte }
        func endCell() {
            cells.append(String(decoding: cell, as: UTF8.self))
            cell.removeAll()
            count += 1
        }
        func endRow() {
            endCell()
            if cells.contains(where: { !$0.isEmpty }) { rows.append(Row(number: start, cells: cells)) }
            cells.removeAll()
        }
        while at < bytes.endIndex {
            guard count <= Self.maximumCells else { throw ImportRefusal(place: "", detail: "too many cells") }
            let byte = bytes[at]
            switch byte {
            case UInt8(ascii: "\"") where isQuoted:
                if isNext(byte) {
                    cell.append(byte)
                    at += 1
                } else {
                    isQuoted = false
                }
            case UInt8(ascii: "\"") where cell.isEmpty: (isQuoted, opened) = (true, line)
            case delimiter where !isQuoted: endCell()
            case 0x0D where !isQuoted && isNext(0x0A): break
            case 0x0A where !isQuoted, 0x0D where !isQuoted:
                endRow()
                line += 1
                start = line
            default:
                if byte == 0x0A { line += 1 }
                cell.append(byte)
            }
            at += 1
        }
        guard !isQuoted else {
            throw ImportRefusal(place: "line \(opened)", detail: "a quote that begins here is not closed")
        }
        if !cell.isEmpty || !cells.isEmpty { endRow() }
        self.init(name: nil, rows: rows)
    }

    /// The first line that is no text in UTF-8; nil where all are.
    private static func oddLine(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        return bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}
