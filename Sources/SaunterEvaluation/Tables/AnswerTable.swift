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
            let type = item.isList || item.isRepeatingGroup ? "count" : item.type.storedName
            for (option, slot, cell) in item.storedCells(codec) {
                let cells: [StoredCell] = [
                    .fixed(item.linkId), .fixed(option.isEmpty ? nil : option), .fixed(type), cell,
                    .reason(slot: slot),
                ]
                lines.append(
                    StoredLayout.Line(cells: cells, sortKey: AnswerKey(item: item.linkId, option: option)))
            }
        }
        return lines.sorted { $0.sortKey < $1.sortKey }
    }
}
