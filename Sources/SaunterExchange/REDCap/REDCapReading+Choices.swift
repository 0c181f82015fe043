import SaunterCore

/// Fields with a list of choices.
extension REDCapReading {
    mutating func choices(of item: inout Item, _ row: REDCapRow, _ type: String) {
        (item.type, item.repeats) = (.choice, type == "checkbox")
        if type == "dropdown" || type == "select" {
            item.itemControl = row[.validation].lowercased() == "autocomplete" ? .autocomplete : .dropDown
        }
        keep(item.linkId, .validation, row)
        let given = row[.choices].split(separator: "|").map { part -> (code: String, label: String) in
            let pieces = part.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
            let code = String(pieces.first ?? "").trimmed
            return (code, pieces.count == 2 ? String(pieces[1]).trimmed : code)
        }.filter { !$0.code.isEmpty }
        if let reason = Self.doubt(given.map(\.code)) {
            (item.type, item.repeats, item.itemControl) = (.string, false, nil)
            keep(item.linkId, .type, row)
            keep(item.linkId, .choices, row)
            remark(row, .choices, "\(reason): it is asked as a text")
            return
        }
        let areNumbers = given.allSatisfy { choice in
            Int(choice.code).map { String($0) == choice.code && SignedCodes.range(of: item).contains($0) }
                == true
        }
        let signed = SignedCodes(areNumbers ? [] : given.map(\.code))
        if let detail = signed.remark { remark(row, .choices, detail) }
        var codes = NameMaker(optionsOf: item)
        var isChanged = false
        for (code, label) in given {
            let value: OptionValue =
                areNumbers
                ? .integer(Int(code) ?? 0)
                : .code(codes.take(code, limit: item.repeats ? 14 : 24, letter: nil))
            isChanged = isChanged || value.text != code
            item.answerOption.append(ResponseOption(value: value, weight: signed.weights[code]))
            options[item.linkId, default: [:]][code] = value
            text.options[item.linkId, default: [:]][value.text] = label.nonBlank ?? code
        }
        if isChanged { keep(item.linkId, .choices, row) }
    }

    /// Why choices of these codes cannot be options; nil where they can.
    private static func doubt(_ codes: [String]) -> String? {
        if codes.isEmpty { return "it has no choices" }
        if codes.count > Item.maximumOptions {
            return "it has \(codes.count) choices, and an item has at most \(Item.maximumOptions)"
        }
        var seen: Set<String> = []
        return codes.first { !seen.insert($0).inserted }.map {
            "its choices cannot be told apart, because \($0.prefix(40)) stands there twice"
        }
    }
}
