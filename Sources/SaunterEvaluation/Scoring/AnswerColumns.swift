import SaunterCore

/// Finds the columns of a CSV table that contain answers to a questionnaire. The columns are named as in the wide file
/// of a dataset: one per item (its linkId), one per option (`item__code`) if several options can be chosen, and one for
/// the unit (`item__unit`) if a quantity has several units. All other columns are copied to the output.
struct AnswerColumns {
    private enum Source {
        case single(column: Int, unit: Int?)
        case several([(column: Int, value: OptionValue)])

        var columns: [Int] {
            switch self {
            case .single(let column, let unit): [column, unit].compactMap(\.self)
            case .several(let found): found.map(\.column)
            }
        }
    }

    /// Indexes of the columns that do not belong to the questionnaire.
    let otherColumns: [Int]
    private let header: [String]
    private let sources: [(item: Item, source: Source)]
    private let blanks: Set<String>
    /// The columns that contain covariates of the participant.
    private let covariates: [(covariate: Covariate, column: Int)]

    /// - Parameter blanks: cells that mean "no answer" in addition to the empty cell, for example `NA`.
    /// - Parameter optional: names of columns that the caller also reads if they exist.
    /// - Throws: one fault if the fields are separated by semicolons or tabs. Otherwise one fault for each of these:
    ///   1. A missing column that scores or conditions need, or that belongs to an item with other columns.
    ///   2. A duplicate name.
    ///   3. A name that a score column uses.
    ///   4. A name that differs from a missing optional column or covariate only in case or punctuation.
    init(
        header: [String], questionnaire: Questionnaire, blanks: Set<String>, optional: [String] = []
    ) throws(CellFaults) {
        if let fault = Self.separatorFault(header) { throw CellFaults([fault]) }
        var faults: [CellFault] = []
        func note(_ column: String, _ detail: String) {
            faults.append(CellFault(line: 1, column: column, detail: detail))
        }
        func noteMissing(_ column: String) {
            let similar = header.first { Self.isSimilar($0, column) }
            note(column, "is missing" + (similar.map { "; rename the column \"\($0)\"" } ?? ""))
        }
        var indexes: [String: Int] = [:]
        for (index, name) in header.enumerated() where indexes.updateValue(index, forKey: name) != nil {
            note(name, "is a duplicate name")
        }
        let needed = Self.needed(questionnaire)
        var sources: [(item: Item, source: Source)] = []
        var own: Set<Int> = []
        for item in questionnaire.questions {
            if item.isList || [.ranking, .group, .location].contains(item.type) { continue }
            let source = Self.source(
                of: item, indexes, isNeeded: needed.contains(item.linkId), noteMissing: noteMissing)
            guard let source else { continue }
            own.formUnion(source.columns)
            sources.append((item, source))
        }
        otherColumns = header.indices.filter { !own.contains($0) }
        for name in ScoreColumns.names(of: questionnaire)
        where otherColumns.contains(where: { header[$0] == name }) {
            note(name, "is a name that a score column uses")
        }
        let covariates = questionnaire.scoring?.givenCovariates ?? []
        for name in optional + covariates.map(\.id) where indexes[name] == nil {
            for other in otherColumns.map({ header[$0] }) where Self.isSimilar(other, name) {
                note(other, "is not read; rename it to \(name)")
            }
        }
        guard faults.isEmpty else { throw CellFaults(faults) }
        self.header = header
        self.sources = sources
        self.blanks = blanks
        self.covariates = covariates.compactMap { covariate in
            indexes[covariate.id].map { (covariate, $0) }
        }
    }

    /// The fault of a header whose fields are separated by semicolons or tabs; nil for other headers.
    private static func separatorFault(_ header: [String]) -> CellFault? {
        guard header.count == 1,
            let separator = [(";", "semicolons"), ("\t", "tabs")].first(where: { header[0].contains($0.0) })
        else { return nil }
        return CellFault(line: 1, detail: "the fields are separated by \(separator.1); expected commas")
    }

    /// The columns of an item; nil if the table has none.
    /// - Parameters:
    ///   - indexes: column name -> index.
    ///   - isNeeded: whether scoring needs the item.
    ///   - noteMissing: receives the name of each missing column.
    private static func source(
        of item: Item, _ indexes: [String: Int], isNeeded: Bool, noteMissing: (String) -> Void
    ) -> Source? {
        guard item.type.hasOptions, item.repeats else {
            guard let index = indexes[item.linkId] else {
                if isNeeded { noteMissing(item.linkId) }
                return nil
            }
            let unit = "\(item.linkId)__\(Item.unitCode)"
            let unitIndex = item.unitOption.count > 1 ? indexes[unit] : nil
            if item.unitOption.count > 1, unitIndex == nil { noteMissing(unit) }
            return .single(column: index, unit: unitIndex)
        }
        let names = item.answerOption.map { "\(item.linkId)__\($0.value.text)" }
        let found = zip(names, item.answerOption).compactMap { name, option in
            indexes[name].map { (column: $0, value: option.value) }
        }
        if !found.isEmpty || isNeeded {
            for name in names where indexes[name] == nil { noteMissing(name) }
        }
        return found.isEmpty ? nil : .several(found)
    }

    /// Whether two names are equal except for case and characters that are neither letters nor digits.
    private static func isSimilar(_ first: String, _ second: String) -> Bool {
        func letters(_ name: String) -> String { name.lowercased().filter { $0.isLetter || $0.isNumber } }
        return letters(first) == letters(second)
    }

