import SaunterCore

/// The two wide files of one instrument: a row per sheet that counts, a column per item (per option where
/// several may be chosen), once with the values and once, under the same header, with the reasons for blanks.
struct Wide {
    let instrument: InstrumentHistory

    init(of instrument: InstrumentHistory) {
        self.instrument = instrument
    }

    /// `wide_<instrument>.csv`.
    var values: Table {
        table("wide_\(instrument.code)", "\(title), wide: one row per sheet that counts", cell: value) {
            name, place in
            Column(
                name, type(place), .stored, label(place),
                unit: place.history.newest.unit, valueSet: place.option == nil ? place.history.valueSet : nil,
                source: .answer, item: place.history)
        }
    }

    /// `wide_<instrument>_missing.csv`.
    var reasons: Table {
        table("wide_\(instrument.code)_missing", "\(title), wide: why values are blank", cell: reason) {
            name, place in
            Column(
                name, .string, .stored,
                "Why it is blank: \(label(place))",
                valueSet: "missing", source: .derived, item: place.history)
        }
    }

    /// A column's item, and its option where several may be chosen.
    struct Place {
        let history: ItemHistory
        let option: OptionValue?
    }

    /// The value in a version; blank when the item is not answered, or not in that version.
    private func value(_ place: Place, _ appearance: ItemHistory.Appearance?) -> StoredCell {
        guard let appearance, let slot = appearance.slot(of: place.option) else { return .fixed(nil) }
        let item = appearance.item
        if item.isList || item.isRepeatingGroup { return .slot(slot) }
        switch item.type {
        case .choice where place.option != nil, .openChoice where place.option != nil, .ranking, .boolean:
            return .slot(slot)
        case .choice, .openChoice: return .option(slot: slot, of: item)
        case .quantity where place.option != nil: return .unit(slot: slot, of: item)
        case .integer, .decimal, .quantity, .date, .time, .dateTime:
            return .number(appearance.number ?? 0, unlessMissing: nil)
        case .group, .display, .string, .text: return .fixed(nil)
        }
    }

    /// The reason's code in a version; blank when there is a value.
    private func reason(_ place: Place, _ appearance: ItemHistory.Appearance?) -> StoredCell {
        guard let slot = appearance?.slot(of: place.option) else {
            return .fixed(MissingReason.notInVersion.code)
        }
        return .reason(slot: slot)
    }

    private static let head: [Column] =
        [
            .sheet, .enrolment, .participant, .arm, .occasion, .schedule, .studyDay, .version, .revision,
            .completes, .standing,
        ]
        + Column.instant(
            "submitted", "Sheet was completed, by the corrected clock", hasOffset: true, source: .device)

    var title: String { instrument.newest.text(in: "en").title }

    private var places: [Place] {
        instrument.items.filter(\.isCoded).flatMap { history in
            history.columnOptions.map { Place(history: history, option: $0) }
        }
    }

    private func table(
        _ name: String, _ title: String, cell: (Place, ItemHistory.Appearance?) -> StoredCell,
        _ column: (String, Place) -> Column
    ) -> Table {
        var taken = Set(Self.head.map(\.name))
        let columns = places.map { place in
            let wanted = place.history.linkId + (place.option.map { "__\($0.text)" } ?? "")
            let name = ColumnName.free(wanted, taken: taken)
            taken.insert(name)
            var described = column(name, place)
            described.option = place.option
            return described
        }
        let layout = StoredLayout(
            versions: instrument.versions.map { questionnaire in
                let cells = places.map { place in
                    cell(place, place.history.appearances.first { $0.version == questionnaire.version })
                }
                return StoredLayout.Version(
                    questionnaire: questionnaire, lines: [StoredLayout.Line(cells: cells)])
            }, heads: Self.head.count, key: ["version"])
        return Table(
            name, title, key: ["enrolment_id", "sheet_id"], statement: SQLFile.sheets["dataset_wide"],
            frames: [.sheetInScope], instrument: instrument.code, foreignKeys: [.sheet], stored: layout,
            columns: [Self.head, columns])
    }

    func type(_ place: Place) -> ColumnType {
        if place.history.isCounted { return .integer }
        if place.option != nil {
            return switch place.history.newest.type {
            case .ranking: .integer
            case .quantity: .string
            default: .boolean
            }
        }
        let isNumeric = place.history.options.allSatisfy {
            if case .integer = $0.value { true } else { false }
        }
        return place.history.newest.type == .choice && isNumeric
            ? .integer : place.history.newest.type.columnType
    }

    func label(_ place: Place) -> String {
        let words = (place.history.lastVersion(of: instrument) ?? instrument.newest).text(in: "en")
        let question = words.items[place.history.linkId] ?? place.history.linkId
        guard !place.history.isCounted else { return "\(question) (how many)" }
        guard let option = place.option else { return question }
        if place.history.newest.type == .quantity { return "\(question) (unit)" }
        return "\(question) \(words.options[place.history.linkId]?[option.text] ?? option.text)"
    }
}

extension ItemHistory {
    /// The newest version of the instrument that has this item.
    func lastVersion(of instrument: InstrumentHistory) -> Questionnaire? {
        instrument.versions.last { $0.version == appearances.last?.version }
    }
}
