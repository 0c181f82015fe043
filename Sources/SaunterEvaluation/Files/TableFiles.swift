import Foundation
import SaunterCore

/// The files of one table that are being written, one per format, all from the same CSV text.
struct TableFiles {
    private var csv: OutputFile?
    private var gzip: GzipFile?
    private var parquet: ParquetFile?
    private var encoder: StoredSheetEncoder?

    /// The number of rows so far.
    var rows: Int { csv?.rowsSoFar ?? gzip?.rows ?? parquet?.rowCount ?? 0 }

    init(_ table: Table, of snapshot: DatasetSnapshot, in folder: URL) throws {
        encoder = table.stored.map { StoredSheetEncoder(table.columns, $0, snapshot.profile) }
        for format in table.formats {
            let path = table.path(format)
            let file = try OutputFile(path: path, at: folder.appending(path: path), isTable: format == .csv)
            switch format {
            case .csv: csv = file
            case .csvGzip: gzip = try GzipFile(into: file)
            case .parquet:
                let metadata = [
                    ("saunter.study", snapshot.definitions.code), ("saunter.table", table.name),
                    ("saunter.as_of", snapshot.asOf.description),
                ]
                parquet = try ParquetFile(
                    table.columns, key: table.key, metadata: metadata, into: file)
            }
        }
    }

    /// - Parameter piece: output of the table's `COPY` command.
    mutating func write(_ piece: [UInt8]) throws {
        let piece = try encoder?.csv(piece) ?? piece
        try csv?.write(piece)
        try gzip?.write(piece)
        try parquet?.write(piece)
    }

    /// Flushes the files to disk.
    mutating func close() throws -> [DatasetFile] {
        try [csv?.close(), gzip?.close(), parquet?.close()].compactMap(\.self)
    }
}
