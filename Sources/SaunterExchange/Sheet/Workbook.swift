import CArchive
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// The sheets that are wanted of an .xlsx file. What a small file could unfold into is bounded, all sheets together; what goes
/// beyond a bound is refused, never cut off, and so are documents that declare types or entities.
struct Workbook {
    private static let maximumPart = 48 << 20
    private static let maximumEntries = 2000

    private(set) var sheets: [Grid] = []

    /// - Parameters:
    ///   - wanted: plain names of the sheets to read. Each is read once, the first of its name; no other is looked at.
    ///   - plain: the form in which names are compared.
    init(_ bytes: [UInt8], wanted: Set<String>, plain: @escaping (String) -> String) throws(ImportRefusal) {
        let parts = try Self.parts(bytes)
        guard let book = parts["xl/workbook.xml"] else {
            throw ImportRefusal(place: "", detail: "this is no workbook in the format .xlsx")
        }
        let shared = SharedTexts()
        if let part = parts["xl/sharedStrings.xml"] { try Self.read(part, "xl/sharedStrings.xml", shared) }
        let names = SheetNames(wanted: wanted, plain: plain)
        try Self.read(book, "xl/workbook.xml", names)
        let links = Relations(of: Set(names.sheets.map { $0.id }))
        if let part = parts["xl/_rels/workbook.xml.rels"] { try Self.read(part, "workbook.xml.rels", links) }
        var room = Room()
        for (name, id) in names.sheets {
            guard let target = links.targets[id] else { continue }
            let path = target.hasPrefix("/") ? String(target.dropFirst()) : "xl/\(target)"
            guard let part = parts[path] else { continue }
            let cells = SheetCells(shared: shared.texts, room: room)
            try Self.read(part, name, cells)
            room = cells.room
            sheets.append(Grid(name: name, rows: cells.rows))
        }
    }

    /// The XML files of the zip.
    private static func parts(_ bytes: [UInt8]) throws(ImportRefusal) -> [String: Data] {
        let broken = ImportRefusal(place: "", detail: "this is no sound zip file")
        guard let archive = archive_read_new() else { throw broken }
        defer { archive_read_free(archive) }
        guard archive_read_support_format_zip(archive) == ARCHIVE_OK else { throw broken }
        var parts: [String: Data] = [:]
        var total = 0
        let isSound = bytes.withUnsafeBytes { raw -> Bool in
            guard archive_read_open_memory(archive, raw.baseAddress, raw.count) == ARCHIVE_OK else {
                return false
            }
            var entry: OpaquePointer?
            var count = 0
            while true {
                let status = archive_read_next_header(archive, &entry)
                if status == ARCHIVE_EOF { return true }
                count += 1
                guard status == ARCHIVE_OK || status == ARCHIVE_WARN, count <= maximumEntries,
                    let found = entry
                else { return false }
                guard let pathname = archive_entry_pathname(found) else { continue }
                let name = String(cString: pathname)
                guard name.hasPrefix("xl/"), name.hasSuffix(".xml") || name.hasSuffix(".rels") else {
                    continue
                }
                var data = Data()
                var piece = [UInt8](repeating: 0, count: 1 << 16)
                while true {
                    let read = archive_read_data(archive, &piece, piece.count)
                    guard read >= 0 else { return false }
                    if read == 0 { break }
                    data.append(contentsOf: piece[..<read])
                    total += read
                    guard total <= maximumPart else { return false }
                }
                parts[name] = data
            }
        }
        guard isSound else {
            throw ImportRefusal(
                place: "",
                detail: total > maximumPart
                    ? "it unfolds into more than \(maximumPart >> 20) MiB" : "this is no sound zip file")
        }
        return parts
    }

    private static func read(_ data: Data, _ name: String, _ delegate: Elements) throws(ImportRefusal) {
        // UTF-16 would hide the words.
        guard !data.contains(0), data.range(of: Data("<!DOCTYPE".utf8)) == nil,
            data.range(of: Data("<!ENTITY".utf8)) == nil
        else { throw ImportRefusal(place: name, detail: "it declares types or entities, or is not UTF-8") }
        let parser = XMLParser(data: data)
        parser.shouldProcessNamespaces = false
        parser.shouldResolveExternalEntities = false
        parser.delegate = delegate
        let isSound = parser.parse()
        if let refusal = delegate.refusal { throw ImportRefusal(place: name, detail: refusal) }
        guard isSound else {
            throw ImportRefusal(place: "\(name), line \(parser.lineNumber)", detail: "this is no sound XML")
        }
    }
}

/// What the sheets of a workbook may still take, together.
private struct Room {
    static let mostCells = 1_000_000
    static let mostBytes = 48 << 20

