import SaunterCore
import SaunterStatisticsFiles

extension StatisticsTable {
    /// The description of a dataset's table for statistics packages.
    /// - Parameter tables: all tables of the dataset, among which the table of reasons is found.
    init(_ table: Table, in tables: [Table], labels: CodeLabels) {
        let names = table.columns.map(\.name)
        let spssNames = VariableName.names(names, for: .spss, free: ColumnName.free)
        let stataNames = VariableName.names(names, for: .stata, free: ColumnName.free)
        self.init(
            name: table.name, title: table.title, path: table.path(.csv), key: table.key,
            columns: table.columns.enumerated().map { index, column in
                StatisticsColumn(
                    name: column.name, spssName: spssNames[index], stataName: stataNames[index],
                    kind: column.type.statisticsKind, label: column.label, unit: column.unit,
                    codes: labels.of(column), isCoded: column.valueSet != nil, isAnswer: column.item != nil,
                    allowsReasonNumbers: CodeLabels.allowsReasonNumbers(column),
                    isIdentifier: column.form.isPseudonym || column.name == "participant_id")
            },
            reasons: table.reasonsTable(in: tables).map {
                ReasonsFile(path: $0.path(.csv), columns: $0.columns.map(\.name))
            })
    }
}

extension ColumnType {
    fileprivate var statisticsKind: StatisticsColumn.Kind {
        switch self {
        case .string: .string
        case .integer: .integer
        case .number: .number
        case .boolean: .boolean
        case .date: .date
        case .instant: .instant
        case .local: .local
        case .time: .time
        }
    }
}

extension Table {
    /// The table with the same rows that contains the reasons for blanks. Only wide tables and tables of instances have
    /// one.
    func reasonsTable(in tables: [Table]) -> Table? {
        tables.first { $0.instrument != nil && $0.name == name + "_missing" }
    }

    /// Whether the table contains a column that can identify a participant directly, such as free text or the
    /// description of a device. Such a table is not written for statistics packages, because they truncate long texts.
    var hasDirectIdentifier: Bool { columns.contains { $0.identifierClass == .direct } }
}
