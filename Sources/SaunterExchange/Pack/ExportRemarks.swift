import SaunterCore

/// What another format has no words for, so that whoever exports knows what is left behind.
package enum ExportRemarks {
    /// Of a FHIR Questionnaire: what stands in it only under addresses of our own, or not at all.
    package static func fhir(_ questionnaire: Questionnaire) -> [Remark] {
        var remarks = whole(questionnaire, tellsScores: true)
        for scale in FHIRScores(questionnaire: questionnaire).leftOut {
            remarks.append(
                Remark(
                    place: "\(questionnaire.code)/scoring.yaml",
                    detail: "\(scale) is left out: a variable cannot say exactly what it counts"))
        }
        if questionnaire.scoring?.scales.contains(where: { !$0.bands.isEmpty }) == true {
            remarks.append(
                Remark(place: "\(questionnaire.code)/scoring.yaml", detail: "bands are left out"))
        }
        for item in all(questionnaire.item) {
            func note(_ isThere: Bool, _ what: String) {
                if isThere { remarks.append(own(questionnaire, item, "\(what) under an address of our own")) }
            }
            note(item.type == .ranking, "a ranking is a choice of several, marked")
            note(item.shuffle, "the order that is drawn stands")
            note(item.enableWhenExpression != nil, "the expression of enableWhenExpression stands")
            note(item.answerOption.contains { !$0.enableWhen.isEmpty }, "the conditions of options stand")
        }
        if !questionnaire.constraint.isEmpty {
            remarks.append(
                Remark(
                    place: "\(questionnaire.code)/constraint",
                    detail: "the rules over several answers stand under an address of our own"))
        }
        return remarks
    }

    /// Of a data dictionary of REDCap.
    package static func redcap(_ questionnaire: Questionnaire) -> [Remark] {
        var remarks = whole(questionnaire)
        for language in questionnaire.languages.dropFirst() {
            remarks.append(
                Remark(
                    place: "\(questionnaire.code)/text.\(language).yaml",
                    detail: "is left out: it has one language"))
        }
        if !questionnaire.constraint.isEmpty {
            remarks.append(
                Remark(place: "\(questionnaire.code)/constraint", detail: "is left out: it has no such rules")
            )
        }
        let words = questionnaire.text(in: questionnaire.languages.first ?? "en")
        for item in all(questionnaire.item) {
            let lost: [(String, Bool)] = [
                (
                    "table",
                    item.type == .group && item.itemControl == .table && !REDCapWords.isMatrix(item, words)
                ),
                ("regex", item.regex != nil), ("minLength", item.minLength != nil),
                ("maxLength", item.maxLength != nil), ("maxDecimalPlaces", item.maxDecimalPlaces != nil),
                ("step", item.step != nil), ("shuffle", item.shuffle), ("media", item.media != nil),
                ("initial", item.initial != nil), ("weight", item.answerOption.contains { $0.weight != nil }),
                ("exclusive", item.answerOption.contains(where: \.exclusive)),
                ("enableWhen of options", item.answerOption.contains { !$0.enableWhen.isEmpty }),
                ("repeats", item.repeats && !item.type.hasOptions),
                ("unitOption", item.unitOption.count > 1), ("own words", item.type == .openChoice),
                ("ranking", item.type == .ranking),
                ("enableWhen", !REDCapExport.canSayConditions(of: item, in: questionnaire)),
                (
                    "enableWhenExpression",
                    item.enableWhenExpression != nil && !REDCapExport.canSay(item, of: questionnaire)
                ),
            ]
            let names = lost.filter(\.1).map(\.0)
            if !names.isEmpty {
                remarks.append(own(questionnaire, item, "left out: \(names.joined(separator: ", "))"))
            }
        }
        return remarks
    }

    private static func whole(_ questionnaire: Questionnaire, tellsScores: Bool = false) -> [Remark] {
        let lost: [(String, Bool)] = [
            ("scoring.yaml", questionnaire.scoring != nil && !tellsScores),
            ("edit", questionnaire.edit.correctWithin != nil || questionnaire.edit.deleteWithin != nil),
            ("license", questionnaire.license != nil), ("minutes", questionnaire.minutes != 1),
        ]
        return lost.filter(\.1).map { Remark(place: "\(questionnaire.code)/\($0.0)", detail: "is left out") }
    }

    private static func own(_ questionnaire: Questionnaire, _ item: Item, _ detail: String) -> Remark {
        Remark(place: "\(questionnaire.code)/\(item.linkId)", detail: detail)
    }

    private static func all(_ items: [Item]) -> [Item] { items.flatMap { [$0] + all($0.item) } }
}