    /// As they are kept: the blanks before the last cell of a row are cells, too.
    var cells = Room.mostCells
    /// Of texts. One shared text counts wherever it stands, because whoever reads the cells looks at it as often.
    var bytes = Room.mostBytes
}

/// What all readers of these documents do: count depth and size, and name elements without prefixes.
private class Elements: NSObject, XMLParserDelegate {
    /// Why reading ended early.
    private(set) var refusal: String?
    private var depth = 0
    private var count = 0

    func begin(_ name: String, _ attributes: [String: String]) {}
    func end(_ name: String) {}
    func take(_ text: String) {}

    /// Ends reading after this element. The first reason stays.
    func refuse(_ reason: String) { refusal = refusal ?? reason }

    private static func plain(_ name: String) -> String {
        name.split(separator: ":").last.map(String.init) ?? name
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        // The parser may still tell of what it has read already.
        guard refusal == nil else { return }
        (depth, count) = (depth + 1, count + 1)
        if depth <= 64, count <= 2_000_000 {
            begin(Self.plain(elementName), attributeDict)
        } else {
            refuse("it has too many elements")
        }
        if refusal != nil { parser.abortParsing() }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        guard refusal == nil else { return }
        depth -= 1
        end(Self.plain(elementName))
        if refusal != nil { parser.abortParsing() }
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) { take(string) }
}

/// Names of the sheets that are wanted, the first of each name, and the ids of their relations.
private final class SheetNames: Elements {
    private(set) var sheets: [(name: String, id: String)] = []
    private var wanted: Set<String>
    private let plain: (String) -> String

    init(wanted: Set<String>, plain: @escaping (String) -> String) {
        self.wanted = wanted
        self.plain = plain
    }

    override func begin(_ name: String, _ attributes: [String: String]) {
        guard name == "sheet", let title = attributes["name"],
            let id = attributes.first(where: { $0.key == "r:id" || $0.key.hasSuffix(":id") })?.value,
            wanted.remove(plain(title)) != nil
        else { return }
        sheets.append((title, id))
    }
}

/// Id of a relation -> path, of those that are needed.
private final class Relations: Elements {
    private(set) var targets: [String: String] = [:]
    private let ids: Set<String>

    init(of ids: Set<String>) {
        self.ids = ids
    }

    override func begin(_ name: String, _ attributes: [String: String]) {
        guard name == "Relationship", let id = attributes["Id"], ids.contains(id),
            let target = attributes["Target"]
        else { return }
        targets[id] = target
    }
}

/// The texts that cells name by number.
private final class SharedTexts: Elements {
    private(set) var texts: [String] = []
    private var text = ""
    private var isText = false
    private var isPhonetic = false

    override func begin(_ name: String, _ attributes: [String: String]) {
        switch name {
        case "si": text = ""
        case "t": isText = true
        case "rPh": isPhonetic = true
        default: break
        }
    }

    override func end(_ name: String) {
        switch name {
        case "si": texts.append(text)
        case "t": isText = false
        case "rPh": isPhonetic = false
        default: break
        }
    }

    override func take(_ string: String) { if isText, !isPhonetic { text += string } }
}

/// The cells of one sheet.
private final class SheetCells: Elements {
    private static let maximumColumns = 500
    private static let maximumRows = 50_000
    /// Of a workbook, by its format.
    private static let mostRows = 1_048_576

    private(set) var rows: [Grid.Row] = []
    /// What the sheets after this one may take.
    private(set) var room: Room
    private let shared: [String]
    private var cells: [String] = []
    private var number = 0
    private var column = 0
    private var type = ""
    private var text = ""
    private var isValue = false

    init(shared: [String], room: Room) {
        self.shared = shared
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
            (type, text) = (attributes["t"] ?? "n", "")
        case "v", "t": isValue = true
        default: break
        }
    }

    override func end(_ name: String) {
        switch name {
        case "v", "t": isValue = false
        case "c":
            let found = value
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
            return refuse("with it the cells hold more than \(Room.mostBytes >> 20) MiB of text")
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
            return refuse("with it the workbook has more than \(Room.mostCells) cells")
        }
        rows.append(.init(number: number, cells: cells))
    }

    override func take(_ string: String) { if isValue { text += string } }

    private var value: String {
        switch type {
        case "s": return Int(text).flatMap { shared.indices.contains($0) ? shared[$0] : nil } ?? ""
        case "b": return text == "1" ? "TRUE" : "FALSE"
        default:
            // Whole numbers are stored as 1.0 by some.
            if type == "n", let number = Double(text), number == number.rounded(), abs(number) < 1e15 {
                return String(Int64(number))
            }
            return text
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
