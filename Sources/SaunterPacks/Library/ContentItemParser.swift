import CMarkGFM
import SaunterCore

/// Parses the items of a collection and their words.
struct ContentItemParser {
    /// Columns and keys of every item that are no fields.
    static let ownColumns: Set<String> = ["id", "tags", "arms", "entitlement"]

    private(set) var faults: [PackFault] = []
    private let used: UsedFiles
    private let files: PackFiles
    private let folder: String
    private let code: String
    private let fields: [ContentField]
    private let study: Study
    /// See `CollectionParser`.
    private let isPublished: Bool

    init(
        files: PackFiles, folder: String, code: String, fields: [ContentField], study: Study,
        isPublished: Bool, used: UsedFiles
    ) {
        self.used = used
        self.files = files
        self.folder = folder
        self.code = code
        self.fields = fields
        self.study = study
        self.isPublished = isPublished
    }

    /// The items in the order of the pack, with their words.
    /// - Parameter node: the value of `items`: a list, or the name of a CSV file. Nil: `<code>.csv`.
    mutating func items(_ node: YAMLNode?, _ log: FaultLog) -> [ContentItem] {
        var own = log
        let reader = ContentRows(files: files, folder: folder, fields: fields, used: used)
        let rows: [ContentRow]
        if let node, case .sequence = node.content {
            rows = (node.list(log, atMost: ContentCollection.maximumItems) ?? []).compactMap {
                reader.row($0, log)
            }
        } else {
            let name = node?.scalar?.text ?? "\(code).csv"
            guard files[folder + name] != nil else {
                log.note(node?.line ?? 1, "there is no file \(name.prefix(80)) with items in the library")
                return []
            }
            own = FaultLog(file: folder + name)
            rows = reader.table(name, own)
        }
        if rows.count > ContentCollection.maximumItems {
            own.note(1, "more than \(ContentCollection.maximumItems) items")
            return []
        }
        var items: [ContentItem] = []
        var lines: [String: Int] = [:]
        for row in rows {
            guard isValid(row.id, row.line, own) else { continue }
            if lines.updateValue(row.line, forKey: row.id) != nil {
                own.note(row.line, "another item has the id \(row.id)")
                continue
            }
            items.append(
                ContentItem(
                    id: row.id, tags: list(row.cells["tags"]), arms: arms(row, own),
                    values: values(row, own, isWords: false), entitlement: entitlement(row, own)))
        }
        if own !== log { faults += own.faults }
        for language in languages { addWords(language, to: &items) }
        if !isPublished { checkWords(of: items, lines, own.file) }
        return items
    }

