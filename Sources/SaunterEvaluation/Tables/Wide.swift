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
        table("wide_\(instrument.code)", "\(title), wide: one row per sheet that counts") {
            cell, name, place in
            Column(
                name, type(place), .expression(cell.value(versions: versions)), label(place),
                unit: place.history.newest.unit, valueSet: place.option == nil ? place.history.valueSet : nil,
                source: .answer, item: place.history)
        }
    }

    /// `wide_<instrument>_missing.csv`.
    var reasons: Table {
        table("wide_\(instrument.code)_missing", "\(title), wide: why values are blank") {
            cell, name, place in
            Column(
                name, .string, .expression(cell.reason(versions: versions)),
                "Why it is blank: \(label(place))",
                valueSet: "missing", source: .derived, item: place.history)
        }
    }

    /// A column's item, and its option where several may be chosen.
    private struct Place {
        let history: ItemHistory
        let option: OptionValue?
    }

    private static let head: [Column] =
        [
            .sheet, .enrolment, .participant, .arm, .occasion, .schedule, .studyDay, .version, .revision,
            .completes, .standing,
        ]
        + Column.instant(
            "submitted", "Sheet was completed, by the corrected clock", hasOffset: true, source: .device)

    private var versions: [String] { instrument.versions.map(\.version) }
    private var title: String { instrument.newest.text(in: "en").title }

    private var places: [Place] {
        instrument.items.filter(\.isCoded).flatMap { history in
            history.columnOptions.map { Place(history: history, option: $0) }
        }
    }

    private func table(
        _ name: String, _ title: String, _ column: (StoredCell, String, Place) -> Column
    ) -> Table {
        var taken = Set(Self.head.map(\.name))
        let columns = places.map { place in
            let wanted = place.history.linkId + (place.option.map { "__\($0.text)" } ?? "")
            let name = ColumnName.free(wanted, taken: taken)
            taken.insert(name)
            return column(StoredCell(history: place.history, option: place.option), name, place)
        }
        return Table(
            name, title, key: ["enrolment_id", "sheet_id"], statement: SQLFile.sheets["dataset_wide"],
            frames: [.sheetInScope], instrument: instrument.code, foreignKeys: [.sheet],
            columns: [Self.head, columns])
    }

    private func type(_ place: Place) -> ColumnType {
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

    private func label(_ place: Place) -> String {
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
