import Foundation
import SaunterCore

/// The files of one table under way, in each of its formats, all from the same CSV text as it passes.
struct TableFiles {
    private var csv: OutputFile?
    private var gzip: GzipFile?
    private var parquet: ParquetFile?

    /// Rows so far.
    var rows: Int { csv?.rowsSoFar ?? gzip?.rows ?? parquet?.rowCount ?? 0 }

    init(_ table: Table, of snapshot: DatasetSnapshot, in folder: URL) throws {
        for format in table.formats {
            let path = table.path(format)
            let file = try OutputFile(path: path, at: folder.appending(path: path), isTable: format == .csv)
            switch format {
            case .csv: csv = file
            case .csvGzip: gzip = GzipFile(into: file)
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

    /// - Parameter piece: of the CSV text.
    mutating func write(_ piece: [UInt8]) throws {
        try csv?.write(piece)
        try gzip?.write(piece)
        try parquet?.write(piece)
    }

    /// Puts the files on disk.
    mutating func close() throws -> [DatasetFile] {
        try [csv?.close(), gzip?.close(), parquet?.close()].compactMap(\.self)
    }
}
