import SaunterCore
import SaunterPacks

/// A questionnaire on its way in: what could be understood, and where each item came from.
struct Draft {
    var questionnaire: Questionnaire
    /// linkId -> where it stands in the file.
    var places: [String: String] = [:]
    /// What stands for the file as a whole.
    var place = ""
    var remarks: [Remark] = []

    /// Takes away, property by property, what our own rules refuse. Every such thing is remarked on; what cannot be taken
    /// away refuses the import.
    mutating func fit() throws(ImportRefusal) {
        let lost = Self.tidy(&questionnaire.item)
        remarks += lost.map { linkId, name in
            Remark(
                place: places[linkId] ?? place,
                detail: "\(name) has no effect here: packs hold numbers up to 10^12")
        }
        for _ in 0..<60 {
            let faults = questionnaire.faults()
            if faults.isEmpty { return }
            var rules: [Int: Fault] = [:]
            for fault in faults {
                let steps = fault.pointer.split(separator: "/")
                if steps.count >= 2, steps[0] == "constraint", let index = Int(steps[1]) {
                    rules[index] = fault
                } else if !take(away: fault) {
                    throw ImportRefusal(place: place(of: fault.pointer), detail: fault.detail)
                }
            }
            for (index, fault) in rules.sorted(by: { $0.key > $1.key }) { drop(rule: index, fault) }
        }
        throw ImportRefusal(place: place, detail: "its rules contradict one another")
    }

    /// Takes away numbers beyond what packs hold, which no fault would name.
    /// - Returns: the properties that were taken away.
    private static func tidy(_ items: inout [Item]) -> [(linkId: String, name: String)] {
        var lost: [(linkId: String, name: String)] = []
        for index in items.indices {
            let linkId = items[index].linkId
            func hold(_ value: inout Double?, _ name: String) {
                if (value?.magnitude ?? 0) <= 1e12 { return }
                value = nil
                lost.append((linkId, name))
            }
            if ![.date, .time, .dateTime].contains(items[index].type) {
                hold(&items[index].minValue, "minValue")
                hold(&items[index].maxValue, "maxValue")
            }
            hold(&items[index].step, "step")
            for option in items[index].answerOption.indices {
                hold(&items[index].answerOption[option].weight, "answerOption/\(option)/weight")
            }
            lost += tidy(&items[index].item)
        }
        return lost
    }

    private func place(of pointer: String) -> String {
        var steps = pointer.split(separator: "/").map(String.init)
        var items = questionnaire.item
        var found = place
        while steps.count >= 2, steps[0] == "item", let index = Int(steps[1]), items.indices.contains(index) {
            found = places[items[index].linkId] ?? found
            items = items[index].item
            steps.removeFirst(2)
        }
        return found
    }

    private mutating func drop(rule index: Int, _ fault: Fault) {
        guard questionnaire.constraint.indices.contains(index) else { return }
        let rule = questionnaire.constraint.remove(at: index)
        for language in questionnaire.languages { questionnaire.text[language]?.constraints[rule.key] = nil }
        let spot = rule.item.flatMap { places[$0] } ?? place
        remarks.append(Remark(place: spot, detail: "the rule at it is not checked: \(fault.detail)"))
    }

    private mutating func take(away fault: Fault) -> Bool {
        let steps = fault.pointer.split(separator: "/").map(String.init)
        if steps.first == "text", steps.count >= 4 { return fillText(steps) }
        guard steps.first == "item", steps.count > 2 else { return false }
        let spot = place(of: fault.pointer)
        guard let name = Self.strip(&questionnaire.item, steps[...], fault) else { return false }
        if !name.isEmpty {
            remarks.append(Remark(place: spot, detail: "\(name) has no effect here: \(fault.detail)"))
        }
        return true
    }

    /// Words that one language lacks are those of the first; words of nothing are dropped.
    private mutating func fillText(_ steps: [String]) -> Bool {
        let (language, kind, name) = (steps[1], steps[2], steps[3])
        let base = questionnaire.text[questionnaire.languages.first ?? ""]
        switch kind {
        case "items":
            let isKnown = places[name] != nil
            questionnaire.text[language]?.items[name] = isKnown ? base?.items[name].nonBlank ?? name : nil
        case "options":
            guard steps.count == 5 else {
                questionnaire.text[language]?.options[name] = nil
                return true
            }
            let option = steps[4]
            let isKnown = item(name, questionnaire.item)?.answerOption.contains { $0.value.text == option }
            questionnaire.text[language]?.options[name, default: [:]][option] =
                isKnown == true ? base?.options[name]?[option].nonBlank ?? option : nil
        default: return false
        }
        return true
    }

    private func item(_ linkId: String, _ items: [Item]) -> Item? {
        for item in items {
            if item.linkId == linkId { return item }
            if let found = self.item(linkId, item.item) { return found }
        }
        return nil
    }

    /// - Returns: the property that was taken away, empty where nothing was lost; nil where that cannot be done.
    private static func strip(_ items: inout [Item], _ steps: ArraySlice<String>, _ fault: Fault) -> String? {
        let path = Array(steps)
        guard path.count >= 3, let index = Int(path[1]), items.indices.contains(index) else { return nil }
        if path[2] == "item", path.count >= 5 {
            return strip(&items[index].item, path[2...], fault)
        }
        return items[index].strip(
            path[2], at: path.count > 3 ? Int(path[3]) : nil, path.dropFirst(4).first, fault)
    }
}

extension Optional where Wrapped == String {
    /// Nil for blank texts.
    var nonBlank: String? { self?.nonBlank }
}

extension String {
    /// Without white space at both ends.
    var trimmed: String {
        let start = drop { $0.isWhitespace }
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }

    /// Nil for blank texts.
    var nonBlank: String? {
        unicodeScalars.contains { !$0.properties.isWhitespace } && !utf8.contains(0) ? self : nil
    }
}