    private func isValid(_ id: String, _ line: Int, _ log: FaultLog) -> Bool {
        let isValid =
            (1...80).contains(id.utf8.count)
            && id.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || "_-".utf8.contains($0)
            }
        if !isValid {
            log.note(line, "\"\(id.prefix(60))\" is not an id: lower-case letters, digits, _ and -")
        }
        return isValid
    }

    // MARK: Words

    /// The languages of the study. A stored edition can also have others.
    private var languages: [String] {
        guard isPublished else { return study.languages }
        let prefix = "\(folder)\(code)."
        let names = files.files.keys.filter { $0.hasPrefix(prefix) && !used.paths.contains($0) }
            .map { $0.dropFirst(prefix.count) }
        let languages = names.compactMap { name in
            [".csv", ".yaml"].first(where: name.hasSuffix).map { String(name.dropLast($0.count)) }
        }
        return Set(languages).subtracting([""]).sorted()
    }

    private mutating func addWords(_ language: String, to items: inout [ContentItem]) {
        let positions = Dictionary(items.enumerated().map { ($1.id, $0) }) { first, _ in first }
        let reader = ContentRows(files: files, folder: folder, fields: fields, used: used)
        for name in ContentRows.wordFiles(of: code, language) where files[folder + name] != nil {
            let log = FaultLog(file: folder + name)
            defer { faults += log.faults }
            let rows = reader.words(name, log)
            for row in rows {
                guard let position = positions[row.id] else {
                    log.note(row.line, "the collection has no item \(row.id.prefix(60))")
                    continue
                }
                if items[position].words[language] != nil {
                    log.note(row.line, "the words of \(row.id) occur twice")
                }
                items[position].words[language] = values(row, log, isWords: true)
            }
        }
    }

    /// A field that one language has must exist in all of them.
    private mutating func checkWords(of items: [ContentItem], _ lines: [String: Int], _ file: String) {
        for item in items {
            for field in fields where field.kind.isPerLanguage && item.values[field.name] == nil {
                let missing = study.languages.filter { item.words[$0]?[field.name] == nil }
                guard missing.count < study.languages.count else { continue }
                for language in missing {
                    faults.append(
                        PackFault(
                            file: file, line: lines[item.id] ?? 1,
                            message: "\(item.id): \(field.name) in the language \(language) is missing"))
                }
            }
        }
    }

    // MARK: Values

    private func list(_ text: String?) -> [String] {
        (text ?? "").split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private func arms(_ row: ContentRow, _ log: FaultLog) -> [String] {
        let arms = list(row.cells["arms"])
        for arm in arms where !isPublished && !study.hasArm(arm) {
            log.note(row.line, "\(row.id): the study has no arm \(arm.prefix(60))")
        }
        return arms
    }

    private func entitlement(_ row: ContentRow, _ log: FaultLog) -> String? {
        guard let code = row.cells["entitlement"] else { return nil }
        if !isPublished, study.entitlement(code) == nil {
            log.note(row.line, "\(row.id): the study has no entitlement \(code.prefix(60))")
        }
        return code
    }

    private func values(_ row: ContentRow, _ log: FaultLog, isWords: Bool) -> [String: ContentValue] {
        var values: [String: ContentValue] = [:]
        var used: Set<String> = isWords ? [] : Self.ownColumns
        for field in fields {
            if field.kind == .map {
                if let map = row.maps[field.name] { values[field.name] = .map(map) }
                continue
            }
            let variants = field.variants.map { "\(field.name).\($0)" }
            used.formUnion([field.name] + variants)
            if isWords, !field.kind.isPerLanguage {
                if row.cells[field.name] != nil {
                    log.note(row.line, "\(row.id): \(field.name) cannot differ between languages")
                }
                continue
            }
            if field.variants.isEmpty {
                values[field.name] = row.cells[field.name].flatMap { value($0, field, row, log) }
            } else {
                var found: [String: ContentMedia] = [:]
                for (variant, column) in zip(field.variants, variants) {
                    guard let path = row.cells[column] else { continue }
                    if case .media(let media)? = value(path, field, row, log) { found[variant] = media }
                }
                if !found.isEmpty { values[field.name] = .variants(found) }
            }
        }
        for name in row.cells.keys.sorted() where !used.contains(name) {
            log.noteUnknownKey(row.line, "\(row.id): the collection has no field \(name.prefix(60))")
        }
        return values
    }

    private func value(
        _ text: String, _ field: ContentField, _ row: ContentRow, _ log: FaultLog
    ) -> ContentValue? {
        func fault(_ message: String) -> ContentValue? {
            log.note(row.line, "\(row.id), \(field.name): \(message)")
            return nil
        }
        if let limit = field.maximumLength ?? field.kind.maximumLength, text.count > limit {
            return fault("\(text.count) characters, at most \(limit) are possible")
        }
        if text.utf8.contains(0) { return fault("the character U+0000 cannot be stored") }
        switch field.kind {
        case .text, .code: return .text(text)
        case .markdown:
            return Self.containsHTML(text) ? fault("HTML is not possible in Markdown") : .text(text)
        case .url: return text.hasPrefix("https://") ? .text(text) : fault("an address begins with https://")
        case .phone:
            return Self.isPhone(text)
                ? .text(text) : fault("a number is in the form +4930123456, or has 3 to 6 digits")
        case .integer: return Int(text).map { .integer($0) } ?? fault("this is not a whole number")
        case .decimal:
            return Double(text).flatMap { $0.isFinite ? .decimal($0) : nil } ?? fault("this is not a number")
        case .media: return media(text, field, fault)
        case .map: return nil
        }
    }

    private func media(
        _ path: String, _ field: ContentField, _ fault: (String) -> ContentValue?
    ) -> ContentValue? {
        let library = LibraryMedia(files: files, folder: folder, used: used)
        switch library.media(path, of: field.mediaKind) {
        case .success(let media): return .media(media)
        case .failure(let found): return fault(found.message)
        }
    }

    /// E.164, or a short code.
    private static func isPhone(_ text: String) -> Bool {
        let digits = text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return false }
        return text.hasPrefix("+")
            ? (7...15).contains(digits.count) && !digits.hasPrefix("0") : (3...6).contains(digits.count)
    }

    /// Whether a Markdown text contains HTML, which no page shows.
    static func containsHTML(_ markdown: String) -> Bool {
        let bytes = Array(markdown.utf8)
        let document = bytes.withUnsafeBytes { buffer in
            cmark_parse_document(
                buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, CMARK_OPT_DEFAULT)
        }
        guard let document else { return true }
        defer { cmark_node_free(document) }
        guard let iterator = cmark_iter_new(document) else { return true }
        defer { cmark_iter_free(iterator) }
        while true {
            let event = cmark_iter_next(iterator)
            if event == CMARK_EVENT_DONE { return false }
            let type = cmark_node_get_type(cmark_iter_get_node(iterator))
            if type == CMARK_NODE_HTML_BLOCK || type == CMARK_NODE_HTML_INLINE { return true }
        }
    }
}
