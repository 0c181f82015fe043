import SaunterCore

/// The items of one collection as texts, for forms. It also contains values that the check rejects.
package struct CollectionTable: Sendable, Hashable {
    /// One item.
    package struct Item: Sendable, Hashable {
        /// Unique in the collection, if the collection has no faults.
        package var id: String
        /// Column -> text for all languages: fields, versions of media (`audio.voice_a`), `tags`, `arms` and
        /// `entitlement`.
        package var values: [String: String]
        /// Language -> column -> text.
        package var words: [String: [String: String]]

        /// Creates an item; by default one without texts.
        package init(
            id: String, values: [String: String] = [:], words: [String: [String: String]] = [:]
        ) {
            self.id = id
            self.values = values.filter { !$0.value.isEmpty }
            self.words = words.compactMapValues { words in
                let words = words.filter { !$0.value.isEmpty }
                return words.isEmpty ? nil : words
            }
        }
    }

    /// The code of the collection.
    package let code: String
    /// Language -> title.
    package let title: [String: String]
    /// In the order of the pack.
    package let fields: [ContentField]
    /// The languages of the study.
    package let languages: [String]
    /// In the order of the collection.
    package var items: [Item]

    private let folder: String

    /// The columns of an item that are no fields, in the order of a new file.
    package static let ownColumns = ["tags", "arms", "entitlement"]

    /// Whether a table can have all values. A field of the type `map` is edited as text.
    package var isEditable: Bool { !fields.contains { $0.kind == .map } }

    /// The columns of the fields: one per field, or one per variant.
    package var columns: [String] { fields.flatMap(\.columns) }

    /// The codes of the collections of a study, sorted.
    package static func codes(in files: PackFiles, study: String) -> [String] {
        let folder = Self.folder(of: study)
        return files.files.keys.compactMap { path in
            path.hasPrefix(folder) ? LibraryParser.collectionCode(path.dropFirst(folder.count)) : nil
        }.sorted()
    }

    private static func folder(of study: String) -> String { "studies/\(study)/" + PackPath.library }

    /// Reads a collection; nil if the study has no such collection.
    /// - Throws: faults of the collection's own file, and of tables that cannot be read.
    package init?(_ code: String, in files: PackFiles, study: String, languages: [String])
        throws(PackFaults)
    {
        let folder = Self.folder(of: study)
        guard LibraryParser.collectionCode("\(code).yaml") == code, let text = files["\(folder)\(code).yaml"]
        else { return nil }
        let log = FaultLog(file: "\(folder)\(code).yaml")
        guard let root = YAMLReader.read(text, log: log),
            let members = root.entries(log), log.faults.isEmpty
        else { throw PackFaults(log.faults) }
        let nodes = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        let fields = nodes["fields"].flatMap { CollectionParser.fields($0, log) } ?? []
        let reader = ContentRows(files: files, folder: folder, fields: fields, used: UsedFiles())
        var rows: [ContentRow]
        var logs = [log]
        if let items = nodes["items"], case .sequence(let list) = items.content {
            rows = list.compactMap { reader.row($0, log) }
        } else {
            let name = Self.fileName(nodes["items"], code)
            logs.append(FaultLog(file: folder + name))
            rows = files[folder + name] == nil ? [] : reader.table(name, logs[1])
        }
        var words: [String: [String: [String: String]]] = [:]
        for language in languages {
            for name in ContentRows.wordFiles(of: code, language) where files[folder + name] != nil {
                let log = FaultLog(file: folder + name)
                for row in reader.words(name, log) { words[row.id, default: [:]][language] = row.cells }
                logs.append(log)
            }
        }
        if let faults = logs.first(where: \.hasUnreadableParts)?.faults { throw PackFaults(faults) }
        rows.removeAll { $0.id.isEmpty }
        self.code = code
        self.folder = folder
        self.fields = fields
        self.languages = languages
        title = nodes["title"].flatMap { $0.table(log) { $0.word($1) } } ?? [:]
        items = rows.map { Item(id: $0.id, values: $0.cells, words: words[$0.id] ?? [:]) }
    }

    private static func fileName(_ items: YAMLNode?, _ code: String) -> String {
        items?.scalar.flatMap { $0.text.hasSuffix(".csv") ? $0.text : nil } ?? "\(code).csv"
    }

    // MARK: Writing

    /// The files of the study with this table. Files whose rows do not change stay as they are. Items in a YAML list
    /// and words in YAML files become CSV files, without comments.
    /// - Throws: a fault if the file of the collection has an unusual layout.
    package func written(to files: PackFiles) throws(PackFaults) -> PackFiles {
        var texts = files.files
        let own = "\(folder)\(code).yaml"
        let log = FaultLog(file: own)
        guard let root = YAMLReader.read(texts[own] ?? "", log: log), log.faults.isEmpty else {
            throw PackFaults(log.faults)
        }
        let before = try CollectionTable(
            code, in: files, study: String(folder.split(separator: "/")[1]), languages: languages)
        if before?.items.map(\.values) != items.map(\.values) || before?.items.map(\.id) != items.map(\.id) {
            let name = Self.fileName(root["items"], code)
            if case .sequence? = root["items"]?.content {
                texts[own] = try Self.replacingItems(texts[own] ?? "", root, file: own, by: name)
            }
            let rows = items.map { ($0.id, $0.values) }
            texts[folder + name] = table(rows, Self.ownColumns + columns, like: texts[folder + name])
        }
        for language in languages {
            let rows = items.compactMap { item in item.words[language].map { (item.id, $0) } }
            let old = (before?.items ?? []).compactMap { item in item.words[language].map { (item.id, $0) } }
            guard rows.map(\.0) != old.map(\.0) || rows.map(\.1) != old.map(\.1) else { continue }
            let names = ContentRows.wordFiles(of: code, language).map { folder + $0 }
            let known = columns.filter { column in
                fields.contains { $0.columns.contains(column) && $0.kind.isPerLanguage }
            }
            let text = table(rows, known, like: texts[names[0]])
            texts[names[1]] = nil
            texts[names[0]] = rows.isEmpty ? nil : text
        }
        return PackFiles(files: texts)
    }

    /// A CSV text. Its columns are those of the present file in their order, and then further ones that a row needs.
    private func table(
        _ rows: [(id: String, cells: [String: String])], _ known: [String], like present: String?
    ) -> String {
        let header = present.flatMap { CSVTable($0, log: FaultLog(file: "")) }?.header ?? ["id"]
        let used = Set(rows.flatMap(\.cells.keys))
        let others = used.subtracting(known).sorted()
        let columns = header + (known + others).filter { used.contains($0) && !header.contains($0) }
        var text = CSVText(header: columns)
        for row in rows {
            text.add(
                columns.map { column in
                    let cell = column == "id" ? row.id : row.cells[column] ?? ""
                    return cell.isEmpty ? nil : cell
                })
        }
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The text of a collection whose list of items is replaced by the name of a file.
    private static func replacingItems(
        _ text: String, _ root: YAMLNode, file: String, by name: String
    ) throws(PackFaults) -> String {
        let fault = PackFaults([
            PackFault(
                file: file, line: root["items"]?.line ?? 1,
                message: "the list of items cannot be moved to a file automatically; write items: \(name)")
        ])
        guard case .mapping(let entries) = root.content,
            let index = entries.firstIndex(where: { $0.key == "items" })
        else { throw fault }
        var lines = text.withPlainLineEnds.split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        let start = entries[index].line - 1
        let next = entries.map { $0.line - 1 }.filter { $0 > start }.min()
        var end = next ?? lines.count
        while end > start + 1, next != nil || end == lines.count,
            lines[end - 1].allSatisfy(\.isWhitespace) || lines[end - 1].hasPrefix("#")
        { end -= 1 }
        guard start < end, end <= lines.count else { throw fault }
        lines.replaceSubrange(start..<end, with: ["items: \(name)"])
        let changed = lines.joined(separator: "\n")
        let log = FaultLog(file: file)
        guard let read = YAMLReader.read(changed, log: log), log.faults.isEmpty,
            case .mapping(let now) = read.content, now.count == entries.count,
            zip(now, entries).allSatisfy({ new, old in
                new.key == old.key
                    && (old.key == "items"
                        ? new.value.scalar?.text == name : new.value.json == old.value.json)
            })
        else { throw fault }
        return changed
    }
}

extension ContentField {
    /// The columns of the field in a table: its name, or one per variant.
    package var columns: [String] { variants.isEmpty ? [name] : variants.map { "\(name).\($0)" } }
}
