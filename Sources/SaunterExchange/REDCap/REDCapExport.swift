import SaunterCore
import SaunterPacks

/// Writes instruments as a data dictionary of REDCap; columns that an import kept are given back.
package enum REDCapExport {
    /// The 18 columns, a form for each instrument.
    package static func csv(_ instruments: [(questionnaire: Questionnaire, kept: KeptMembers)]) -> [UInt8] {
        var rows = [REDCapWords.headings]
        for (questionnaire, kept) in instruments {
            let form = REDCapFormExport(questionnaire: questionnaire, kept: kept)
            rows += form.rows.map { row in REDCapColumn.allCases.map { row[$0] ?? "" } }
        }
        return Array(rows.map { $0.map(quoted).joined(separator: ",") + "\r\n" }.joined().utf8)
    }

    /// Whether the expression that decides whether an item is shown has words there.
    static func canSay(_ item: Item, of questionnaire: Questionnaire) -> Bool {
        let logic = REDCapLogic(questionnaire: questionnaire, field: { $0 })
        return item.enableWhenExpression.flatMap(logic.words) != nil
    }

    /// Whether the conditions under which an item is shown have words there: the field of a quantity counts in its first unit.
    static func canSayConditions(of item: Item, in questionnaire: Questionnaire) -> Bool {
        let form = REDCapFormExport(questionnaire: questionnaire, kept: KeptMembers())
        return item.enableWhen.allSatisfy { form.condition($0) != nil }
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
        return "\"\(cell.replacing("\"", with: "\"\""))\""
    }
}

/// The fields of one form.
private struct REDCapFormExport {
    let questionnaire: Questionnaire
    let kept: KeptMembers

    var rows: [[REDCapColumn: String]] { questionnaire.item.flatMap { rows($0, []) } }

    private var words: QuestionnaireText { questionnaire.text(in: questionnaire.languages.first ?? "en") }

    private func own(_ item: Item) -> JSON? { kept.items[item.linkId]?[REDCapReading.key] }

    private func field(_ linkId: String) -> String {
        kept.items[linkId]?[REDCapReading.key]?[REDCapColumn.field.rawValue]?.string ?? linkId
    }

    private func rows(_ item: Item, _ outer: [String]) -> [[REDCapColumn: String]] {
        if own(item)?["of"] != nil { return [] }
        let shown = outer + conditions(item)
        if item.type == .group {
            var inner = item.item.flatMap { rows($0, shown) }
            if REDCapWords.isMatrix(item, words) {
                for index in inner.indices where inner[index][.matrix] == nil {
                    inner[index][.matrix] = item.linkId
                }
            }
            if let title = words.items[item.linkId], !inner.isEmpty, inner[0][.section] == nil {
                inner[0][.section] = title
            }
            return inner
        }
        var row: [REDCapColumn: String] = [
            .field: field(item.linkId),
            .form: kept.root[REDCapReading.key]?["Form Name"]?.string ?? questionnaire.code,
            .label: words.items[item.linkId] ?? item.linkId,
        ]
        let (type, validation) = REDCapWords.type(item)
        (row[.type], row[.validation]) = (type, validation)
        if type == "text" {
            row[.least] = Self.bound(item.minValue, item)
            row[.most] = Self.bound(item.maxValue, item)
        }
        if !item.answerOption.isEmpty {
            row[.choices] = REDCapWords.choices(
                item.answerOption.map(\.value.text).map { ($0, words.options[item.linkId]?[$0] ?? $0) })
        }
        row[.note] = item.unit ?? item.unitOption.first
        if item.required { row[.required] = "y" }
        let tags = [item.hidden ? "@HIDDEN" : nil, item.readOnly ? "@READONLY" : nil].compactMap(\.self)
        if !tags.isEmpty { row[.annotation] = tags.joined(separator: " ") }
        if !shown.isEmpty {
            row[.branching] = shown.count == 1 ? shown[0] : shown.map { "(\($0))" }.joined(separator: " and ")
        }
        for member in own(item)?.object ?? JSONObject() {
            if let column = REDCapColumn(rawValue: member.name) { row[column] = member.value.string }
        }
        return [row]
    }

    private static func bound(_ bound: Double?, _ item: Item) -> String? {
        guard let bound else { return nil }
        guard [.date, .time, .dateTime].contains(item.type) else { return JSONNumber(bound).literal }
        return Answer(storedNumber: bound, type: item.type)?.json.string
    }

    // MARK: Branching

    private func conditions(_ item: Item) -> [String] {
        var all: [String] = []
        let said = item.enableWhen.compactMap(condition)
        if !said.isEmpty, said.count == item.enableWhen.count {
            all.append(said.joined(separator: item.enableBehavior == .any ? " or " : " and "))
        }
        if let logic = item.enableWhenExpression.flatMap(logic.words) { all.append(logic) }
        return all
    }

    private var logic: REDCapLogic { REDCapLogic(questionnaire: questionnaire, field: field) }

    /// Nil where the field's numbers are of another unit than the condition's.
    func condition(_ condition: Condition) -> String? {
        let all = questionnaire.questions + questionnaire.repeatedQuestions.map(\.item)
        let asked = all.first { $0.linkId == condition.question }
        return REDCapWords.condition(
            condition, field: field(condition.question),
            boxes: REDCapWords.boxes(asked, codes: asked?.answerOption.map(\.value.text) ?? []),
            unit: asked?.unitOption.first)
    }
}
