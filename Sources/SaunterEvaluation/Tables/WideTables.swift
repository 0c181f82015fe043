import SaunterCore

/// The two wide files of one instrument: a row per sheet that counts, and a column per item, or per option if several
/// options can be chosen. A quantity has a second column for its unit. Both files have the same header; one contains
/// the values, the other the reasons for blanks.
struct WideTables {
    let instrument: InstrumentHistory

    init(of instrument: InstrumentHistory) {
        self.instrument = instrument
    }

    /// `wide_<instrument>.csv`.
    var values: Table {
        table(
            "wide_\(instrument.code)", "\(title), wide: one row per sheet that counts",
            cell: { $0.value(in: $1) }
        ) { name, itemColumn in
            Column(
                name, type(itemColumn), .stored, label(itemColumn),
                unit: itemColumn.history.newest.unit,
                valueSet: itemColumn.option == nil ? itemColumn.history.valueSet : nil,
                source: .answer, item: itemColumn.history)
        }
    }

    /// `wide_<instrument>_missing.csv`.
    var reasons: Table {
        table(
            "wide_\(instrument.code)_missing", "\(title), wide: why values are blank",
            cell: { $0.reason(in: $1) }
        ) { name, itemColumn in
            Column(
                name, .string, .stored,
                "Why it is blank: \(label(itemColumn))",
                valueSet: "missing", source: .derived, item: itemColumn.history)
        }
    }

    /// The item of a column. `option` is the answer option if several can be chosen, and `Item.unitCode` in the column
    /// for the unit of a quantity.
    struct ItemColumn {
        let history: ItemHistory
        let option: OptionValue?

        /// The value in one version. Blank if the item is not answered or does not exist in that version.
        func value(in appearance: ItemHistory.Appearance?) -> StoredCell {
            guard let appearance, let slot = appearance.slot(of: option) else { return .fixed(nil) }
            let item = appearance.item
            switch item.slotKind {
            case .count, .boolean, .rank: return .slot(slot)
            case .choice, .openChoice, .chosen, .freeText:
                return option == nil ? .option(slot: slot, of: item) : .slot(slot)
            case .unit where option != nil: return .unit(slot: slot, of: item)
            case .unit, .number: return .number(appearance.number ?? 0, unlessMissing: nil)
            case .text, .location: return .fixed(nil)
            }
        }

        /// The code of the reason in one version. Blank if the item has a value.
        func reason(in appearance: ItemHistory.Appearance?) -> StoredCell {
            guard let slot = appearance?.slot(of: option) else {
                return .fixed(MissingReason.notInVersion.code)
            }
            return .reason(slot: slot)
        }
    }

    static let sheetColumns: [Column] =
        [
            .sheet, .enrolment, .participant, .arm, .occasion, .schedule, .refersTo, .author, .studyDay,
            .weekday, .version, .revision, .completes, .timeliness,
        ]
        + Column.instant(
            "submitted", "Sheet was completed, by the corrected clock", hasOffset: true, source: .device)

    var title: String { instrument.newest.text(in: instrument.language).title }

    var itemColumns: [ItemColumn] {
        instrument.items.filter(\.isCoded).flatMap { history in
            history.columnOptions.map { ItemColumn(history: history, option: $0) }
        }
    }

    private func table(
        _ name: String, _ title: String, cell: (ItemColumn, ItemHistory.Appearance?) -> StoredCell,
        _ column: (String, ItemColumn) -> Column
    ) -> Table {
        var taken = Set(Self.sheetColumns.map(\.name))
        let columns = itemColumns.map { itemColumn in
            let wanted = itemColumn.history.linkId + (itemColumn.option.map { "__\($0.text)" } ?? "")
            let name = ColumnName.free(wanted, taken: taken)
            taken.insert(name)
            var described = column(name, itemColumn)
            described.option = itemColumn.option
            return described
        }
        let layout = StoredLayout(
            versions: instrument.versions.map { questionnaire in
                let cells = itemColumns.map { itemColumn in
                    cell(
                        itemColumn,
                        itemColumn.history.appearances.first { $0.version == questionnaire.version })
                }
                return StoredLayout.Version(
                    questionnaire: questionnaire, lines: [StoredLayout.Line(cells: cells)])
            }, sheetColumnCount: Self.sheetColumns.count, versionColumns: ["version"])
        return Table(
            name, title, key: ["enrolment_id", "sheet_id"], statement: SQLFile.sheets["dataset_wide"],
            ctes: [.sheetInScope], instrument: instrument.code, foreignKeys: [.sheet], stored: layout,
            columns: [Self.sheetColumns, columns])
    }

    func type(_ itemColumn: ItemColumn) -> ColumnType {
        if itemColumn.history.isCounted { return .integer }
        let newest = itemColumn.history.newest.type
        if itemColumn.option != nil {
            return switch newest.form {
            // The unit of a quantity.
            case .number: .string
            // The rank of an option, or of a value of a compared list.
            case .ranking, .text: .integer
            case .nothing, .truth, .moment, .options, .location: .boolean
            }
        }
        let isNumeric = itemColumn.history.options.allSatisfy(\.value.isNumber)
        return newest.form == .options && !newest.acceptsFreeText && isNumeric
            ? .integer : newest.columnType
    }

    func label(_ itemColumn: ItemColumn) -> String {
        let texts = (itemColumn.history.lastVersion(of: instrument) ?? instrument.newest).text(
            in: instrument.language)
        let question = texts.items[itemColumn.history.linkId] ?? itemColumn.history.linkId
        guard !itemColumn.history.isCounted else { return "\(question) (how many)" }
        guard let option = itemColumn.option else { return question }
        if itemColumn.history.newest.type.hasUnits { return "\(question) (unit)" }
        if itemColumn.history.newest.type.form == .text { return "\(question) (rank, 1 is the best)" }
        return "\(question) \(texts.options[itemColumn.history.linkId]?[option.text] ?? option.text)"
    }
}

extension ItemHistory {
    /// The newest version of the instrument that contains this item.
    func lastVersion(of instrument: InstrumentHistory) -> Questionnaire? {
        instrument.versions.last { $0.version == appearances.last?.version }
    }
}
