/// The languages of a form, and the language tag for each language name in the form.
struct XLSFormLanguages {
    private static let known = [
        "english": "en", "french": "fr", "français": "fr", "francais": "fr", "spanish": "es", "español": "es",
        "espanol": "es", "german": "de", "deutsch": "de", "swahili": "sw", "arabic": "ar", "portuguese": "pt",
        "chinese": "zh", "russian": "ru", "hindi": "hi", "dutch": "nl", "italian": "it", "norwegian": "no",
        "nepali": "ne", "kiswahili": "sw", "bengali": "bn", "amharic": "am", "somali": "so", "hausa": "ha",
    ]

    /// The language tags; the first is the main language.
    let tags: [String]
    private(set) var remarks: [Remark] = []
    private let tagOf: [String: String]

    /// - Parameter main: the default language in the settings of the form.
    init(_ survey: XLSFormTable, _ choices: XLSFormTable?, main: String) {
        var names: [String] = []
        for (name, _) in (survey.translated["label"] ?? []) + (choices?.translated["label"] ?? [])
        where !names.contains(name) && names.count < 40 { names.append(name) }
        var tags: [String: String] = [:]
        var privateTagCount = 0
        for name in names {
            if let tag = Self.tag(name), !tags.values.contains(tag) {
                tags[name] = tag
            } else {
                // Unknown languages, and languages whose tag is already used, get tags for private use: qaa, qab, …
                tags[name] = "qa" + String(UnicodeScalar(UInt8(97 + privateTagCount % 26)))
                privateTagCount += 1
                remarks.append(
                    Remark(
                        location: survey.worksheet.location(row: survey.header.number, column: nil),
                        detail: "the language \(name.prefix(40)) gets the private tag \(tags[name] ?? "")"))
            }
        }
        let hasUntranslatedLabel = survey["label"] != nil || choices?["label"] != nil
        let mainTag = Self.tag(main) ?? (names.isEmpty ? "en" : names.compactMap { tags[$0] }.first ?? "en")
        tagOf = tags
        var list = names.compactMap { tags[$0] }.reduce(into: [String]()) {
            if !$0.contains($1) { $0.append($1) }
        }
        if names.isEmpty || hasUntranslatedLabel && !list.contains(mainTag) { list.insert(mainTag, at: 0) }
        if let index = list.firstIndex(of: mainTag), index > 0 { list.insert(list.remove(at: index), at: 0) }
        self.tags = list
    }

    /// The tag of a language that is named `English (en)`, `English` or `en`; nil if it is unknown.
    private static func tag(_ name: String) -> String? {
        let lowercaseName = name.lowercased()
        if let open = lowercaseName.lastIndex(of: "("), lowercaseName.hasSuffix(")") {
            let code = lowercaseName[lowercaseName.index(after: open)...].dropLast()
            if isTag(code) { return String(code) }
        }
        if let tag = known[lowercaseName] { return tag }
        return lowercaseName.utf8.count == 2 && isTag(lowercaseName[...]) ? lowercaseName : nil
    }

    private static func isTag(_ text: Substring) -> Bool {
        (2...3).contains(text.utf8.count) && text.utf8.allSatisfy { (97...122).contains($0) }
    }

    /// Whether the form has labels in the language with this name.
    func isKnown(_ name: String) -> Bool { tagOf[name] != nil }

    /// Language tag -> text of a column in this row.
    func texts(_ row: Worksheet.Row, _ table: XLSFormTable, _ column: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (name, index) in table.translated[column] ?? [] {
            if let tag = tagOf[name], let text = table.cell(row, index).nonBlank { texts[tag] = text }
        }
        if let main = tags.first, texts[main] == nil, let text = table.cell(row, column).nonBlank {
            texts[main] = text
        }
        return texts
    }
}
