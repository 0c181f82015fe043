import Foundation
import SaunterParquet

/// A file that other programs read, and its expected content.
struct ParquetSample {
    let name: String
    let columns: [ParquetColumn]
    let rows: [[ParquetValue?]]
    var metadata: [(key: String, value: String)] = []
    var compression = ParquetCompression.none
    var limits = ParquetLimits()
    var groups = 1

    /// The description that `read_back.py` reads.
    private struct Description: Encodable {
        /// Name, type, and whether it is required.
        struct Column: Encodable {
            let column: ParquetColumn

            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                try list.encode(column.name)
                try list.encode(ParquetSample.word(column.type))
                try list.encode(column.isRequired)
            }
        }

        let columns: [Column]
        let rows: [[String?]]
        let metadata: [String: String]
        let groups: Int
    }

    func write(to folder: URL) throws {
        let bytes = try ParquetFile.bytes(
            columns, rows, metadata: metadata, compression: compression, limits: limits)
        try Data(bytes).write(to: folder.appending(path: "\(name).parquet"))
        let description = Description(
            columns: columns.map(Description.Column.init), rows: rows.map { $0.map { $0.map(Self.word) } },
            metadata: Dictionary(metadata.map { ($0.key, $0.value) }) { $1 }, groups: groups)
        try JSONEncoder().encode(description).write(to: folder.appending(path: "\(name).json"))
    }

    private static func word(_ value: ParquetValue) -> String {
        switch value {
        case .boolean(let value): value ? "1" : "0"
        case .int32(let value): String(value)
        case .int64(let value): String(value)
        case .double(let value):
            String(String(repeating: "0", count: 16) + String(value.bitPattern, radix: 16)).suffix(16)
                .description
        case .string(let value): value
        }
    }

    private static func word(_ type: ParquetType) -> String {
        switch type {
        case .boolean: "boolean"
        case .int32: "int32"
        case .int64: "int64"
        case .double: "double"
        case .string: "string"
        case .date: "date"
        case .timestamp(.milliseconds, let isUTC): isUTC ? "instant_ms" : "local_ms"
        case .timestamp(.microseconds, let isUTC): isUTC ? "instant_us" : "local_us"
        }
    }
}
