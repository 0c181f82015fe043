import SaunterCore

/// The help text and the end labels of an item. In FHIR they are display items below the item, with these codes of
/// `questionnaire-item-control`. FHIR has no code for a label in the middle, so `middle` is a code of Saunter.
enum FHIRSupplement: String, CaseIterable {
    case help, lower, middle, upper

    /// The text in one language.
    func text(of linkId: String, in texts: QuestionnaireText) -> String? {
        endLabel.map { texts.anchors[linkId]?[$0] } ?? texts.help[linkId]
    }

    /// The name of the end label; nil for the help text.
    var endLabel: String? {
        switch self {
        case .help: nil
        case .lower: "minimum"
        case .middle: "middle"
        case .upper: "maximum"
        }
    }

    /// - Parameters:
    ///   - linkId: the linkId of the item in FHIR.
    ///   - translations: the value of `_text`.
    func json(of linkId: String, text: String, translations: JSON?) -> JSON {
        let system =
            self == .middle ? "urn:saunter:item-control" : "http://hl7.org/fhir/questionnaire-item-control"
        var object: JSONObject = [
            "linkId": .string("\(linkId).\(rawValue)"), "type": "display", "text": .string(text),
        ]
        object["_text"] = translations
        object["extension"] = [
            [
                "url": .string("\(FHIRItemWriter.extensionBaseURL)/questionnaire-itemControl"),
                "valueCodeableConcept": [
                    "coding": [["system": .string(system), "code": .string(rawValue)]]
                ],
            ]
        ]
        return .object(object)
    }
}

extension FHIRItemWriter {
    /// The display items with the help text and the end labels. A display item has none, because it has no children in
    /// FHIR.
    func supplements(of item: Item) -> [JSON] {
        guard item.type != .display else { return [] }
        return FHIRSupplement.allCases.compactMap { supplement in
            supplement.text(of: item.linkId, in: texts).map { text in
                supplement.json(
                    of: mapping.linkId(item.linkId), text: text,
                    translations: translated(text) { supplement.text(of: item.linkId, in: $0) })
            }
        }
    }
}

extension FHIRQuestionnaireReader {
    /// Reads the supplements at the end of the children of an item. A supplement that an export would write in another
    /// form or order stays a display item. All supplements stay display items, also the help text, if there are end
    /// labels but one of the two ends is missing, or if the item cannot have end labels.
    /// - Returns: the other children.
    mutating func readSupplements(_ children: [JSON], of item: Item, _ linkId: String) -> [JSON] {
        var found: [(supplement: FHIRSupplement, child: JSON)] = []
        var rest = children[...]
        for supplement in FHIRSupplement.allCases.reversed() {
            guard let child = rest.last, let text = child["text"]?.string?.nonBlank else { break }
            let isExact = supplement.json(of: linkId, text: text, translations: child["_text"]) == child
            guard isExact, isExported(child["_text"], text) else { continue }
            found.append((supplement, child))
            rest.removeLast()
        }
        let ends = Set(found.map(\.supplement)).subtracting([.help])
        guard item.type != .display, ends.isEmpty || item.hasEnds && ends.isSuperset(of: [.lower, .upper])
        else { return children }
        for (supplement, child) in found {
            add(child["text"]?.string, as: supplement, of: item.linkId, in: language)
            for (other, translation) in Self.translations(child["_text"]) {
                add(language: other)
                add(translation, as: supplement, of: item.linkId, in: other)
            }
        }
        return Array(rest)
    }

    private mutating func add(
        _ given: String?, as supplement: FHIRSupplement, of linkId: String, in language: String
    ) {
        if let endLabel = supplement.endLabel {
            text[language]?.anchors[linkId, default: [:]][endLabel] = given
        } else {
            text[language]?.help[linkId] = given
        }
    }

    /// Whether an export would write these translations: sorted by language, and each different from the text.
    private func isExported(_ element: JSON?, _ text: String) -> Bool {
        let translations = Self.translations(element)
        return FHIRItemWriter.translations(translations) == element
            && translations.map(\.0) == Set(translations.map(\.0)).sorted()
            && !translations.contains { $0.0 == language || $0.1 == text }
    }
}
