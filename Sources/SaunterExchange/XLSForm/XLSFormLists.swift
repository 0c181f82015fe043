/// The lists of the sheet `choices`.
struct XLSFormLists {
    struct Option {
        let name: String
        let row: Grid.Row
    }

    private let table: XLSFormTable?
    private var lists: [String: [Option]] = [:]
    /// Rows that are no choice, because they have no list or no name.
    private(set) var nameless: [Grid.Row] = []

    init(_ table: XLSFormTable?) {
        self.table = table
        guard let table else { return }
        let listColumn = ["list_name", "list"].first { table[$0] != nil } ?? "list_name"
        for row in table.rows {
            let (list, name) = (table.cell(row, listColumn), table.cell(row, "name"))
            if !list.isEmpty, !name.isEmpty {
                lists[list, default: []].append(Option(name: name, row: row))
            } else if row.cells.contains(where: { $0.nonBlank != nil }) {
                nameless.append(row)
            }
        }
    }

    subscript(name: String) -> [Option] { lists[name] ?? [] }

    /// Language -> label.
    func words(_ option: Option, _ languages: XLSFormLanguages) -> [String: String] {
        table.map { languages.words(option.row, $0, "label") } ?? [:]
    }
}

/// The languages of a form, which calls them as it likes, and their tags.
struct XLSFormLanguages {
    private static let known = [
        "english": "en", "french": "fr", "français": "fr", "francais": "fr", "spanish": "es", "español": "es",
        "espanol": "es", "german": "de", "deutsch": "de", "swahili": "sw", "arabic": "ar", "portuguese": "pt",
        "chinese": "zh", "russian": "ru", "hindi": "hi", "dutch": "nl", "italian": "it", "norwegian": "no",
        "nepali": "ne", "kiswahili": "sw", "bengali": "bn", "amharic": "am", "somali": "so", "hausa": "ha",
    ]

    /// The first is the main one.
    let tags: [String]
    private(set) var remarks: [Remark] = []
    private let tagOf: [String: String]

    /// - Parameter main: the language that the form's settings name.
    init(_ survey: XLSFormTable, _ choices: XLSFormTable?, main: String) {
        var names: [String] = []
        for (name, _) in (survey.translated["label"] ?? []) + (choices?.translated["label"] ?? [])
        where !names.contains(name) && names.count < 40 { names.append(name) }
        var tags: [String: String] = [:]
        var free = 0
        for name in names {
            if let tag = Self.tag(name), !tags.values.contains(tag) {
                tags[name] = tag
            } else {
                // Tags for private use: qaa, qab …
                tags[name] = "qa" + String(UnicodeScalar(UInt8(97 + free % 26)))
                free += 1
                remarks.append(
                    Remark(
                        place: survey.grid.place(row: survey.header.number, column: nil),
                        detail: "the language \(name.prefix(40)) is called \(tags[name] ?? "")"))
            }
        }
        let isPlain = survey["label"] != nil || choices?["label"] != nil
        let plain = Self.tag(main) ?? (names.isEmpty ? "en" : names.compactMap { tags[$0] }.first ?? "en")
        tagOf = tags
        var list = names.compactMap { tags[$0] }.reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        if names.isEmpty || isPlain && !list.contains(plain) { list.insert(plain, at: 0) }
        if let place = list.firstIndex(of: plain), place > 0 { list.insert(list.remove(at: place), at: 0) }
        self.tags = list
    }

    /// `English (en)`, `English`, `en`.
    private static func tag(_ name: String) -> String? {
        let plain = name.lowercased()
        if let open = plain.lastIndex(of: "("), plain.hasSuffix(")") {
            let code = plain[plain.index(after: open)...].dropLast()
            if isTag(code) { return String(code) }
        }
        if let tag = known[plain] { return tag }
        return plain.utf8.count == 2 && isTag(plain[...]) ? plain : nil
    }

    private static func isTag(_ text: Substring) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) }
    }

    /// Language -> the words of a column.
    func words(_ row: Grid.Row, _ table: XLSFormTable, _ column: String) -> [String: String] {
        var words: [String: String] = [:]
        for (name, index) in table.translated[column] ?? [] {
            if let tag = tagOf[name], let text = table.cell(row, index).nonBlank { words[tag] = text }
        }
        if let main = tags.first, words[main] == nil, let text = table.cell(row, column).nonBlank {
            words[main] = text
        }
        return words
    }
}
