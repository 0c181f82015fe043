import SaunterCore
import SaunterPacks

/// A questionnaire during an import: the parts that the reader imported, and where each item comes from.
struct QuestionnaireDraft {
    var questionnaire: Questionnaire
    /// linkId -> location of the item in the file.
    var locations: [String: String] = [:]
    /// The location of the questionnaire in the file. Empty for the complete file.
    var location = ""
    var remarks: [Remark] = []
    /// Whether the source has only groups and display items. Only such a questionnaire may have no question.
    var isDisplayOnly = false

    /// Removes the properties, constraints and scales that the rules for questionnaires reject, and adds remarks about
    /// them. Completes missing texts, and removes superfluous ones. Throws if a fault remains that no removal corrects.
    mutating func removeInvalidProperties() throws(ImportError) {
        let removed = Self.removeLargeNumbers(&questionnaire.item)
        remarks += removed.map { linkId, name in
            Remark(
                location: locations[linkId] ?? location,
                detail: "\(name) has no effect here: packs allow numbers up to 10^12")
        }
        // A removal can cause another fault, so the check is repeated.
        for _ in 0..<60 {
            let hasQuestion = !questionnaire.questions.isEmpty || !questionnaire.repeatedQuestions.isEmpty
            guard hasQuestion || isDisplayOnly else {
                throw ImportError(location: location, detail: "the questionnaire has no question")
            }
            let faults = questionnaire.faults()
            if faults.isEmpty { return }
            var constraints: [Int: Fault] = [:]
            var scales: [Int: Fault] = [:]
            for fault in faults {
                let steps = fault.pointer.split(separator: "/")
                if steps.count >= 2, steps[0] == "constraint", let index = Int(steps[1]) {
                    constraints[index] = fault
                } else if steps.count >= 3, steps[0] == "scoring", let index = Int(steps[2]) {
                    scales[index] = fault
                } else if !removeCause(of: fault) {
                    throw ImportError(location: location(of: fault.pointer), detail: fault.detail)
                }
            }
            for (index, fault) in constraints.sorted(by: { $0.key > $1.key }) {
                removeConstraint(at: index, fault)
            }
            for (index, fault) in scales.sorted(by: { $0.key > $1.key }) { removeScale(at: index, fault) }
        }
        throw ImportError(
            location: location,
            detail: "the questionnaire still has faults after the properties that cause faults were removed")
    }

    /// Removes numbers with a magnitude above 10^12. Packs do not allow them, and validation of the questionnaire does
    /// not report them.
    /// - Returns: the removed properties.
    private static func removeLargeNumbers(_ items: inout [Item]) -> [(linkId: String, name: String)] {
        var removed: [(linkId: String, name: String)] = []
        for index in items.indices {
            let linkId = items[index].linkId
            func removeIfLarge(_ value: inout Double?, _ name: String) {
                if (value?.magnitude ?? 0) <= 1e12 { return }
                value = nil
                removed.append((linkId, name))
            }
            if items[index].type.form != .moment {
                removeIfLarge(&items[index].minValue, "minValue")
                removeIfLarge(&items[index].maxValue, "maxValue")
            }
            removeIfLarge(&items[index].step, "step")
            for option in items[index].answerOption.indices {
                removeIfLarge(&items[index].answerOption[option].weight, "answerOption/\(option)/weight")
            }
            removed += removeLargeNumbers(&items[index].item)
        }
        return removed
    }

    private func location(of pointer: String) -> String {
        var steps = pointer.split(separator: "/").map(String.init)
        var items = questionnaire.item
        var found = location
        while steps.count >= 2, steps[0] == "item", let index = Int(steps[1]), items.indices.contains(index) {
            found = locations[items[index].linkId] ?? found
            items = items[index].item
            steps.removeFirst(2)
        }
        return found
    }

    private mutating func removeConstraint(at index: Int, _ fault: Fault) {
        guard questionnaire.constraint.indices.contains(index) else { return }
        let constraint = questionnaire.constraint.remove(at: index)
        for language in questionnaire.languages {
            questionnaire.text[language]?.constraints[constraint.key] = nil
        }
        let itemLocation = constraint.item.flatMap { locations[$0] } ?? location
        remarks.append(
            Remark(location: itemLocation, detail: "the constraint is not checked: \(fault.detail)"))
    }

    private mutating func removeScale(at index: Int, _ fault: Fault) {
        guard let scale = questionnaire.scoring?.scales.remove(at: index) else { return }
        if questionnaire.scoring?.scales.isEmpty == true { questionnaire.scoring = nil }
        if questionnaire.scoring?.scales.contains(where: { $0.id == scale.id }) != true {
            for language in questionnaire.languages { questionnaire.text[language]?.scales[scale.id] = nil }
        }
        remarks.append(
            Remark(location: location, detail: "the score \(scale.id) is not imported: \(fault.detail)"))
    }

    private mutating func removeCause(of fault: Fault) -> Bool {
        let steps = fault.pointer.split(separator: "/").map(String.init)
        if steps.first == "text", steps.count >= 4 { return completeText(steps, fault.detail) }
        guard steps.first == "item", steps.count > 2 else { return false }
        let itemLocation = location(of: fault.pointer)
        guard let name = Self.removeProperty(&questionnaire.item, steps[...]) else { return false }
        if !name.isEmpty {
            remarks.append(
                Remark(location: itemLocation, detail: "\(name) has no effect here: \(fault.detail)"))
        }
        return true
    }

