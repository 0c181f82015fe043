import Foundation
import SaunterParquet

// Measures how many rows of answers per second become Parquet, and how much memory that needs. The reference is CSV
// with the same rows. Needs a release build: `saunter-bench-parquet [rows]`.

let rowCount = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000_000
let clock = ContinuousClock()

/// Answers of 14,000 sheets with ten items each: all fields as one text. They are written several times. A row group
/// has fewer rows, so that each row group contains other texts.
struct Answers {
    static let rowCount = 140_000
    static let columns = [
        "sheet_id", "enrolment_id", "participant_id", "instrument", "version", "counts", "item", "option",
        "type",
        "value", "missing",
    ]
    private(set) var bytes: [UInt8] = []
    /// The range of each field in `bytes`, row by row; nil for a blank.
    private(set) var fields: [Range<Int>?] = []

    init() {
        bytes.reserveCapacity(Self.rowCount * 128)
        fields.reserveCapacity(Self.rowCount * Self.columns.count)
        for row in 0..<Self.rowCount {
            let sheet = row / 10
            let item = row % 10
            let isMissing = (sheet &* 2_654_435_761 &+ item &* 40_503) >> 7 % 20 == 0
            for text in [
                identifier("S", sheet), identifier("E", sheet / 100), "P\(sheet / 100)", "pss_10", "1.0.0",
                "1",
                "q\(item)", nil, "choice", isMissing ? nil : "\((sheet &* 31 &+ item &* 17) % 5)",
                isMissing ? "skipped" : nil,
            ] {
                fields.append(text.map { bytes.count..<bytes.count + $0.utf8.count })
                bytes += (text ?? "").utf8
            }
        }
    }

    /// Calls the body with the fields of `count` rows, row by row.
    func forEachField(_ count: Int, _ body: (_ column: Int, UnsafeRawBufferPointer?) throws -> Void) rethrows
    {
        try bytes.withUnsafeBytes { bytes in
            for row in 0..<count {
                let start = row % Self.rowCount * Self.columns.count
                for column in Self.columns.indices {
                    try body(
                        column, fields[start + column].map { UnsafeRawBufferPointer(rebasing: bytes[$0]) })
                }
            }
        }
    }
}

func identifier(_ letter: Character, _ number: Int) -> String {
    let digits = String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
    let tail = String(repeating: "0", count: 16 - digits.count) + digits
    return "\(letter)\(tail.prefix(8))-\(tail.dropFirst(8).prefix(4))-4000-8000-0000\(tail.suffix(8))"
}

func report(_ name: String, _ bytes: Int, _ duration: Duration) {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let seconds = duration / .seconds(1)
    print(
        "\(name): \(rowCount) rows in \(Int(seconds * 1000)) ms, \(Int(Double(rowCount) / seconds)) rows/s, "
            + "\(bytes >> 20) MiB, resident at most \(usage.ru_maxrss >> 10) MiB so far")
}

let answers = Answers()
let lastColumn = Answers.columns.count - 1

var csvBytes = 0
let csv = clock.measure {
    var text: [UInt8] = []
    answers.forEachField(rowCount) { column, field in
        if let field { text.append(contentsOf: field) }
        text.append(column < lastColumn ? UInt8(ascii: ",") : UInt8(ascii: "\n"))
        if text.count > 1 << 16 {
            csvBytes += text.count
            text.removeAll(keepingCapacity: true)
        }
    }
}
report("CSV", csvBytes, csv)

for compression in [ParquetCompression.none, .gzip] {
    var bytes = 0
    let duration = try clock.measure {
        var writer = try ParquetWriter(
            Answers.columns.map { ParquetColumn($0, $0 == "counts" ? .boolean : .string) },
            compression: compression)
        try answers.forEachField(rowCount) { column, field in
            if let field {
                if column == 5 {
                    try writer.add(field[0] == UInt8(ascii: "1"))
                } else {
                    try writer.add(utf8: field)
                }
            } else {
                try writer.addNull()
            }
            if column == lastColumn { try writer.endRow { bytes += $0.count } }
        }
        try writer.finish { bytes += $0.count }
    }
    report("Parquet, \(compression == .none ? "plain" : "gzip")", bytes, duration)
}
