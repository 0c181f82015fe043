import CReadStat
import Foundation
import SaunterCore

/// One table as a labelled file for SPSS (.sav) or Stata (.dta): names, labels, codes with their words, dates as dates,
/// and the reason in every blank that has one. ReadStat writes the bytes; nothing of the hour is in them.
struct StatisticsFile {
    /// A text is cut beyond so many bytes: Stata's longest.
    static let maximumText = 2045

    let table: WrittenTable
    let labels: CodeLabels
    let format: DatasetFormat
    let asOf: Instant

    /// - Parameter format: `.spss` or `.stata`.
    init(_ table: WrittenTable, labels: CodeLabels, format: DatasetFormat, asOf: Instant) {
        self.table = table
        self.labels = labels
        self.format = format
        self.asOf = asOf
    }

    /// - Throws: `DatasetFault.format` or what the file system says.
    func write(into file: inout OutputFile) throws {
        guard let writer = readstat_writer_init() else { throw fault("no memory") }
        defer { readstat_writer_free(writer) }
        let sink = StatisticsSink(file)
        defer { file = sink.file }
        try withExtendedLifetime(sink) {
            try check(readstat_set_data_writer(writer, StatisticsSink.write))
            try check(readstat_writer_set_file_timestamp(writer, StatisticsTime.stamp(asOf)))
            let title = table.table.title.prefix(bytes: format == .spss ? 64 : 80)
            try check(readstat_writer_set_file_label(writer, title))
            let variables = try addVariables(to: writer)
            let context = Unmanaged.passUnretained(sink).toOpaque()
            let rows = table.rows
            try check(
                format == .spss
                    ? readstat_begin_writing_sav(writer, context, rows)
                    : readstat_begin_writing_dta(writer, context, rows), sink)
            try table.forEachRow { cells in
                try check(readstat_begin_row(writer), sink)
                for (variable, cell) in zip(variables, cells) {
                    try check(insert(cell, variable, writer), sink)
                }
                try check(readstat_end_row(writer), sink)
            }
            try check(readstat_end_writing(writer), sink)
        }
    }

    func check(_ status: readstat_error_t, _ sink: StatisticsSink? = nil) throws {
        if let error = sink?.error { throw error }
        guard status == READSTAT_OK else {
            throw fault(readstat_error_message(status).map { String(cString: $0) } ?? "unknown fault")
        }
    }

    func fault(_ reason: String) -> DatasetFault { .format(table.table.path(.csv), reason) }
}