    /// The items that scores use, and the items that decide whether other items are shown.
    private static func needed(_ questionnaire: Questionnaire) -> Set<String> {
        func conditions(_ items: [Item]) -> [String] {
            items.flatMap { item in
                item.visibilityDependencies + conditions(item.item)
            }
        }
        return (questionnaire.scoring?.usedNames ?? []).union(conditions(questionnaire.item))
    }

    /// The answers of one record, in the form of a submitted answer sheet. Cells that do not fit the type of their item
    /// are faults.
    func answers(_ record: CSVRecord, faults: inout [CellFault]) -> JSONObject {
        var answers: [JSONObject.Member] = []
        for (item, source) in sources {
            switch source {
            case .single(let column, let unit):
                let cell = record.fields[column]
                if isBlank(cell) { continue }
                guard let value = Self.value(cell, of: item) else {
                    faults.append(
                        CellFault(
                            line: record.line, column: header[column], value: cell,
                            detail: Self.expected(item)))
                    continue
                }
                let given = unit.map { column -> JSON in
                    ["value": value, "unit": .string(record.fields[column])]
                }
                answers.append(JSONObject.Member(name: item.linkId, value: given ?? value))
            case .several(let columns):
                var chosen: [JSON] = []
                for (column, value) in columns where !isBlank(record.fields[column]) {
                    switch Self.truth(record.fields[column]) {
                    case true?: chosen.append(value.json)
                    case false?: break
                    case nil:
                        faults.append(
                            CellFault(
                                line: record.line, column: header[column], value: record.fields[column],
                                detail: "expected 1, 0 or nothing")
                        )
                    }
                }
                answers.append(JSONObject.Member(name: item.linkId, value: .array(chosen)))
            }
        }
        return JSONObject(answers)
    }

    /// The covariates of one record. A blank cell means that the covariate is not known. A value that the scoring key
    /// does not define is a fault.
    func covariates(_ record: CSVRecord, faults: inout [CellFault]) -> [String: CovariateValue] {
        var values: [String: CovariateValue] = [:]
        for (covariate, column) in covariates where !isBlank(record.fields[column]) {
            let cell = record.fields[column]
            if covariate.codes.isEmpty, let number = Double(cell), number.isFinite {
                values[covariate.id] = .number(number)
            } else if covariate.codes.contains(cell) {
                values[covariate.id] = .code(cell)
            } else {
                let expected =
                    covariate.codes.isEmpty
                    ? "a number" : "one of \(covariate.codes.joined(separator: ", "))"
                faults.append(
                    CellFault(
                        line: record.line, column: header[column], value: cell,
                        detail: "expected \(expected) or nothing"))
            }
        }
        return values
    }

    /// A fault of an answer sheet as a fault of the cell to which it refers. `/answers/q1` is the column of q1,
    /// `/answers/why/1` is the column of the second chosen option of `why`, and `/answers/weight/unit` is the unit of
    /// `weight`.
    func cellFault(_ fault: Fault, in record: CSVRecord) -> CellFault {
        func cell(_ column: Int) -> CellFault {
            CellFault(
                line: record.line, column: header[column], value: record.fields[column], detail: fault.detail)
        }
        let steps = fault.pointer.split(separator: "/")
        guard steps.count > 1, let found = sources.first(where: { $0.item.linkId == steps[1] }) else {
            return CellFault(line: record.line, detail: fault.detail)
        }
        switch found.source {
        case .single(let column, let unit):
            return cell(steps.count > 2 && steps[2] == "unit" ? unit ?? column : column)
        case .several(let columns):
            let chosen = columns.filter { Self.truth(record.fields[$0.column]) == true }
            let index = steps.count > 2 ? Int(steps[2]) ?? 0 : 0
            return chosen.indices.contains(index)
                ? cell(chosen[index].column)
                : CellFault(line: record.line, column: found.item.linkId, detail: fault.detail)
        }
    }

    private func isBlank(_ cell: String) -> Bool { cell.isEmpty || blanks.contains(cell) }

    private static func truth(_ cell: String) -> Bool? {
        switch cell {
        case "1", "true", "TRUE", "True": true
        case "0", "false", "FALSE", "False": false
        default: nil
        }
    }

    private static func value(_ cell: String, of item: Item) -> JSON? {
        switch item.type.form {
        case .truth: return truth(cell).map(JSON.bool)
        case .number: return number(cell)
        case .options where item.type.acceptsFreeText && cell == Item.otherCode:
            return ["other": .string(cell)]
        case .options:
            return item.answerOption.first?.value.isNumber == true ? number(cell) : .string(cell)
        case .nothing, .text, .moment, .ranking, .location: return .string(cell)
        }
    }

    private static func number(_ cell: String) -> JSON? {
        guard let value = try? JSONReader.read(cell), case .number = value else { return nil }
        return value
    }

    private static func expected(_ item: Item) -> String {
        if item.type.form == .truth { return "expected 1, 0 or nothing" }
        if item.type.hasOptions { return "expected a number or nothing. \(item.optionsSentence)" }
        guard let minimum = item.minValue, let maximum = item.maxValue else {
            return "expected a number or nothing"
        }
        return "expected a number from \(minimum.shortest) to \(maximum.shortest) or nothing"
    }
}
