import SaunterCore

/// Which columns of a table hold the answers to a questionnaire, as in a dataset's wide file: one per item by
/// its linkId, one per option (`item__code`) where several may be chosen, and one for the unit (`item__unit`) where a
/// quantity has several. All other columns are carried through.
struct AnswerColumns {
    private enum Source {
        case single(column: Int, unit: Int?)
        case several([(column: Int, value: OptionValue)])
    }

    /// Columns that are none of the questionnaire's.
    let carried: [Int]
    private let header: [String]
    private let sources: [(item: Item, source: Source)]
    private let blanks: Set<String>
    /// Columns that say what is known of the person.
    private let covariates: [(covariate: Covariate, column: Int)]

    /// - Parameter blanks: cells that mean a blank besides the empty one, such as `NA`.
    /// - Throws: every column that scoring needs and the header lacks, every name that is there twice, and
    ///   names that the scores take.
    init(header: [String], questionnaire: Questionnaire, blanks: Set<String>) throws(CellFaults) {
        var faults: [CellFault] = []
        func note(_ column: String, _ detail: String) {
            faults.append(CellFault(line: 1, column: column, detail: detail))
        }
        var places: [String: Int] = [:]
        for (place, name) in header.enumerated() where places.updateValue(place, forKey: name) != nil {
            note(name, "stands there twice")
        }
        let needed = Self.needed(questionnaire)
        var sources: [(item: Item, source: Source)] = []
        var own: Set<Int> = []
        for item in questionnaire.questions {
            if item.isList || item.type == .ranking || item.type == .group { continue }
            if item.type.hasOptions, item.repeats {
                let found = item.answerOption.compactMap { option in
                    places["\(item.linkId)__\(option.value.text)"].map { (column: $0, value: option.value) }
                }
                if found.count < item.answerOption.count, !found.isEmpty || needed.contains(item.linkId) {
                    for option in item.answerOption
                    where places["\(item.linkId)__\(option.value.text)"] == nil {
                        note("\(item.linkId)__\(option.value.text)", "is missing")
                    }
                }
                own.formUnion(found.map(\.column))
                if !found.isEmpty { sources.append((item, .several(found))) }
            } else if let place = places[item.linkId] {
                let unit = "\(item.linkId)__\(Item.unitCode)"
                let unitPlace = item.unitOption.count > 1 ? places[unit] : nil
                if item.unitOption.count > 1, unitPlace == nil { note(unit, "is missing") }
                own.formUnion([place, unitPlace].compactMap(\.self))
                sources.append((item, .single(column: place, unit: unitPlace)))
            } else if needed.contains(item.linkId) {
                note(item.linkId, "is missing")
            }
        }
        carried = header.indices.filter { !own.contains($0) }
        for name in ScoreColumns.names(of: questionnaire)
        where carried.contains(where: { header[$0] == name }) {
            note(name, "is a name that the scores take")
        }
        guard faults.isEmpty else { throw CellFaults(faults) }
        self.header = header
        self.sources = sources
        self.blanks = blanks
        covariates = (questionnaire.scoring?.givenCovariates ?? []).compactMap { covariate in
            places[covariate.id].map { (covariate, $0) }
        }
    }

    /// Items that scores are made of, and those on which it hangs whether others are shown.
    private static func needed(_ questionnaire: Questionnaire) -> Set<String> {
        func conditions(_ items: [Item]) -> [String] {
            items.flatMap { item in
                item.shownBy + conditions(item.item)
            }
        }
        return (questionnaire.scoring?.neededItems ?? []).union(conditions(questionnaire.item))
    }

    /// The answers of one record, as a participant would hand them in; cells that are no value of their type
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
                        CellFault(line: record.line, column: header[column], detail: Self.expected(item)))
                    continue
                }
                let given = unit.map { place -> JSON in
                    ["value": value, "unit": .string(record.fields[place])]
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
                                line: record.line, column: header[column], detail: "expected 1, 0 or nothing")
                        )
                    }
                }
                answers.append(JSONObject.Member(name: item.linkId, value: .array(chosen)))
            }
        }
        return JSONObject(answers)
    }

    /// What one record says of the person; a blank is not known, and cells that the key does not know are faults.
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
                        line: record.line, column: header[column], detail: "expected \(expected) or nothing"))
            }
        }
        return values
    }

    /// The column that a fault of an answer sheet is about. `/answers/q1` is that of q1; `/answers/why/1`
    /// that of the second option chosen, `/answers/weight/unit` that of its unit.
    func column(of pointer: String, in record: CSVRecord) -> String? {
        let steps = pointer.split(separator: "/")
        guard steps.count > 1, let found = sources.first(where: { $0.item.linkId == steps[1] }) else {
            return nil
        }
        switch found.source {
        case .single(let column, let unit):
            return header[steps.count > 2 && steps[2] == "unit" ? unit ?? column : column]
        case .several(let columns):
            let chosen = columns.filter { Self.truth(record.fields[$0.column]) == true }
            let place = steps.count > 2 ? Int(steps[2]) ?? 0 : 0
            return chosen.indices.contains(place) ? header[chosen[place].column] : found.item.linkId
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
        switch item.type {
        case .boolean: return truth(cell).map(JSON.bool)
        case .integer, .decimal, .quantity: return number(cell)
        case .openChoice where cell == Item.otherCode: return ["other": .string(cell)]
        case .choice, .openChoice:
            if case .integer? = item.answerOption.first?.value { return number(cell) }
            return .string(cell)
        case .group, .display, .string, .text, .date, .dateTime, .time, .ranking: return .string(cell)
        }
    }

    private static func number(_ cell: String) -> JSON? {
        guard let value = try? JSONReader.read(cell), case .number = value else { return nil }
        return value
    }

    private static func expected(_ item: Item) -> String {
        item.type == .boolean ? "expected 1, 0 or nothing" : "expected a number or nothing"
    }
}

/// Every fault of a table's header; never empty.
package struct CellFaults: Error, Sendable, Hashable, CustomStringConvertible {
    package let list: [CellFault]

    init(_ list: [CellFault]) {
        self.list = list
    }

    package var description: String { list.map(\.description).joined(separator: "\n") }
}
