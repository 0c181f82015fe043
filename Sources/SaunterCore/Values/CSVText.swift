/// Builds CSV text in the format of PostgreSQL's `COPY`: UTF-8, commas, LF, quotation marks only where they are
/// required, and an empty field for an absent value.
package struct CSVText {
    /// The text that was written and not taken yet.
    package private(set) var bytes: [UInt8] = []

    /// Starts the text with the names of the columns.
    package init(header: [String]) {
        add(header)
    }

    /// Appends one record. An empty string is written as `""`, nil as an empty field.
    package mutating func add(_ fields: [String?]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            if let field { append(field) }
        }
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Returns the text that was written since the last call.
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
