import SaunterCore

/// Lists the parts of a questionnaire that another format cannot express, so that the user knows what an export omits.
package enum ExportRemarks {
    /// The parts that matter for another program and that a FHIR Questionnaire contains only as extensions of Saunter
    /// (URLs that begin with `urn:saunter:`), or not at all.
    package static func fhir(_ questionnaire: Questionnaire) -> [Remark] {
        var remarks = common(questionnaire, includesScores: true)
        remarks += scores(questionnaire)
        for item in questionnaire.item.withDescendants {
            func note(_ isUsed: Bool, _ what: String) {
                if isUsed {
                    remarks.append(remark(questionnaire, item, "\(what) as an extension of Saunter"))
                }
            }
            if item.type.form == .ranking {
                remarks.append(
                    remark(
                        questionnaire, item,
                        "a ranking is exported as a multiple choice with an extension of Saunter"))
            }
            if item.type.form == .location {
                remarks.append(
                    remark(
                        questionnaire, item,
                        "a location is exported as a text question with an extension of Saunter"))
            }
            if item.type == .display,
                questionnaire.text.values.contains(where: { $0.help[item.linkId] != nil })
            {
                remarks.append(remark(questionnaire, item, "left out: help"))
            }
            note(item.dataKind != nil, "data_kind is exported")
            note(item.shuffle, "shuffle is exported")
            note(item.enableWhenExpression != nil, "enableWhenExpression is exported")
            note(
                item.answerOption.contains { !$0.enableWhen.isEmpty },
                "enableWhen of options is exported")
        }
        if !questionnaire.constraint.isEmpty {
            remarks.append(
                Remark(
                    location: "\(questionnaire.code)/constraint",
                    detail: "constraints are exported as extensions of Saunter"))
        }
        return remarks
    }

    /// The parts of the scoring key that matter for another program and that its FHIRPath variables do not express.
    private static func scores(_ questionnaire: Questionnaire) -> [Remark] {
        let omittedScales = FHIRScores(FHIRQuestionnaire.itemWriter(questionnaire)).omittedScales
        let scales = questionnaire.scoring?.scales ?? []
        var details = omittedScales.map { "\($0) is left out: FHIRPath cannot express it exactly" }
        if scales.contains(where: { !$0.bands.isEmpty }) { details.append("bands are left out") }
        let hasRanges = scales.contains { scale in
            (scale.minimum != nil || scale.maximum != nil) && !omittedScales.contains(scale.id)
        }
        if hasRanges {
            details.append(
                "minimum and maximum are exported as extensions of Saunter: "
                    + "other programs also compute scores outside of this range")
        }
        return details.map { Remark(location: "\(questionnaire.code)/scoring.yaml", detail: $0) }
    }

    /// The parts that a REDCap data dictionary does not contain.
    package static func redcap(_ questionnaire: Questionnaire) -> [Remark] {
        var remarks = common(questionnaire)
        for language in questionnaire.languages.dropFirst() {
            remarks.append(
                Remark(
                    location: "\(questionnaire.code)/text.\(language).yaml",
                    detail: "is left out, because a REDCap dictionary has one language"))
        }
        if !questionnaire.constraint.isEmpty {
            remarks.append(
                Remark(
                    location: "\(questionnaire.code)/constraint",
                    detail: "is left out, because a REDCap dictionary has no constraints over several answers"
                )
            )
        }
        let texts = questionnaire.text(in: questionnaire.languages.first ?? "en")
        for item in questionnaire.item.withDescendants {
            if item.type.form == .location {
                remarks.append(
                    remark(
                        questionnaire, item,
                        "a location is exported as a text field, because REDCap has no coordinates"))
            }
            let names = partsOutsideDictionary(of: item, in: questionnaire, texts)
            if !names.isEmpty {
                remarks.append(remark(questionnaire, item, "left out: \(names.joined(separator: ", "))"))
            }
        }
        return remarks
    }

    /// The names of the parts of an item for which a REDCap data dictionary has no column.
    private static func partsOutsideDictionary(
        of item: Item, in questionnaire: Questionnaire, _ texts: QuestionnaireText
    ) -> [String] {
        let omitted: [(String, Bool)] = [
            (
                "table",
                item.type == .group && item.itemControl == .table
                    && !REDCapVocabulary.isMatrix(item, texts)
            ),
            ("regex", item.regex != nil), ("minLength", item.minLength != nil),
            ("maxLength", item.maxLength != nil), ("maxDecimalPlaces", item.maxDecimalPlaces != nil),
            ("minOccurs", item.minOccurs != nil), ("maxOccurs", item.maxOccurs != nil),
            ("decimals", item.decimals != nil),
            ("step", item.step != nil), ("shuffle", item.shuffle), ("media", item.media != nil),
            ("media of options", item.answerOption.contains { $0.media != nil }),
            ("placeholder", texts.placeholders[item.linkId] != nil), ("data_kind", item.dataKind != nil),
            ("initial", item.initial != nil), ("weight", item.answerOption.contains { $0.weight != nil }),
            ("exclusive", item.answerOption.contains(where: \.exclusive)),
            ("enableWhen of options", item.answerOption.contains { !$0.enableWhen.isEmpty }),
            ("repeats", item.repeats && !item.type.hasOptions),
            ("unitOption", item.unitOption.count > 1), ("free text", item.type.acceptsFreeText),
            ("ranking", item.type.form == .ranking),
            ("help", item.type == .group && texts.help[item.linkId] != nil),
            // The field note contains the help text or, if there is none, the unit.
            ("unit", (item.unit ?? item.unitOption.first) != nil && texts.help[item.linkId] != nil),
            (
                "anchors",
                texts.anchors[item.linkId] != nil && item.type.definition.redcap(item).type != "slider"
            ),
            ("enableWhen", !REDCapExport.canExpressConditions(of: item, in: questionnaire)),
            (
                "enableWhenExpression",
                item.enableWhenExpression != nil
                    && !REDCapExport.canExpressExpression(of: item, in: questionnaire)
            ),
        ]
        return omitted.filter(\.1).map(\.0)
    }

    private static func common(_ questionnaire: Questionnaire, includesScores: Bool = false) -> [Remark] {
        let omitted: [(String, Bool)] = [
            ("scoring.yaml", questionnaire.scoring != nil && !includesScores),
            ("edit", questionnaire.edit != EditPolicy()),
            ("license", questionnaire.license != nil), ("minutes", questionnaire.minutes != 1),
        ]
        return omitted.filter(\.1).map {
            Remark(location: "\(questionnaire.code)/\($0.0)", detail: "is left out")
        }
    }

    private static func remark(_ questionnaire: Questionnaire, _ item: Item, _ detail: String) -> Remark {
        Remark(location: "\(questionnaire.code)/\(item.linkId)", detail: detail)
    }
}
