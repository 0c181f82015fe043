extension DefinitionCheck {
    mutating func checkText() {
        if questionnaire.languages.isEmpty {
            faults.add("/languages", "no_language", "At least one language is needed.")
        }
        for (index, language) in questionnaire.languages.enumerated() {
            if !LanguageTag.isValid(language) {
                faults.add("/languages/\(index)", "bad_language", LanguageTag.rule)
            }
            if questionnaire.languages.firstIndex(of: language) != index {
                faults.add("/languages/\(index)", "duplicate_language", "This language is named twice.")
            } else if questionnaire.text[language] == nil {
                faults.add(
                    "/text/\(Fault.escape(language))", "missing_language",
                    "The words in this language are missing.")
            }
        }
        for (language, words) in questionnaire.text.sorted(by: { $0.key < $1.key }) {
            let pointer = "/text/\(Fault.escape(language))"
            guard questionnaire.languages.contains(language) else {
                faults.add(
                    pointer, "surplus_language", "This language is not among the questionnaire's languages.")
                continue
            }
            check(words, pointer)
        }
    }

    private mutating func check(_ words: QuestionnaireText, _ pointer: String) {
        check(words.title, "\(pointer)/title")
        let texts = questionnaire.text.values
        if texts.contains(where: { $0.description != nil }) {
            check(words.description, "\(pointer)/description")
        }
        // A group may do without words, but then in every language.
        let needed = places.map(\.item).filter { item in
            item.type != .group || texts.contains { $0.items[item.linkId] != nil }
        }
        check(words.items, names: needed.map(\.linkId), known: firsts.keys.contains, "\(pointer)/items")
        var options: [String: [String]] = [:]
        for item in places.map(\.item) where item.type.hasOptions {
            options[item.linkId] = item.answerOption.map(\.value.text)
        }
        check(words.options, names: options, "\(pointer)/options")
        let constraints = questionnaire.constraint.map(\.key)
        check(
            words.constraints, names: constraints, known: Set(constraints).contains, "\(pointer)/constraints")
        let shown = places.map(\.item).filter { $0.media != nil }.map(\.linkId)
        check(words.media, names: shown, known: Set(shown).contains, "\(pointer)/media")
        let scales = questionnaire.scoring?.scales ?? []
        check(
            words.scales, names: scales.map(\.id), known: { id in scales.contains { $0.id == id } },
            "\(pointer)/scales")
        let bands = Dictionary(
            scales.filter { !$0.bands.isEmpty }.map { ($0.id, $0.bands.map(\.id)) },
            uniquingKeysWith: { first, _ in first })
        check(words.bands, names: bands, "\(pointer)/bands")
    }

    /// Labels in two steps: item and option, scale and band.
    private mutating func check(
        _ given: [String: [String: String]], names: [String: [String]], _ pointer: String
    ) {
        for (name, labels) in names.sorted(by: { $0.key < $1.key }) {
            let known = Set(labels)
            check(
                given[name] ?? [:], names: labels, known: known.contains, "\(pointer)/\(Fault.escape(name))")
        }
        for name in given.keys.sorted() where names[name] == nil {
            faults.add(
                "\(pointer)/\(Fault.escape(name))", "surplus_text",
                "Nothing called \"\(name)\" needs words here.")
        }
    }

    private mutating func check(
        _ given: [String: String], names: [String], known: (String) -> Bool, _ pointer: String
    ) {
        for name in names { check(given[name], "\(pointer)/\(Fault.escape(name))") }
        for name in given.keys.sorted() where !known(name) {
            faults.add(
                "\(pointer)/\(Fault.escape(name))", "surplus_text",
                "Nothing called \"\(name)\" needs words here.")
        }
    }

    private mutating func check(_ text: String?, _ pointer: String) {
        guard let text, text.unicodeScalars.contains(where: { !$0.properties.isWhitespace }) else {
            faults.add(pointer, "missing_text", "The words are missing.")
            return
        }
        if text.utf8.contains(0) {
            faults.add(pointer, "nul_character", "The character U+0000 cannot be stored.")
        }
    }
}
