import SaunterCore

extension Tables {
    /// `answers`: of each version the lines of its questions are known, so that only sheets need be fetched and sorted.
    static func answers(_ definitions: StudyDefinitions) -> Table {
        let heads: [Column] = [.sheet, .enrolment, .participant, .instrument, .version, .counts]
        let cells: [Column] = [
            Column("item", .string, .stored, Column.item.label, source: .design),
            Column("option", .string, .stored, Column.option.label, source: .design),
            Column(
                "type", .string, .stored, "Type of the item; texts stand in free_text.csv", source: .design),
            Column("value", .string, .stored, "Value; 1 or 0 for an option of several", source: .answer),
            Column(
                "missing", .string, .stored, "Why there is no value", valueSet: "missing", source: .derived),
        ]
        let versions = definitions.instruments.flatMap(\.versions).map {
            StoredLayout.Version(questionnaire: $0, lines: lines($0))
        }
        return Table(
            "answers", "Answers, long: one row per question, one per option where several may be chosen",
            key: ["enrolment_id", "sheet_id", "item", "option"],
            statement: SQLFile.sheets["dataset_stored_answers"], frames: [.sheetInScope],
            foreignKeys: [.sheet], formats: [.csv, .parquet], sorted: 2,
            stored: StoredLayout(versions: versions, heads: heads.count, key: ["instrument", "version"]),
            columns: [heads, cells])
    }

    /// One per question, per option where several may be chosen; by item and option, texts by their bytes.
    private static func lines(_ questionnaire: Questionnaire) -> [StoredLayout.Line] {
        let codec = AnswerCodec(questionnaire)
        var lines: [(item: String, option: String, line: StoredLayout.Line)] = []
        for item in questionnaire.questions {
            guard let slot = codec.slotIndex(of: item.linkId) else { continue }
            func add(_ value: StoredCell, option: String? = nil, slot: Int) {
                let cells: [StoredCell] = [
                    .fixed(item.linkId), .fixed(option), .fixed(item.type.datasetName), value,
                    .reason(slot: slot),
                ]
                lines.append((item.linkId, option ?? "", StoredLayout.Line(cells: cells)))
            }
            switch item.type {
            case .choice where item.repeats:
                for (place, option) in item.answerOption.enumerated() {
                    add(.slot(slot + place), option: option.value.text, slot: slot + place)
                }
            case .choice: add(.option(slot: slot, of: item), slot: slot)
            case .boolean: add(.slot(slot), slot: slot)
            case .integer, .decimal, .date, .time, .dateTime:
                add(.number(codec.numberIndex(of: item.linkId) ?? 0, unlessMissing: slot), slot: slot)
            case .string, .text: add(.fixed(nil), slot: slot)
            case .group, .display: break
            }
        }
        return lines.sorted {
            $0.item == $1.item
                ? $0.option.utf8.lexicographicallyPrecedes($1.option.utf8)
                : $0.item.utf8.lexicographicallyPrecedes($1.item.utf8)
        }.map(\.line)
    }
}
