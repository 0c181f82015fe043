import SaunterCore

/// The two files with the repeated answers of one instrument: answers in repeating groups, and items with several
/// values. Both have a row per instance and a column per item; one contains the values, the other the reasons for
/// blanks.
struct InstanceTables {
    let instrument: InstrumentHistory
    private let wide: WideTables

    /// Nil if the instrument has no repeating group and no item with several values.
    init?(of instrument: InstrumentHistory) {
        guard !instrument.repeatedItems.isEmpty else { return nil }
        self.instrument = instrument
        wide = WideTables(of: instrument)
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

    private static let sheetColumns: [Column] = [
        .sheet, .enrolment, .participant, .arm, .occasion, .version, .revision,
        Column("repeats", .string, "Repeating group, or item with several values", source: .design),
        Column("instance", .integer, "Number of the instance, from 1", source: .derived),
    ]

    private func table(
        _ name: String, _ title: String, of cells: String,
        _ column: (WideTables.ItemColumn) -> (type: ColumnType, label: String, valueSet: String?)
    ) -> Table {
        var taken = Set(Self.sheetColumns.map(\.name))
        let columns = instrument.repeatedItems.flatMap { history in
            history.instanceOptions.map { option in
                let key = history.linkId + (option.map { "__\($0.text)" } ?? "")
                let name = ColumnName.free(key, taken: taken)
                taken.insert(name)
                let itemColumn = WideTables.ItemColumn(history: history, option: option)
                let (type, label, valueSet) = column(itemColumn)
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
            statement: SQLFile.sheets["dataset_instances"], ctes: [.sheetInScope],
            instrument: instrument.code, foreignKeys: [.sheet], columns: [Self.sheetColumns, columns])
    }
}

extension ItemHistory {
    /// What each column of the item contains: an option, nil for the item itself, the unit of a quantity, or the rank
    /// of a value of a compared list.
    fileprivate var instanceOptions: [OptionValue?] {
        if isComparedList { return [.code(ComparedWords.rankCode)] }
        if newest.hasOwnTable { return [] }
        if isMultiple { return options.map(\.value) }
        return newest.type.hasUnits ? [nil, .code(Item.unitCode)] : [nil]
    }
}
