import SaunterCore

/// The two files of what an instrument asks several times on one sheet, in repeating groups and by items of several
/// values: a row per instance, a column per item, once with the values and once with the reasons for blanks.
struct Instances {
    let instrument: InstrumentHistory
    private let wide: Wide

    /// Nil for an instrument that asks nothing several times.
    init?(of instrument: InstrumentHistory) {
        guard !instrument.repeatedItems.isEmpty else { return nil }
        self.instrument = instrument
        wide = Wide(of: instrument)
    }

    /// `instances_<instrument>.csv`.
    var values: Table {
        table("instances_\(instrument.code)", "repeated answers: one row per instance", of: "cells") {
            (wide.type($0), wide.label($0), $0.history.valueSet)
        }
    }

    /// `instances_<instrument>_missing.csv`.
    var reasons: Table {
        table("instances_\(instrument.code)_missing", "repeated answers: why values are blank", of: "reasons")
        {
            (.string, "Why it is blank: \(wide.label($0))", "missing")
        }
    }

    private static let head: [Column] = [
        .sheet, .enrolment, .participant, .arm, .occasion, .version, .revision,
        Column("repeats", .string, "Repeating group, or item of several values", source: .design),
        Column("instance", .integer, "Which of them, from 1", source: .derived),
    ]

    private func table(
        _ name: String, _ title: String, of cells: String,
        _ column: (Wide.Place) -> (type: ColumnType, label: String, valueSet: String?)
    ) -> Table {
        var taken = Set(Self.head.map(\.name))
        let columns = instrument.repeatedItems.filter { !$0.newest.isText }.flatMap { history in
            history.instanceOptions.map { option in
                let key = history.linkId + (option.map { "__\($0.text)" } ?? "")
                let name = ColumnName.free(key, taken: taken)
                taken.insert(name)
                let place = Wide.Place(history: history, option: option)
                let (type, label, valueSet) = column(place)
                var described = Column(
                    name, type, .expression("r.\(cells) ->> \(SQLText.literal(key))"), label,
                    unit: history.newest.unit, valueSet: option == nil || cells == "reasons" ? valueSet : nil,
                    source: cells == "reasons" ? .derived : .answer, item: history)
                described.option = option
                return described
            }
        }
        return Table(
            name, "\(wide.title), \(title)", key: ["enrolment_id", "sheet_id", "repeats", "instance"],
            statement: SQLFile.sheets["dataset_instances"], frames: [.sheetInScope],
            instrument: instrument.code, foreignKeys: [.sheet], columns: [Self.head, columns])
    }
}

extension Item {
    /// Texts stand in a file of their own.
    fileprivate var isText: Bool { type == .string || type == .text }
}

extension ItemHistory {
    /// What its columns are about in one instance.
    fileprivate var instanceOptions: [OptionValue?] {
        if isMultiple { return options.map(\.value) }
        return newest.type == .quantity ? [nil, .code(Item.unitCode)] : [nil]
    }
}
