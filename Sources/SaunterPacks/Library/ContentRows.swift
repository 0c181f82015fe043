import SaunterCore

/// An item of a collection, or its words in a language, as its file has it.
struct ContentRow {
    var id: String
    var line: Int
    /// Name of a field, or `field.variant` -> text.
    var cells: [String: String]
    /// The fields of the type `map`.
    var maps: [String: [String: String]] = [:]
}

/// Reads the rows of a collection's files.
struct ContentRows {
    let files: PackFiles
    /// `studies/<code>/library/`.
    let folder: String
    let fields: [ContentField]
    let used: UsedFiles

    /// The files that can contain the words of a collection in a language.
    static func wordFiles(of code: String, _ language: String) -> [String] {
        ["\(code).\(language).csv", "\(code).\(language).yaml"]
    }

    /// An item of a list in YAML.
    func row(_ node: YAMLNode, _ log: FaultLog) -> ContentRow? {
        guard let id = node["id"]?.scalar?.text else {
            log.note(node.line, "an item needs an id")
            return nil
        }
        return cells(of: node, id: id, log)
    }

    /// The keys of a mapping as cells.
    private func cells(of node: YAMLNode, id: String, _ log: FaultLog) -> ContentRow? {
        guard let entries = node.entries(log) else { return nil }
        var row = ContentRow(id: id, line: node.line, cells: [:])
        for entry in entries where entry.key != "id" {
            switch entry.value.content {
            case .scalar(let scalar): row.cells[entry.key] = scalar.text
            case .sequence:
                row.cells[entry.key] = (entry.value.list(log) { $0.text($1) } ?? []).joined(separator: " ")
            case .mapping:
                let map = entry.value.table(log) { $0.word($1) } ?? [:]
                if fields.first(where: { $0.name == entry.key })?.kind == .map {
                    row.maps[entry.key] = map
                } else {
                    for (name, text) in map { row.cells["\(entry.key).\(name)"] = text }
                }
            }
        }
        return row
    }

    /// The rows of a CSV file.
    func table(_ name: String, _ log: FaultLog) -> [ContentRow] {
        used.paths.insert(folder + name)
        guard let text = files[folder + name], let table = CSVTable(text, log: log) else { return [] }
        guard let position = table.header.firstIndex(of: "id") else {
            log.note(1, "there is no column id")
            return []
        }
        for column in table.header where table.header.filter({ $0 == column }).count > 1 {
            log.note(1, "the column \(column.prefix(60)) occurs twice")
        }
        return table.records.map { record in
            let cells = zip(table.header, record.fields).filter { $0.0 != "id" && !$0.1.isEmpty }
            return ContentRow(
                id: record.fields[position], line: record.line,
                cells: Dictionary(cells.map { ($0.0, $0.1) }) { first, _ in first })
        }
    }

    /// The rows of a file with words, which is a CSV file or a mapping of ids.
    func words(_ name: String, _ log: FaultLog) -> [ContentRow] {
        guard !name.hasSuffix(".csv") else { return table(name, log) }
        used.paths.insert(folder + name)
        return (YAMLReader.read(files[folder + name] ?? "", log: log)?.entries(log) ?? [])
            .compactMap { cells(of: $0.value, id: $0.key, log) }
    }
}
