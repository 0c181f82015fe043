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
            stored: StoredLayout(
                versions: versions, heads: heads.count, key: ["instrument", "version"], tellsRepeated: true),
            columns: [heads, cells])
    }

    /// One per question, per option where several may be chosen; by item and option, texts by their bytes. What has no
    /// place of its own in a version comes with each sheet.
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
                    StoredLayout.Line(cells: cells, key: AnswerKey(item: item.linkId, option: option ?? "")))
            }
            func addEach(_ options: [String]) {
                for (place, option) in options.enumerated() {
                    add(.slot(slot + place), option: option, slot: slot + place)
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
            case .string, .text: add(.fixed(nil), slot: slot)
            case .group, .display: break
            }
        }
        return lines.sorted { $0.key < $1.key }
    }
}
