/// A CSV text (RFC 4180) with the line on which each record begins. Every record has as many fields as the header.
struct CSVTable {
    struct Record {
        let line: Int
        let fields: [String]
    }

    let header: [String]
    let records: [Record]

    /// Nil, and a fault, when there is no header or a quote is out of place. Records of another length are faults and left out.
    init?(_ text: String, log: FaultLog) {
        var reader = CSVReader(text)
        guard let all = reader.records(log) else { return nil }
        guard let first = all.first else {
            log.note(1, "there is no header line")
            return nil
        }
        header = first.fields
        records = all.dropFirst().filter { record in
            let fits = record.fields.count == first.fields.count
            if !fits {
                log.note(record.line, "expected \(first.fields.count) fields, found \(record.fields.count)")
            }
            return fits
        }
    }
}

/// Reads records byte by byte.
private struct CSVReader {
    private let bytes: [UInt8]
    private var at = 0
    private var line = 1

    init(_ text: String) {
        bytes = Array(text.withPlainLineEnds.utf8)
    }

    mutating func records(_ log: FaultLog) -> [CSVTable.Record]? {
        var records: [CSVTable.Record] = []
        while at < bytes.count {
            let start = line
            var fields: [String] = []
            repeat {
                guard let field = field() else {
                    log.note(start, "a quote is out of place")
                    return nil
                }
                fields.append(field)
            } while take(",")
            guard take("\n") || at == bytes.count else {
                log.note(start, "text follows a closing quote")
                return nil
            }
            if fields != [""] { records.append(CSVTable.Record(line: start, fields: fields)) }
            line += 1
        }
        return records
    }

    /// Nil for a quote that does not end, or stands within a plain field.
    private mutating func field() -> String? {
        take("\"") ? quoted() : plain()
    }

    private mutating func plain() -> String? {
        let start = at
        while at < bytes.count, bytes[at] != UInt8(ascii: ","), bytes[at] != UInt8(ascii: "\n") {
            if bytes[at] == UInt8(ascii: "\"") { return nil }
            at += 1
        }
        return String(decoding: bytes[start..<at], as: UTF8.self)
    }

    private mutating func quoted() -> String? {
        var field: [UInt8] = []
        while at < bytes.count {
            if take("\"") {
                guard take("\"") else { return String(decoding: field, as: UTF8.self) }
                field.append(UInt8(ascii: "\""))
            } else {
                if bytes[at] == UInt8(ascii: "\n") { line += 1 }
                field.append(bytes[at])
                at += 1
            }
        }
        return nil
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard at < bytes.count, bytes[at] == UInt8(ascii: scalar) else { return false }
        at += 1
        return true
    }
}
