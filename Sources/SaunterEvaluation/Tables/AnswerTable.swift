import SaunterCore

extension Tables {
    /// The table `answers`. The rows of each version are known in advance, so that the database only finds and sorts
    /// sheets.
    static func answers(_ definitions: StudyDefinitions) -> Table {
        let sheetColumns: [Column] = [.sheet, .enrolment, .participant, .instrument, .version, .counts]
        let cells: [Column] = [
            Column("item", .string, .stored, Column.item.label, source: .design),
            Column("option", .string, .stored, Column.option.label, source: .design),
            Column(
                "type", .string, .stored, "Type of the item; texts and locations are in other files",
                source: .design),
            Column(
                "value", .string, .stored, "Value; 1 or 0 for an option, if several can be chosen",
                source: .answer),
            Column(
                "missing", .string, .stored, "Why there is no value", valueSet: "missing", source: .derived),
        ]
        let versions = definitions.instruments.flatMap(\.versions).map {
            StoredLayout.Version(questionnaire: $0, lines: lines($0))
        }
        return Table(
            "answers", "Answers, long: one row per question, or one per option if several can be chosen",
            key: ["enrolment_id", "sheet_id", "item", "option"],
            statement: SQLFile.sheets["dataset_stored_answers"], ctes: [.sheetInScope],
            foreignKeys: [.sheet], formats: [.csv, .parquet], sortedKeyCount: 2,
            stored: StoredLayout(
                versions: versions, sheetColumnCount: sheetColumns.count,
                versionColumns: ["instrument", "version"],
                includesRepeated: true),
            columns: [sheetColumns, cells])
    }

    /// The rows of one sheet: one per question, or one per option if several options can be chosen. They are sorted by
    /// item and option, in byte order. Repeated answers have no slot and are read from each sheet.
    private static func lines(_ questionnaire: Questionnaire) -> [StoredLayout.Line] {
        let codec = AnswerCodec(questionnaire)
        var lines: [StoredLayout.Line] = []
        for item in questionnaire.questions {
            guard let slot = codec.slotIndex(of: item.linkId) else { continue }
            func add(_ value: StoredCell, option: String? = nil, slot: Int) {
                let type = item.isList || item.isRepeatingGroup ? "count" : item.type.datasetName
                let cells: [StoredCell] = [
                    .fixed(item.linkId), .fixed(option), .fixed(type), value, .reason(slot: slot),
                ]
                lines.append(
                    StoredLayout.Line(
                        cells: cells, sortKey: AnswerKey(item: item.linkId, option: option ?? "")))
            }
            func addEach(_ options: [String]) {
                for (index, option) in options.enumerated() {
                    add(.slot(slot + index), option: option, slot: slot + index)
                }
            }
            let options = item.answerOption.map(\.value.text)
            switch item.type {
            case _ where item.isList || item.isRepeatingGroup: add(.slot(slot), slot: slot)
            case .choice where item.repeats, .ranking: addEach(options)
            case .openChoice where item.repeats: addEach(options + [Item.otherCode])
            case .choice, .openChoice: add(.option(slot: slot, of: item), slot: slot)
            case .boolean: add(.slot(slot), slot: slot)
            case .integer, .decimal, .quantity, .date, .time, .dateTime:
                add(.number(codec.numberIndex(of: item.linkId) ?? 0, unlessMissing: slot), slot: slot)
                if item.type == .quantity {
                    add(.unit(slot: slot, of: item), option: Item.unitCode, slot: slot)
                }
            case .string, .text, .location: add(.fixed(nil), slot: slot)
            case .group, .display: break
            }
        }
        return lines.sorted { $0.sortKey < $1.sortKey }
    }
}
