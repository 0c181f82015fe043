import SaunterCore

/// What is read without looking at the items.
extension FHIRReading {
    /// Rules over several answers, as our own export writes them.
    var constraints: [(rule: Constraint, words: String)] {
        (resource["extension"]?.array ?? []).compactMap { element in
            guard element["url"] == "urn:saunter:constraint" else { return nil }
            let parts = element["extension"]?.array ?? []
            func part(_ name: String, _ member: String) -> String? {
                parts.first { $0["url"]?.string == name }?[member]?.string?.nonBlank
            }
            guard let key = part("key", "valueId"), let expression = part("expression", "valueString"),
                let severity = part("severity", "valueCode").flatMap({ Constraint.Severity(rawValue: $0) })
            else { return nil }
            let rule = Constraint(
                key: key.replacing("-", with: "_"), severity: severity, expression: expression,
                item: part("item", "valueString"))
            return (rule, part("human", "valueString") ?? key)
        }
    }

    /// The title in further languages. One in which there is nothing else stays aside: whoever chose it would read the
    /// title, and nothing more.
    mutating func readTitles() {
        for (index, element) in (resource["_title"]?["extension"]?.array ?? []).enumerated() {
            let here = "\(place)/_title/extension/\(index)"
            let alone: JSON = ["extension": .array([element])]
            if let (other, words) = Self.translations(alone).first {
                if other == language { continue }
                if text[other] == nil {
                    remark(
                        Remark(
                            place: here,
                            detail: "kept without effect, because nothing but the title is in \(other)"))
                } else {
                    text[other]?.title = words
                }
            } else {
                let url = element["url"]?.string ?? ""
                if url.hasSuffix("/translation") || !FHIRKeeping.isHarmless(url) {
                    remark(Remark(place: here, detail: "\(url.prefix(200)) is kept without effect"))
                }
            }
        }
    }

    /// Language -> words, of the extension for translations.
    static func translations(_ element: JSON?) -> [(String, String)] {
        (element?["extension"]?.array ?? []).compactMap { entry in
            guard entry["url"]?.string == "\(FHIRItem.extensions)/translation" else { return nil }
            let parts = entry["extension"]?.array ?? []
            let tag = parts.first { $0["url"] == "lang" }?["valueCode"]?.string.flatMap(language)
            let content = parts.first { $0["url"] == "content" }
            let words = content?["valueString"]?.string ?? content?["valueMarkdown"]?.string
            guard let tag, let words = words?.nonBlank else { return nil }
            return (tag, words)
        }
    }

    static func language(_ tag: String) -> String? {
        let parts = tag.split(separator: "-")
        guard let first = parts.first, (2...3).contains(first.utf8.count),
            first.utf8.allSatisfy({ (97...122).contains($0) }), parts.count <= 3,
            parts.allSatisfy({ (2...8).contains($0.utf8.count) }),
            tag.utf8.allSatisfy({
                (97...122).contains($0 | 0x20) || (48...57).contains($0) || $0 == 45
            })
        else { return nil }
        return tag
    }

    /// `1.2` becomes `1.2.0`; what is no such version, 1.0.0.
    static func version(_ text: String?) -> String {
        let parts = (text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        let numbers = parts.compactMap { part in
            part.utf8.count <= 5 && part.utf8.allSatisfy({ (48...57).contains($0) }) ? Int(part) : nil
        }
        guard (1...3).contains(parts.count), numbers.count == parts.count else { return "1.0.0" }
        return (numbers + [0, 0]).prefix(3).map(String.init).joined(separator: ".")
    }
}
