import CReadStat
import SaunterCore

extension StatisticsFile {
    /// A column as ReadStat holds it.
    struct Variable {
        let column: Column
        let pointer: UnsafeMutablePointer<readstat_variable_t>
        /// Whether the reason for a blank stands in the blank's place.
        let takesReasons: Bool
    }

    /// Adds the table's variables, and the sets of labels that they need.
    func addVariables(to writer: UnsafeMutablePointer<readstat_writer_t>) throws -> [Variable] {
        let columns = table.table.columns
        let names = StatisticsName.names(columns, for: format)
        let widths = try table.widths()
        return try columns.enumerated().map { place, column in
            let codes = labels.of(column)
            let isText = column.type == .string
            let longest = codes.map(\.code.utf8.count).max() ?? 1
            let width = isText ? min(max(widths[place], longest), Self.maximumText) : 0
            let type = isText ? READSTAT_TYPE_STRING : READSTAT_TYPE_DOUBLE
            guard let variable = readstat_add_variable(writer, names[place], type, width) else {
                throw fault("no memory")
            }
            readstat_variable_set_label(variable, column.label.prefix(bytes: format == .spss ? 255 : 80))
            if let shown = StatisticsTime.format(column.type, for: format) {
                readstat_variable_set_format(variable, shown)
            }
            readstat_variable_set_measure(variable, measure(column))
            let takesReasons =
                !isText && table.hasReasons && column.item != nil
                && (format == .stata || CodeLabels.hasRoomForReasons(column))
            if takesReasons, format == .spss {
                try check(readstat_variable_add_missing_double_range(variable, -999, -990))
            }
            if let set = try labelSet(codes, column, takesReasons, number: place + 1, writer) {
                readstat_variable_set_label_set(variable, set)
            }
            return Variable(column: column, pointer: variable, takesReasons: takesReasons)
        }
    }

    private func measure(_ column: Column) -> readstat_measure_t {
        switch column.type {
        case .string, .boolean: READSTAT_MEASURE_NOMINAL
        case .integer where column.valueSet != nil: READSTAT_MEASURE_ORDINAL
        case .integer, .number, .date, .instant, .local, .time: READSTAT_MEASURE_SCALE
        }
    }

    /// The words of a column's codes and of its missing reasons; nil where it has none. Stata labels no texts.
    private func labelSet(
        _ codes: [(code: String, label: String)], _ column: Column, _ takesReasons: Bool, number: Int,
        _ writer: UnsafeMutablePointer<readstat_writer_t>
    ) throws -> UnsafeMutablePointer<readstat_label_set_t>? {
        let isText = column.type == .string
        guard takesReasons || !codes.isEmpty, !(isText && format == .stata) else { return nil }
        let type =
            isText ? READSTAT_TYPE_STRING : format == .spss ? READSTAT_TYPE_DOUBLE : READSTAT_TYPE_INT32
        guard let set = readstat_add_label_set(writer, type, "labels\(number)") else {
            throw fault("no memory")
        }
        let longest = format == .spss ? 120 : 32_000
        for (code, label) in codes {
            let words = label.prefix(bytes: longest)
            if isText {
                readstat_label_string_value(set, code, words)
            } else if let value = Int32(code) {
                format == .spss
                    ? readstat_label_double_value(set, Double(value), words)
                    : readstat_label_int32_value(set, value, words)
            }
        }
        guard takesReasons else { return set }
        for reason in MissingReason.allCases.sorted(by: { $0.rawValue < $1.rawValue }) {
            if format == .spss {
                readstat_label_double_value(set, Double(reason.rawValue), reason.label.prefix(bytes: longest))
            } else {
                readstat_label_tagged_value(set, reason.tag, reason.label.prefix(bytes: longest))
            }
        }
        return set
    }

    /// Writes a cell of the row that was begun.
    func insert(
        _ cell: WrittenTable.Cell, _ variable: Variable, _ writer: UnsafeMutablePointer<readstat_writer_t>
    ) -> readstat_error_t {
        switch cell {
        case .value(let text) where variable.column.type == .string:
            return readstat_insert_string_value(
                writer, variable.pointer, text.prefix(bytes: Self.maximumText))
        case .value(let text):
            guard let number = StatisticsTime.number(text, variable.column.type, for: format) ?? Double(text)
            else { return readstat_insert_missing_value(writer, variable.pointer) }
            return readstat_insert_double_value(writer, variable.pointer, number)
        case .blank(let reason?) where variable.takesReasons:
            return format == .spss
                ? readstat_insert_double_value(writer, variable.pointer, Double(reason.rawValue))
                : readstat_insert_tagged_missing_value(writer, variable.pointer, reason.tag)
        case .blank:
            return readstat_insert_missing_value(writer, variable.pointer)
        }
    }
}

extension MissingReason {
    /// The letter of Stata's extended missing value.
    fileprivate var tag: CChar { CChar(bitPattern: stata.utf8.last ?? UInt8(ascii: "z")) }
}
