import SaunterCore

/// Writes CSV as PostgreSQL's COPY does: UTF-8, commas, LF, quotes where they are needed, nothing at all for
/// a value that is absent.
package struct CSVText {
    /// What is written and not taken yet.
    package private(set) var bytes: [UInt8] = []

    /// Begins with the names of the columns.
    package init(header: [String]) {
        add(header)
    }

    /// One record; an empty text stands as `""`, nil as nothing.
    package mutating func add(_ fields: [String?]) {
        for (place, field) in fields.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            if let field { append(field) }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// What was written since the last time.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    private mutating func append(_ field: String) {
        let needsQuotes =
            field.isEmpty || field == "\\."
            || field.utf8.contains { byte in
                byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\n")
                    || byte == UInt8(ascii: "\r")
            }
        guard needsQuotes else {
            bytes += field.utf8
            return
        }
        bytes.append(UInt8(ascii: "\""))
        for byte in field.utf8 {
            if byte == UInt8(ascii: "\"") { bytes.append(byte) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
    }
}

extension Double {
    /// The shortest digits that read back as the same number, whole numbers without a point.
    var shortest: String { JSON.double(self).text }
}
