import SaunterCore

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

    /// Reads CSV in UTF-8. The delimiter is the comma, semicolon or tab that is most frequent in the first line. Files
    /// that were written by hand are accepted (`CSVDialect.isLenient`), but a quotation mark that is never closed is an
    /// error, because all following rows would become part of one cell.
    init(csv bytes: [UInt8]) throws(ImportError) {
        guard bytes.count <= Self.maximumBytes else {
            throw ImportError(location: "", detail: "the file is larger than \(Self.maximumBytes >> 20) MiB")
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
        let text = String(decoding: bytes, as: UTF8.self)
        var reader = CSVReader(text, CSVDialect(delimiter: delimiter, isLenient: true))
        var rows: [Row] = []
        var cellCount = 0
        while let record = try Self.nextRecord(&reader) {
            cellCount += record.fields.count
            guard cellCount <= Self.maximumCells else {
                throw ImportError(location: "", detail: "the file has more than \(Self.maximumCells) cells")
            }
            if record.fields.contains(where: { !$0.isEmpty }) {
                rows.append(Row(number: record.line, cells: record.fields))
            }
        }
        self.init(name: nil, rows: rows)
    }

    private static func nextRecord(_ reader: inout CSVReader) throws(ImportError) -> CSVRecord? {
        do {
            return try reader.next()
        } catch let fault as CSVFault {
            throw ImportError(location: "line \(fault.line)", detail: fault.reason)
        } catch {
            throw ImportError(location: "", detail: "\(error)")
        }
    }

    /// The number of the first line that is not valid UTF-8; nil if all lines are.
    private static func firstInvalidLine(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        return bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
            .firstIndex { String(validating: $0, as: UTF8.self) == nil }.map { $0 + 1 }
    }
}
