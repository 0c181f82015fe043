import CArchive
import Foundation

#if canImport(FoundationXML)
    import FoundationXML
#endif

/// Selected sheets of an .xlsx file. The size of the decompressed content is limited over all sheets together. A file
/// above a limit is rejected, never truncated. XML that declares types or entities is also rejected, because an entity
/// can expand to a very large text.
struct Workbook {
    private static let maximumTotalBytes = 48 << 20
    private static let maximumEntries = 2000

    private(set) var sheets: [Worksheet] = []
    /// Cells that could not be read.
    private(set) var remarks: [Remark] = []

    /// - Parameters:
    ///   - wanted: the normalised names of the sheets to read. If several sheets have the same name, only the first is
    ///     read.
    ///   - normalise: returns the form of a name that is compared.
    init(_ bytes: [UInt8], wanted: Set<String>, normalise: @escaping (String) -> String) throws(ImportError) {
        let parts = try Self.parts(bytes)
        guard let book = parts["xl/workbook.xml"] else {
            throw ImportError(location: "", detail: "the file is not a workbook in the format .xlsx")
        }
        let shared = WorkbookSharedStrings()
        if let part = parts["xl/sharedStrings.xml"] { try Self.read(part, "xl/sharedStrings.xml", shared) }
        let names = WorkbookSheetNames(wanted: wanted, normalise: normalise)
        try Self.read(book, "xl/workbook.xml", names)
        let relationships = WorkbookRelationships(of: Set(names.sheets.map { $0.id }))
        if let part = parts["xl/_rels/workbook.xml.rels"] {
            try Self.read(part, "workbook.xml.rels", relationships)
        }
        let styles = WorkbookStyles()
        if let part = parts["xl/styles.xml"] { try Self.read(part, "xl/styles.xml", styles) }
        let dates = WorkbookDates(styles: styles.dateStyles, countsFrom1904: names.countsFrom1904)
        var budget = WorkbookBudget()
        for (name, id) in names.sheets {
            let target = relationships.targets[id] ?? ""
            let path = target.hasPrefix("/") ? String(target.dropFirst()) : "xl/\(target)"
            guard let part = parts[path] else {
                throw ImportError(
                    location: name, detail: "the workbook lists this sheet, but does not contain it")
            }
            let reader = WorksheetReader(shared: shared.texts, dates: dates, budget: budget)
            try Self.read(part, name, reader)
            budget = reader.budget
            sheets.append(Worksheet(name: name, rows: reader.rows))
            if let (first, count) = reader.formulasWithoutResult {
                let more = count > 1 ? " (the first of \(count) cells)" : ""
                remarks.append(
                    Remark(
                        location: "\(name)!\(first)",
                        detail: "read as blank, because it is a formula without a stored result\(more). "
                            + "Open the workbook, save it and import it again"))
            }
        }
    }

    /// The XML files of the zip archive: path -> content.
    private static func parts(_ bytes: [UInt8]) throws(ImportError) -> [String: Data] {
        let broken = ImportError(location: "", detail: "the file is not a valid zip archive")
        guard let archive = archive_read_new() else { throw broken }
        defer { archive_read_free(archive) }
        guard archive_read_support_format_zip(archive) == ARCHIVE_OK else { throw broken }
        var parts: [String: Data] = [:]
        var total = 0
        let isValid = bytes.withUnsafeBytes { raw -> Bool in
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
                    guard total <= maximumTotalBytes else { return false }
                }
                parts[name] = data
            }
        }
        guard isValid else {
            throw ImportError(
                location: "",
                detail: total > maximumTotalBytes
                    ? "the decompressed file is larger than \(maximumTotalBytes >> 20) MiB"
                    : "the file is not a valid zip archive with at most \(maximumEntries) entries")
        }
        return parts
    }

    private static func read(_ data: Data, _ name: String, _ delegate: WorkbookXMLReader) throws(ImportError)
    {
        // Text in UTF-16 contains zero bytes. It is rejected, because the search below finds declarations only in
        // UTF-8.
        guard !data.contains(0), data.range(of: Data("<!DOCTYPE".utf8)) == nil,
            data.range(of: Data("<!ENTITY".utf8)) == nil
        else {
            throw ImportError(location: name, detail: "the XML declares types or entities, or is not UTF-8")
        }
        let parser = XMLParser(data: data)
        parser.shouldProcessNamespaces = false
        parser.shouldResolveExternalEntities = false
        parser.delegate = delegate
        let isValid = parser.parse()
        if let rejection = delegate.rejection { throw ImportError(location: name, detail: rejection) }
        guard isValid else {
            throw ImportError(
                location: "\(name), line \(parser.lineNumber)", detail: "the XML is not well-formed")
        }
    }
}
