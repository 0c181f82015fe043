import SaunterCore

/// Reads totals whose calculation the source does not state: a number that is a total by its code or text, after
/// choices with ordinal values. Such a total is the sum of these values only if nothing contradicts it. In either case
/// a remark states what the import did, so that the researcher compares it with the publication.
extension FHIRQuestionnaireReader {
    /// Codes of LOINC for totals whose item often has no text: PHQ-9, PHQ-2, GAD-7, AUDIT-C, EPDS.
    private static let totalCodes: Set<String> = ["44261-6", "55758-7", "70274-6", "75626-2", "71354-5"]

    /// Makes a score of every total that is the sum of the choices between the previous total and itself.
    mutating func readUnstatedTotals(_ items: inout [Item], _ scores: inout FHIRScoreCollection) {
        let whole = items
        var (summands, others): ([Item], [String]) = ([], [])
        var computed: Set<String> = []
        for item in whole.withDescendants {
            if isStatedTotal(item) {
                (summands, others) = ([], [])
            } else if isUnstatedTotal(item) {
                do throws(TranslationError) {
                    try check(item, isSumOf: summands, others)
                    try addTotal(item, of: summands, whole, to: &scores)
                    computed.insert(item.linkId)
                } catch {
                    remark(
                        Remark(
                            location: locations[item.linkId] ?? location,
                            detail:
                                "the item is called a total, and the source does not state how to compute it. "
                                + "The item is not imported as a score, so participants are asked: \(error.detail)"
                        )
                    )
                }
                (summands, others) = ([], [])
            } else if Self.ordinalValues(item) != nil {
                summands.append(item)
            } else if item.type.form == .number {
                others.append(item.linkId)
            }
        }
        Self.hide(computed, in: &items)
    }

    /// Whether the source states how the item is computed.
    private func isStatedTotal(_ item: Item) -> Bool {
        (sources[item.linkId]?["extension"]?.array ?? []).contains {
            $0["url"]?.string?.hasSuffix("/sdc-questionnaire-calculatedExpression") == true
        }
    }

    /// Whether the item is a number that is a total by its code, or by its text if participants cannot enter it.
    private func isUnstatedTotal(_ item: Item) -> Bool {
        guard item.type.form == .number, !item.repeats else { return false }
        let codes = sources[item.linkId]?["code"]?.array ?? []
        let isCoded = codes.contains { code in
            code["system"] == "http://loinc.org" && Self.totalCodes.contains(code["code"]?.string ?? "")
                || Self.words(code["display"]?.string).contains("total")
        }
        guard item.readOnly else { return isCoded }
        return isCoded
            || Self.words(text[language]?.items[item.linkId]).contains { word in
                ["total", "score", "sum", "summe"].contains(word) || word.hasPrefix("gesamt")
                    || word.hasPrefix("summen")
            }
    }

    private static func words(_ text: String?) -> [Substring] {
        (text ?? "").lowercased().split { !$0.isLetter }.map { $0 }
    }

    /// The values of the options of a choice, in ascending order; nil if the item is no choice or an option has none.
    private static func ordinalValues(_ item: Item) -> [Double]? {
        guard item.type.form == .options, !item.type.acceptsFreeText, !item.repeats, !item.hidden,
            !item.answerOption.isEmpty
        else { return nil }
        let values = item.answerOption.compactMap(\.number)
        return values.count == item.answerOption.count ? values.sorted() : nil
    }

    /// - Throws: `TranslationError` if the total may be something other than the sum of these items.
    private func check(
        _ total: Item, isSumOf summands: [Item], _ others: [String]
    ) throws(TranslationError) {
        guard summands.count > 1 else {
            throw TranslationError(detail: "there are no choices with ordinal values before it")
        }
        guard others.isEmpty else {
            throw TranslationError(
                detail: "\(others.joined(separator: ", ")) may belong to it, because it asks for a number")
        }
        let values = summands.compactMap(Self.ordinalValues)
        let least = values.compactMap(\.first).reduce(0, +)
        let greatest = values.compactMap(\.last).reduce(0, +)
        let isDeclared = total.maxValue == greatest
        if total.maxValue ?? greatest != greatest || total.minValue ?? least != least {
            let bounds = [total.minValue, total.maxValue].map { $0.map(Self.number) ?? "…" }
            throw TranslationError(
                detail: "its range is \(bounds[0]) to \(bounds[1]), and the sum of "
                    + "\(summands.map(\.linkId).joined(separator: ", ")) is \(Self.number(least)) to \(Self.number(greatest))"
            )
        }
        guard isDeclared || Set(values).count == 1 else {
            throw TranslationError(
                detail: "its choices have different values, so it is unclear which of them it contains: "
                    + summands.map(\.linkId).joined(separator: ", "))
        }
    }

    private static func number(_ value: Double) -> String { JSONNumber(value).literal }

    private mutating func addTotal(
        _ total: Item, of summands: [Item], _ whole: [Item], to scores: inout FHIRScoreCollection
    ) throws(TranslationError) {
        let names = summands.map(\.linkId)
        let id = scores.names.makeName("\(String(total.linkId.prefix(17)))_score", letter: "s")
        let sum = WeightedSum(names: names, skipsMissing: false)
        scores.add(try scale(of: sum, id, whole), text[language]?.items[total.linkId] ?? id)
        remark(
            Remark(
                location: locations[total.linkId] ?? location,
                detail: "\(total.linkId) is hidden: it is computed as the score \(id), the sum of "
                    + "\(names.joined(separator: ", ")). The source does not state this: compare it with the publication"
            ))
    }

    /// Participants must not answer an item that shows a score.
    private static func hide(_ names: Set<String>, in items: inout [Item]) {
        for index in items.indices {
            if names.contains(items[index].linkId) {
                (items[index].hidden, items[index].required) = (true, false)
            }
            hide(names, in: &items[index].item)
        }
    }
}
