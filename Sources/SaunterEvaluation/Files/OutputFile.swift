import Crypto
import Foundation

/// A file under way: everything written is counted and digested as it passes, so that nothing is read twice.
struct OutputFile {
    private let handle: FileHandle
    private let path: String
    private var hash = SHA256()
    private var bytes = 0
    private var rows: RowCount?

    /// - Parameter isTable: it is CSV, whose rows are counted; the first is the header.
    init(path: String, at url: URL, isTable: Bool) throws {
        try Data().write(to: url, options: .withoutOverwriting)
        handle = try FileHandle(forWritingTo: url)
        self.path = path
        rows = isTable ? RowCount() : nil
    }

    /// Of a table that is CSV: rows below the header so far.
    var rowsSoFar: Int? { rows.map { max(0, $0.records - 1) } }

    mutating func write(_ piece: [UInt8]) throws {
        try handle.write(contentsOf: piece)
        hash.update(data: piece)
        bytes += piece.count
        rows?.take(piece)
    }

    /// Puts the file on disk.
    /// - Parameter rows: for a table that is no CSV.
    mutating func close(rows known: Int? = nil) throws -> DatasetFile {
        try handle.synchronize()
        try handle.close()
        let digest = hash.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return DatasetFile(
            path: path, rows: known ?? rows.map { max(0, $0.records - 1) }, bytes: bytes, sha256: digest)
    }
}

/// Counts the records of a CSV text that comes in pieces: line ends outside of quotes.
struct RowCount {
    private(set) var records = 0
    private var isQuoted = false

    mutating func take(_ piece: [UInt8]) {
        // Most pieces have no quotes, and counting alone goes many bytes at a time.
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
