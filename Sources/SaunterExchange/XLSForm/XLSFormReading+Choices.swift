import SaunterCore

/// Questions with a list of choices.
extension XLSFormReading {
    mutating func choice(_ row: Grid.Row, _ type: XLSFormType) -> Item {
        let given = lists[type.list]
        let isMany = type.word == "select multiple"
        var item = start(row, .choice)
        guard !given.isEmpty, given.count <= Item.maximumOptions else {
            item.type = .string
            let list = type.list.prefix(60)
            let reason =
                given.isEmpty
                ? "the options of \(list) are not in the file"
                : "the list \(list) has \(given.count) options, and an item has at most \(Item.maximumOptions)"
            remark(row, "type", "\(reason): it is asked as a text")
            if fields[survey.cell(row, "name")] == nil { fields[survey.cell(row, "name")] = item }
            return item
        }
        item.type = type.word == "rank" ? .ranking : type.hasOther ? .openChoice : .choice
        item.repeats = isMany
        let appearance = survey.cell(row, "appearance")
        if appearance.contains("minimal") { item.itemControl = .dropDown }
        if appearance.contains("autocomplete") { item.itemControl = .autocomplete }
        item.shuffle = survey.cell(row, "parameters").lowercased().contains("randomize=true")
        let areNumbers = given.allSatisfy { option in
            Int(option.name).map { String($0) == option.name && SignedCodes.range(of: item).contains($0) }
                == true
        }
        noteRepeated(given, row, type)
        let signed = SignedCodes(areNumbers ? [] : given.map(\.name), areRanked: item.type == .ranking)
        if let detail = signed.remark { remark(row, "type", detail) }
        var codes = NameMaker(optionsOf: item)
        for option in given where options[item.linkId]?[option.name] == nil {
            let value: OptionValue =
                areNumbers
                ? .integer(Int(option.name) ?? 0)
                : .code(
                    codes.take(option.name, limit: isMany || item.type == .ranking ? 14 : 24, letter: nil))
            item.answerOption.append(ResponseOption(value: value, weight: signed.weights[option.name]))
            options[item.linkId, default: [:]][option.name] = value
            let words = lists.words(option, languages)
            let first = languages.tags.lazy.compactMap { words[$0] }.first
            for tag in languages.tags {
                text[tag]?.options[item.linkId, default: [:]][value.text] = words[tag] ?? first ?? option.name
            }
        }
        let changed = (options[item.linkId] ?? [:]).filter { $0.value.text != $0.key }
        if !changed.isEmpty {
            kept[item.linkId, default: JSONObject()]["codings"] = .object(
                JSONObject(
                    changed.sorted { $0.key < $1.key }.map {
                        .init(name: $0.value.text, value: .string($0.key))
                    }))
        }
        defaults(of: &item, row)
        if fields[survey.cell(row, "name")] == nil { fields[survey.cell(row, "name")] = item }
        return item
    }
}
