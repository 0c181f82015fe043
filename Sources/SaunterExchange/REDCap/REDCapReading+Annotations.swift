import SaunterCore

/// What the action tags of a field say.
extension REDCapReading {
    mutating func annotations(of item: inout Item, _ row: REDCapRow) {
        for tag in REDCapTag.all(in: row[.annotation]) {
            switch tag.name {
            case "@HIDDEN", "@HIDDEN-SURVEY": item.hidden = true
            case "@READONLY", "@READONLY-SURVEY": item.readOnly = true
            case "@NONEOFTHEABOVE": exclude(tag.value, of: &item, row)
            case "@DEFAULT":
                item.initial = initial(tag.value, of: item)
                if item.initial == nil { remark(row, .annotation, "@DEFAULT is kept without effect") }
            default: remark(row, .annotation, "\(tag.name.prefix(60)) is kept without effect")
            }
        }
    }

    /// Options, by their codes between commas, that exclude all others.
    private mutating func exclude(_ codes: String, of item: inout Item, _ row: REDCapRow) {
        for part in codes.split(separator: ",", omittingEmptySubsequences: false) {
            let code = String(part).trimmed
            let value = options[item.linkId]?[code]
            guard let place = item.answerOption.firstIndex(where: { $0.value == value }) else {
                remark(row, .annotation, "@NONEOFTHEABOVE: there is no choice \(code.prefix(40))")
                continue
            }
            item.answerOption[place].exclusive = true
        }
    }

    /// What is taken from another field, as `[name]`, is known only while a form is filled in.
    private func initial(_ value: String, of item: Item) -> Answer? {
        guard !value.contains("[") else { return nil }
        return switch item.type {
        case .integer: Int(value).map { .integer($0) }
        case .decimal: Double(value).flatMap { $0.isFinite ? .decimal($0) : nil }
        case .string, .text: value.nonBlank.map { .text($0) }
        case .boolean: ["1": true, "0": false][value].map { .boolean($0) }
        case .choice where item.repeats: boxes(value, of: item)
        case .choice: options[item.linkId]?[value].map { .option($0) }
        default: nil
        }
    }

    /// Several boxes stand there by their codes between commas; nil where one of them is not there.
    private func boxes(_ codes: String, of item: Item) -> Answer? {
        let given = codes.split(separator: ",", omittingEmptySubsequences: false)
        let values = given.compactMap { options[item.linkId]?[String($0).trimmed] }
        guard values.count == given.count else { return nil }
        return .options(item.answerOption.map(\.value).filter(values.contains))
    }
}