    /// Copies a missing text from the first language. Removes texts of items and options that do not exist, and end
    /// labels that are not permitted.
    private mutating func completeText(_ steps: [String], _ detail: String) -> Bool {
        let (language, kind, name) = (steps[1], steps[2], steps[3])
        let base = questionnaire.text[questionnaire.languages.first ?? ""]
        switch kind {
        case "items":
            let isKnown = locations[name] != nil
            questionnaire.text[language]?.items[name] = isKnown ? base?.items[name].nonBlank ?? name : nil
        case "options":
            guard steps.count == 5 else {
                questionnaire.text[language]?.options[name] = nil
                return true
            }
            let option = steps[4]
            let isKnown = questionnaire.item.first(linkId: name)?.answerOption.contains {
                $0.value.text == option
            }
            questionnaire.text[language]?.options[name, default: [:]][option] =
                isKnown == true ? base?.options[name]?[option].nonBlank ?? option : nil
        case "help": questionnaire.text[language]?.help[name] = base?.help[name].nonBlank
        case "placeholders":
            let given = questionnaire.text.values.lazy.compactMap { $0.placeholders[name].nonBlank }.first
            questionnaire.text[language]?.placeholders[name] = base?.placeholders[name].nonBlank ?? given
        case "option_media":
            guard steps.count == 5 else {
                questionnaire.text[language]?.optionMedia[name] = nil
                break
            }
            let hasMedia = questionnaire.item.first(linkId: name)?.answerOption
                .contains { $0.value.text == steps[4] && $0.media != nil }
            let label = questionnaire.text[language]?.options[name]?[steps[4]] ?? steps[4]
            questionnaire.text[language]?.optionMedia[name, default: [:]][steps[4]] =
                hasMedia == true ? base?.optionMedia[name]?[steps[4]].nonBlank ?? label : nil
        case "anchors":
            if steps.count == 5, let label = base?.anchors[name]?[steps[4]].nonBlank {
                questionnaire.text[language]?.anchors[name, default: [:]][steps[4]] = label
                break
            }
            // The fault exists in each language, but it gets only one remark.
            guard questionnaire.text.values.contains(where: { $0.anchors[name] != nil }) else { break }
            for language in questionnaire.languages { questionnaire.text[language]?.anchors[name] = nil }
            remarks.append(
                Remark(
                    location: locations[name] ?? location, detail: "its end labels have no effect: \(detail)")
            )
        default: return false
        }
        return true
    }

    /// - Returns: the path of the invalid part in the item, such as `step` or `answerOption/2/weight`; empty if it was
    ///   already removed; nil if the property is unknown or the item needs it.
    private static func removeProperty(_ items: inout [Item], _ steps: ArraySlice<String>) -> String? {
        let path = Array(steps)
        guard path.count >= 3, let index = Int(path[1]), items.indices.contains(index) else { return nil }
        if path[2] == "item", path.count >= 5 {
            return removeProperty(&items[index].item, path[2...])
        }
        return items[index].removeProperty(
            path[2], at: path.count > 3 ? Int(path[3]) : nil, path.dropFirst(4).first)
    }
}

extension QuestionnaireDraft {
    /// The files of the instrument. They are read again as a pack, so that every imported instrument is valid.
    /// - Parameters:
    ///   - format: the name of the source format for `SOURCE.md`.
    ///   - root: the members of the questionnaire under keys that begin with `x-`.
    ///   - preserved: linkId -> such members of the item.
    func instrument(
        format: String, root: [String: JSON], preserved: [String: [String: JSON]]
    ) throws(ImportError) -> ImportedInstrument {
        var questionnaire = questionnaire
        questionnaire.minutes = questionnaire.estimatedMinutes
        let writer = PackWriter(questionnaire: questionnaire, root: root, preserved: preserved)
        let files = writer.files(source: source(format))
        do throws(PackFaults) {
            let pack = PackFiles(files: files)
            let read = try InstrumentPack.read(
                pack, code: questionnaire.code, version: questionnaire.version)
            return ImportedInstrument(questionnaire: read.questionnaire, files: files, remarks: remarks)
        } catch {
            throw ImportError(location: location, detail: error.list[0].message)
        }
    }

    private func source(_ format: String) -> String {
        let title = questionnaire.text(in: questionnaire.languages.first ?? "en").title
        var lines = [
            "# \(title.split(whereSeparator: \.isNewline).joined(separator: " "))", "",
            "Imported from \(format). Rights: \(questionnaire.copyright ?? "not stated in the file"). "
                + (questionnaire.scoring == nil
                    ? "A scoring key is not imported."
                    : "The scoring key is derived from the file: compare it with the publication, "
                        + "and add worked cases from there to vectors.csv."),
            "",
        ]
        if !remarks.isEmpty {
            lines += ["Parts that are stored without effect, or asked in another way:", ""]
            lines += remarks.map { "- \($0.text.split(whereSeparator: \.isNewline).joined(separator: " "))" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
