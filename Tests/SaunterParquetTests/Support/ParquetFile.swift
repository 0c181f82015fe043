import SaunterParquet

/// Writes and inspects files in memory.
enum ParquetFile {
    static func bytes(
        _ columns: [ParquetColumn], _ rows: [[ParquetValue?]], metadata: [(key: String, value: String)] = [],
        compression: ParquetCompression = .none, limits: ParquetLimits = ParquetLimits()
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = try ParquetWriter(
            columns, metadata: metadata, compression: compression, limits: limits)
        for row in rows { try writer.append(row) { bytes += $0 } }
        try writer.finish { bytes += $0 }
        return bytes
    }

    /// Bytes from pairs of hexadecimal digits. Other characters are ignored.
    static func hex(_ text: String) -> [UInt8] {
        text.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    }
}
