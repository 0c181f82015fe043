import SaunterCore

/// The labels of codes in the language of the dataset, from the newest version that contains each code.
struct CodeLabels {
    let definitions: StudyDefinitions

    /// The codes of a column with their labels, in the order of their meaning. Empty if the column has no codes.
    func of(_ column: Column) -> [(code: String, label: String)] {
        if column.type == .boolean { return [("0", "No"), ("1", "Yes")] }
        guard let set = column.valueSet else { return [] }
        if set == ContentLabels.columnSet { return definitions.contentLabels.codes(in: definitions.language) }
        if let fixed = ValueLabels.fixedSets.first(where: { $0.set == set }) { return fixed.codes }
        guard let item = column.item, column.type == .integer || column.type == .string else { return [] }
        return of(item)
    }

    /// The codes of an item's options with their labels.
    func of(_ item: ItemHistory) -> [(code: String, label: String)] {
        let instrument = definitions.instruments.first { $0.code == item.instrument }
        return item.rankedOptions.map { option in
            let code = option.value.text
            let questionnaire = instrument?.versions.last {
                $0.text(in: definitions.language).options[item.linkId]?[code] != nil
            }
            return (code, questionnaire?.text(in: definitions.language).options[item.linkId]?[code] ?? code)
        }
    }

    /// Whether a value of this column is never one of the numbers −999 to −989, which represent reasons for blanks in
    /// SPSS.
    static func allowsReasonNumbers(_ column: Column) -> Bool {
        guard let item = column.item else { return false }
        let reasons = -999...(-989)
        if item.isCounted || item.isMultiple { return true }
        switch column.type {
        case .boolean: return true
        case .integer where item.newest.type.form == .options:
            return !item.options.compactMap(\.value.number).contains(where: reasons.contains)
        case .integer, .number:
            return item.appearances.allSatisfy { ($0.item.minValue ?? -.infinity) > -989 }
        case .string, .date, .instant, .local, .time: return false
        }
    }
}
