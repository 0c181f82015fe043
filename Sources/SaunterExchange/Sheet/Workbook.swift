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
    /// What of them could not be read.
    private(set) var remarks: [Remark] = []

    /// - Parameters:
    ///   - wanted: plain names of the sheets to read. Each is read once, the first of its name; no other is looked at.
    ///   - plain: the form in which names are compared.
    init(_ bytes: [UInt8], wanted: Set<String>, plain: @escaping (String) -> String) throws(ImportRefusal) {
        let parts = try Self.parts(bytes)
        guard let book = parts["xl/workbook.xml"] else {
            throw ImportRefusal(place: "", detail: "this is no workbook in the format .xlsx")
        }
        let shared = WorkbookTexts()
        if let part = parts["xl/sharedStrings.xml"] { try Self.read(part, "xl/sharedStrings.xml", shared) }
        let names = WorkbookSheetNames(wanted: wanted, plain: plain)
        try Self.read(book, "xl/workbook.xml", names)
        let links = WorkbookRelations(of: Set(names.sheets.map { $0.id }))
        if let part = parts["xl/_rels/workbook.xml.rels"] { try Self.read(part, "workbook.xml.rels", links) }
        let styles = WorkbookStyles()
        if let part = parts["xl/styles.xml"] { try Self.read(part, "xl/styles.xml", styles) }
        let moments = WorkbookMoments(styles: styles.moments, isFrom1904: names.isFrom1904)
        var room = WorkbookRoom()
        for (name, id) in names.sheets {
            let target = links.targets[id] ?? ""
            let path = target.hasPrefix("/") ? String(target.dropFirst()) : "xl/\(target)"
            guard let part = parts[path] else {
                throw ImportRefusal(place: name, detail: "this sheet is named, but is not in the file")
            }
            let cells = WorkbookCells(shared: shared.texts, moments: moments, room: room)
            try Self.read(part, name, cells)
            room = cells.room
            sheets.append(Grid(name: name, rows: cells.rows))
            if let (first, count) = cells.unsolved {
                let more = count > 1 ? ", and so are \(count - 1) more" : ""
                remarks.append(
                    Remark(
                        place: "\(name)!\(first)",
                        detail: "read as blank, because it is a formula without a result\(more): "
                            + "open the workbook, save it and import it again"))
            }
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

    private static func read(_ data: Data, _ name: String, _ delegate: WorkbookElements) throws(ImportRefusal)
    {
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
