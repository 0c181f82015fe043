import Compression

/// Compresses a CSV text with gzip while it is written. The bytes depend only on the text and on zlib: the header has
/// no name, time or system (RFC 1952).
struct GzipFile {
    private let compressor: Compressor
    private var file: OutputFile
    private var count = RowCount()

    /// - Throws: `DatasetFault.zip` if there is not enough memory.
    init(into file: OutputFile) throws(DatasetFault) {
        self.file = file
        do {
            compressor = try Compressor(.gzip, system: .unknown)
        } catch {
            throw .zip("there is not enough memory")
        }
    }

    /// The number of rows so far, without the header.
    var rows: Int { count.rows }

    mutating func write(_ piece: [UInt8]) throws {
        count.add(piece)
        try compressor.add(piece, flush: .none) { try file.write($0) }
    }

    /// Flushes the file to disk.
    mutating func close() throws -> DatasetFile {
        try compressor.add([], flush: .finish) { try file.write($0) }
        return try file.close(rows: rows)
    }
}
