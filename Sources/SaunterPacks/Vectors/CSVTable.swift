import SaunterCore

/// A CSV file of a pack. All records have as many fields as the header.
struct CSVTable {
    let header: [String]
    let records: [CSVRecord]

    /// Returns nil, with a fault in the log, if the text is not CSV or has no header. Records with another number of
    /// fields are faults and are left out. CR and CR LF are line ends like LF.
    init?(_ text: String, log: FaultLog) {
        guard !text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) else {
            log.note(1, "begins with a byte order mark")
            return nil
        }
        var all: [CSVRecord] = []
        do {
            var reader = CSVReader(text.withPlainLineEnds)
            while let record = try reader.next() { all.append(record) }
        } catch {
            let fault = error as? CSVFault
            log.note(fault?.line ?? 1, fault?.reason ?? "this cannot be read as CSV")
            return nil
        }
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
