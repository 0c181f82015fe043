import SaunterCore
import SaunterPacks

/// Writes instruments as a REDCap data dictionary. Columns that an import preserved are written unchanged.
package enum REDCapExport {
    /// The dictionary in CSV: 18 columns, and one form per instrument.
    package static func csv(_ instruments: [(questionnaire: Questionnaire, preserved: PreservedMembers)])
        -> [UInt8]
    {
        var rows = [REDCapVocabulary.headings]
        for (questionnaire, preserved) in instruments {
            let form = REDCapFormWriter(questionnaire: questionnaire, preserved: preserved)
            rows += form.rows.map { row in REDCapColumn.allCases.map { row[$0] ?? "" } }
        }
        return Array(rows.map { $0.map(quoted).joined(separator: ",") + "\r\n" }.joined().utf8)
    }

    /// Whether branching logic can express the `enableWhenExpression` of an item.
    static func canExpressExpression(of item: Item, in questionnaire: Questionnaire) -> Bool {
        let writer = BranchingLogicWriter(questionnaire: questionnaire, field: { $0 })
        return item.enableWhenExpression.flatMap(writer.branchingLogic) != nil
    }

    /// Whether branching logic can express the conditions of an item. A quantity is compared in its first unit.
    static func canExpressConditions(of item: Item, in questionnaire: Questionnaire) -> Bool {
        let form = REDCapFormWriter(questionnaire: questionnaire, preserved: PreservedMembers())
        return item.enableWhen.allSatisfy { form.condition($0) != nil }
    }

    private static func quoted(_ cell: String) -> String {
        guard cell.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return cell }
        return "\"\(cell.replacing("\"", with: "\"\""))\""
    }
}

/// Writes the fields of one form.
private struct REDCapFormWriter {
    let questionnaire: Questionnaire
    let preserved: PreservedMembers

    var rows: [[REDCapColumn: String]] { questionnaire.item.flatMap { rows($0, []) } }

    private var texts: QuestionnaireText { questionnaire.text(in: questionnaire.languages.first ?? "en") }

    private func preservedCells(_ item: Item) -> JSON? { preserved.items[item.linkId]?[REDCapFormReader.key] }

    private func field(_ linkId: String) -> String {
        preserved.items[linkId]?[REDCapFormReader.key]?[REDCapColumn.field.rawValue]?.string ?? linkId
    }

    private func rows(_ item: Item, _ outer: [String]) -> [[REDCapColumn: String]] {
        // `of` marks an item that the import made from the section header of a field. The header is a preserved cell of
        // that field.
        if preservedCells(item)?["of"] != nil { return [] }
        let shown = outer + conditions(item)
        if item.type == .group {
            var inner = item.item.flatMap { rows($0, shown) }
            if REDCapVocabulary.isMatrix(item, texts) {
                for index in inner.indices where inner[index][.matrix] == nil {
                    inner[index][.matrix] = item.linkId
                }
            }
            if let title = texts.items[item.linkId], !inner.isEmpty, inner[0][.section] == nil {
                inner[0][.section] = title
            }
            return inner
        }
        var row: [REDCapColumn: String] = [
            .field: field(item.linkId),
            .form: preserved.root[REDCapFormReader.key]?["Form Name"]?.string ?? questionnaire.code,
            .label: texts.items[item.linkId] ?? item.linkId,
        ]
        let field = item.type.definition.redcap(item)
        let type = field.type
        (row[.type], row[.validation]) = (type, field.validation)
        if type == "text" {
            row[.minimum] = item.minValue.map(item.boundText)
            row[.maximum] = item.maxValue.map(item.boundText)
        }
        if type == "slider" {
            // A slider without bounds runs from 0 to 100 in REDCap.
            row[.minimum] = item.minValue == 0 ? nil : item.minValue.map(item.boundText)
            row[.maximum] = item.maxValue == 100 ? nil : item.maxValue.map(item.boundText)
        }
        if !item.answerOption.isEmpty {
            row[.choices] = REDCapVocabulary.choices(
                item.answerOption.map(\.value.text).map { ($0, texts.options[item.linkId]?[$0] ?? $0) })
        }
        if type == "slider", let anchors = texts.anchors[item.linkId] {
            row[.choices] = REDCapVocabulary.sliderLabels(anchors)
        }
        row[.note] = texts.help[item.linkId] ?? item.unit ?? item.unitOption.first
        if item.required { row[.required] = "y" }
        let tags = [item.hidden ? "@HIDDEN" : nil, item.readOnly ? "@READONLY" : nil].compactMap(\.self)
        if !tags.isEmpty { row[.annotation] = tags.joined(separator: " ") }
        if !shown.isEmpty {
            row[.branching] = shown.count == 1 ? shown[0] : shown.map { "(\($0))" }.joined(separator: " and ")
        }
        for member in preservedCells(item)?.object ?? JSONObject() {
            if let column = REDCapColumn(rawValue: member.name) { row[column] = member.value.string }
        }
        return [row]
    }

    // MARK: Branching

    private func conditions(_ item: Item) -> [String] {
        var all: [String] = []
        let parts = item.enableWhen.compactMap(condition)
        if !parts.isEmpty, parts.count == item.enableWhen.count {
            all.append(parts.joined(separator: item.enableBehavior == .any ? " or " : " and "))
        }
        if let logic = item.enableWhenExpression.flatMap(logicWriter.branchingLogic) { all.append(logic) }
        return all
    }

    private var logicWriter: BranchingLogicWriter {
        BranchingLogicWriter(questionnaire: questionnaire, field: field)
    }

    /// The branching logic of a condition; nil if the field has another unit than the condition.
    func condition(_ condition: Condition) -> String? {
        let all = questionnaire.questions + questionnaire.repeatedQuestions.map(\.item)
        let questionItem = all.first { $0.linkId == condition.question }
        return REDCapVocabulary.condition(
            condition, field: field(condition.question),
            boxes: REDCapVocabulary.boxes(
                questionItem, codes: questionItem?.answerOption.map(\.value.text) ?? []),
            unit: questionItem?.unitOption.first)
    }
}
