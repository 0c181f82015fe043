import Crypto
import Foundation
import SaunterCore

/// A file that is being written. Bytes and rows are counted and the digest is computed while data are written, so
/// nothing is read again.
struct OutputFile {
    private let handle: FileHandle
    private let path: String
    private var hash = SHA256()
    private var bytes = 0
    private var rows: RowCount?

    /// - Parameter isTable: whether the file is CSV with a header, whose rows are counted.
    init(path: String, at url: URL, isTable: Bool) throws {
        try Data().write(to: url, options: .withoutOverwriting)
        handle = try FileHandle(forWritingTo: url)
        self.path = path
        rows = isTable ? RowCount() : nil
    }

    /// The number of rows so far, without the header. Nil if the file is not a CSV table.
    var rowsSoFar: Int? { rows?.rows }

    mutating func write(_ piece: [UInt8]) throws {
        try handle.write(contentsOf: piece)
        hash.update(data: piece)
        bytes += piece.count
        rows?.add(piece)
    }

    /// Flushes the file to disk.
    /// - Parameter rows: the number of rows of a table that is not CSV.
    mutating func close(rows known: Int? = nil) throws -> DatasetFile {
        try handle.synchronize()
        try handle.close()
        let digest = Hex.encode(hash.finalize())
        return DatasetFile(
            path: path, rows: known ?? rowsSoFar, bytes: bytes, sha256: digest)
    }
}

/// Counts the records of a CSV text that arrives in pieces: line ends outside quotation marks.
struct RowCount {
    private(set) var records = 0
    private var isQuoted = false

    /// The number of records so far, without the header.
    var rows: Int { max(0, records - 1) }

    mutating func add(_ piece: [UInt8]) {
        // Most pieces have no quotation marks. Counting without a branch processes many bytes at a time.
        var quotes = 0
        var ends = 0
        for byte in piece {
            quotes &+= byte == UInt8(ascii: "\"") ? 1 : 0
            ends &+= byte == UInt8(ascii: "\n") ? 1 : 0
        }
        guard quotes > 0 || isQuoted else { return records += ends }
        for byte in piece {
            if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == UInt8(ascii: "\n"), !isQuoted {
                records += 1
            }
        }
    }
}
