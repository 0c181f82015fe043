import CReadStat
import SaunterCore

/// Writes one table as a labelled file for SPSS (.sav) or Stata (.dta): variable names, labels, value labels, dates as
/// dates, and the reason of every blank that has one. ReadStat encodes the file. Its bytes depend only on the table.
package struct StatisticsFile {
    /// Texts are truncated to this number of bytes, the maximum of Stata.
    private static let maximumText = 2045

    private let table: StatisticsTable
    private let rows: any StatisticsRows
    private let program: StatisticsProgram
    private let asOf: Instant

    /// - Parameter asOf: the instant of the snapshot. Its date is the creation date in the file.
    package init(
        _ table: StatisticsTable, rows: any StatisticsRows, for program: StatisticsProgram, asOf: Instant
    ) {
        self.table = table
        self.rows = rows
        self.program = program
        self.asOf = asOf
    }

    /// Writes the file.
    /// - Parameter output: receives the bytes in pieces.
    /// - Throws: `StatisticsFileError`, or an error of `rows` or `output`.
    package func write(_ output: ([UInt8]) throws -> Void) throws {
        guard let writer = readstat_writer_init() else { throw failure("no memory") }
        defer { readstat_writer_free(writer) }
        try withoutActuallyEscaping(output) { output in
            let sink = OutputSink(output)
            try withExtendedLifetime(sink) { try write(with: writer, to: sink) }
        }
    }

    private func write(with writer: UnsafeMutablePointer<readstat_writer_t>, to sink: OutputSink) throws {
        try check(readstat_set_data_writer(writer, OutputSink.write))
        try check(readstat_writer_set_file_timestamp(writer, StatisticsTime.stamp(asOf)))
        let title = table.title.prefix(bytes: program == .spss ? 64 : 80)
        try check(readstat_writer_set_file_label(writer, title))
        let variables = try addVariables(to: writer)
        let context = Unmanaged.passUnretained(sink).toOpaque()
        try check(
            program == .spss
                ? readstat_begin_writing_sav(writer, context, rows.rowCount)
                : readstat_begin_writing_dta(writer, context, rows.rowCount), sink)
        try rows.forEachRow { cells in
            try check(readstat_begin_row(writer), sink)
            for (variable, cell) in zip(variables, cells) {
                try check(insert(cell, variable, writer), sink)
            }
            try check(readstat_end_row(writer), sink)
        }
        try check(readstat_end_writing(writer), sink)
    }

    /// A column and its ReadStat variable.
    private struct Variable {
        let column: StatisticsColumn
        let pointer: UnsafeMutablePointer<readstat_variable_t>
        /// Whether a blank is written as the code of its reason.
        let hasReasons: Bool
    }

    /// Adds the variables of the table and their sets of value labels.
    private func addVariables(to writer: UnsafeMutablePointer<readstat_writer_t>) throws -> [Variable] {
        let widths = try rows.widths()
        return try table.columns.enumerated().map { index, column in
            let isText = column.kind == .string
            let longest = column.codes.map(\.code.utf8.count).max() ?? 1
            let width = isText ? min(max(widths[index], longest), Self.maximumText) : 0
            let type = isText ? READSTAT_TYPE_STRING : READSTAT_TYPE_DOUBLE
            guard let variable = readstat_add_variable(writer, column.name(in: program), type, width) else {
                throw failure("no memory")
            }
            readstat_variable_set_label(variable, column.label.prefix(bytes: program == .spss ? 255 : 80))
            if let format = StatisticsTime.format(column.kind, for: program) {
                readstat_variable_set_format(variable, format)
            }
            readstat_variable_set_measure(variable, measure(column))
            let hasReasons =
                !isText && table.reasons != nil && column.isAnswer
                && (program == .stata || column.allowsReasonNumbers)
            if hasReasons, program == .spss {
                try check(readstat_variable_add_missing_double_range(variable, -999, -989))
            }
            if let set = try labelSet(column, hasReasons, number: index + 1, writer) {
                readstat_variable_set_label_set(variable, set)
            }
            return Variable(column: column, pointer: variable, hasReasons: hasReasons)
        }
    }

    private func measure(_ column: StatisticsColumn) -> readstat_measure_t {
        switch column.kind {
        case .string, .boolean: READSTAT_MEASURE_NOMINAL
        case .integer where column.isCoded: READSTAT_MEASURE_ORDINAL
        case .integer, .number, .date, .instant, .local, .time: READSTAT_MEASURE_SCALE
        }
    }

    /// The labels of the codes and of the reasons for blanks. Nil if the column has none. Stata has no labels for
    /// texts.
    private func labelSet(
        _ column: StatisticsColumn, _ hasReasons: Bool, number: Int,
        _ writer: UnsafeMutablePointer<readstat_writer_t>
    ) throws -> UnsafeMutablePointer<readstat_label_set_t>? {
        let isText = column.kind == .string
        guard hasReasons || !column.codes.isEmpty, !(isText && program == .stata) else { return nil }
        let type =
            isText ? READSTAT_TYPE_STRING : program == .spss ? READSTAT_TYPE_DOUBLE : READSTAT_TYPE_INT32
        guard let set = readstat_add_label_set(writer, type, "labels\(number)") else {
            throw failure("no memory")
        }
        let longest = program == .spss ? 120 : 32_000
        for (code, label) in column.codes {
            let words = label.prefix(bytes: longest)
            if isText {
                readstat_label_string_value(set, code, words)
            } else if let value = Int32(code) {
                program == .spss
                    ? readstat_label_double_value(set, Double(value), words)
                    : readstat_label_int32_value(set, value, words)
            }
        }
        guard hasReasons else { return set }
        for reason in MissingReason.ordered {
            if program == .spss {
                readstat_label_double_value(set, Double(reason.rawValue), reason.label.prefix(bytes: longest))
            } else {
                readstat_label_tagged_value(set, reason.stataTag, reason.label.prefix(bytes: longest))
            }
        }
        return set
    }

    /// Writes a cell of the current row.
    private func insert(
        _ cell: StatisticsCell, _ variable: Variable, _ writer: UnsafeMutablePointer<readstat_writer_t>
    ) -> readstat_error_t {
        switch cell {
        case .value(let text) where variable.column.kind == .string:
            return readstat_insert_string_value(
                writer, variable.pointer, text.prefix(bytes: Self.maximumText))
        case .value(let text):
            guard let number = StatisticsTime.number(text, variable.column.kind, for: program) ?? Double(text)
            else { return readstat_insert_missing_value(writer, variable.pointer) }
            return readstat_insert_double_value(writer, variable.pointer, number)
        case .blank(let reason?) where variable.hasReasons:
            return program == .spss
                ? readstat_insert_double_value(writer, variable.pointer, Double(reason.rawValue))
                : readstat_insert_tagged_missing_value(writer, variable.pointer, reason.stataTag)
        case .blank:
            return readstat_insert_missing_value(writer, variable.pointer)
        }
    }

    private func check(_ status: readstat_error_t, _ sink: OutputSink? = nil) throws {
        if let error = sink?.error { throw error }
        guard status == READSTAT_OK else {
            throw failure(readstat_error_message(status).map { String(cString: $0) } ?? "unknown fault")
        }
    }

    private func failure(_ reason: String) -> StatisticsFileError {
        StatisticsFileError(path: table.path, reason: reason)
    }
}

/// Receives the bytes from ReadStat. A class, because C code stores a pointer to it.
private final class OutputSink {
    private let output: ([UInt8]) throws -> Void
    /// The error of `output`. The C callback can only report that an error happened.
    private(set) var error: (any Error)?

    init(_ output: @escaping ([UInt8]) throws -> Void) {
        self.output = output
    }

    /// The callback of ReadStat. Its context is an `OutputSink`.
    static let write: readstat_data_writer = { data, length, context in
        guard let context else { return -1 }
        let sink = Unmanaged<OutputSink>.fromOpaque(context).takeUnretainedValue()
        guard let data, length > 0 else { return 0 }
        do {
            try sink.output(Array(UnsafeRawBufferPointer(start: data, count: length)))
            return length
        } catch {
            sink.error = error
            return -1
        }
    }
}
