/// Builds .xlsx files, including malicious ones.
enum WorkbookFile {
    /// A workbook with sheets in this order, each given as the XML of its rows. A name may occur several times.
    /// - Parameters:
    ///   - formats: the number formats of the styles, in order.
    ///   - properties: attributes of the workbook.
    static func bytes(
        _ sheets: [(name: String, rows: String)], shared: [String] = [], formats: [String] = [],
        properties: String = ""
    ) -> [UInt8] {
        var names = ""
        var links = ""
        var parts: [(path: String, text: String)] = []
        for (index, sheet) in sheets.enumerated() {
            names += #"<sheet name="\#(sheet.name)" sheetId="\#(index + 1)" r:id="r\#(index)"/>"#
            links += #"<Relationship Id="r\#(index)" Target="worksheets/sheet\#(index).xml"/>"#
            let text = "<worksheet><sheetData>\(sheet.rows)</sheetData></worksheet>"
            parts.append((path: "xl/worksheets/sheet\(index).xml", text: text))
        }
        let workbook =
            #"<workbook xmlns:r="r"><workbookPr \#(properties)/><sheets>\#(names)</sheets></workbook>"#
        parts.append((path: "xl/workbook.xml", text: workbook))
        parts.append((path: "xl/_rels/workbook.xml.rels", text: "<Relationships>\(links)</Relationships>"))
        let texts = shared.map { "<si><t>\($0)</t></si>" }.joined()
        parts.append((path: "xl/sharedStrings.xml", text: "<sst>\(texts)</sst>"))
        let own = formats.enumerated().map { #"<numFmt numFmtId="\#(200 + $0)" formatCode="\#($1)"/>"# }
        let styles = formats.indices.map { #"<xf numFmtId="\#(200 + $0)"/>"# }
        let style = "<numFmts>\(own.joined())</numFmts><cellXfs>\(styles.joined())</cellXfs>"
        parts.append((path: "xl/styles.xml", text: "<styleSheet>\(style)</styleSheet>"))
        return zip(parts.map { (path: $0.path, data: Array($0.text.utf8)) })
    }

    /// Rows of texts, from the first column.
    static func rows(_ rows: [[String]]) -> String {
        rows.map { cells in
            let row = cells.map { #"<c t="inlineStr"><is><t>\#($0)</t></is></c>"# }.joined()
            return "<row>\(row)</row>"
        }.joined()
    }

    /// Rows of one cell each, in the same column.
    static func rows(_ count: Int, inColumn column: String) -> String {
        String(repeating: #"<row><c r="\#(column)1"><v>1</v></c></row>"#, count: count)
    }

    /// A zip archive without compression.
    static func zip(_ files: [(path: String, data: [UInt8])]) -> [UInt8] {
        var bytes: [UInt8] = []
        var directory: [UInt8] = []
        for (path, data) in files {
            // Version; flags, method, time, date; checksum and sizes; lengths of the name and the extra field.
            let head = littleEndian(
                (20, 2), (0, 8), (checksum(data), 4), (data.count, 4), (data.count, 4),
                (path.utf8.count, 2), (0, 2))
            directory += littleEndian((0x0201_4B50, 4), (20, 2))
            directory += head
            directory += littleEndian((0, 10), (bytes.count, 4))
            directory += path.utf8
            bytes += littleEndian((0x0403_4B50, 4))
            bytes += head
            bytes += path.utf8
            bytes += data
        }
        let end = littleEndian(
            (0x0605_4B50, 4), (0, 4), (files.count, 2), (files.count, 2), (directory.count, 4),
            (bytes.count, 4), (0, 2))
        return bytes + directory + end
    }

    /// Numbers, each with this size in bytes, lowest byte first.
    private static func littleEndian(_ fields: (value: Int, count: Int)...) -> [UInt8] {
        fields.flatMap { field in
            (0..<field.count).map { UInt8(truncatingIfNeeded: field.value >> (8 * $0)) }
        }
    }

    /// CRC-32.
    private static func checksum(_ data: [UInt8]) -> Int {
        let rest = data.reduce(0xFFFF_FFFF as UInt32) { rest, byte in
            table[Int((rest ^ UInt32(byte)) & 0xFF)] ^ (rest >> 8)
        }
        return Int(rest ^ 0xFFFF_FFFF)
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { rest, _ in
            rest & 1 == 1 ? (rest >> 1) ^ 0xEDB8_8320 : rest >> 1
        }
    }
}
