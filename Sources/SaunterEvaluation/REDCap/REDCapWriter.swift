import SaunterCore

/// Writes the rows of records as JSON or CSV.
struct REDCapWriter {
    private static let pieceSize = 1 << 16
    /// The columns that name the event and the instance of a row.
    private static let keyColumns = [
        "redcap_event_name", "redcap_repeat_instrument", "redcap_repeat_instance",
    ]

    let selection: REDCapSelection
    let parts: [(form: REDCapForm, fields: [REDCapField])]
    private var rows = 0
    private var pending: [UInt8] = []
    private let sink: ([UInt8]) throws -> Void

    init(
        _ selection: REDCapSelection, _ parts: [(form: REDCapForm, fields: [REDCapField])],
        into sink: @escaping ([UInt8]) throws -> Void
    ) {
        self.selection = selection
        self.parts = parts
        self.sink = sink
        switch selection.format {
        case .json: pending = Array("[".utf8)
        case .csv(let delimiter): pending = REDCapCSV.record(header, delimiter: delimiter)
        }
    }

    mutating func write(_ row: REDCapRow) throws {
        switch selection.shape {
        case .flat: writeFlat(row)
        case .values: writeValues(row)
        }
        if pending.count >= Self.pieceSize { try flush() }
    }

    mutating func finish() throws {
        if selection.format == .json { pending += Array("]".utf8) }
        try flush()
    }

    private mutating func flush() throws {
        try sink(pending)
        pending.removeAll(keepingCapacity: true)
    }

    private var header: [String] {
        if selection.shape == .values { return ["record"] + Self.keyColumns + ["field_name", "value"] }
        guard selection.usesHeaderLabels else {
            return ["record_id"] + Self.keyColumns
                + parts.flatMap { $0.fields.flatMap { $0.recordColumns.map(\.name) } }
        }
        return ["Participant (pseudonym)", "Event Name", "Repeat Instrument", "Repeat Instance"]
            + parts.flatMap { part in
                part.fields.flatMap { field in
                    field.recordColumns.map { recordColumn in
                        guard let choice = recordColumn.choice else { return field.label }
                        return "\(field.label) (choice=\(recordColumn.labels[choice] ?? choice))"
                    }
                }
            }
    }

    private func keys(_ row: REDCapRow) -> (event: String, form: String, instance: String) {
        let form = parts[row.part].form
        return (
            selection.usesLabels ? row.event.label : row.event.uniqueName,
            row.instance == nil ? "" : selection.usesLabels ? form.label : form.name,
            row.instance.map(String.init) ?? ""
        )
    }

    private mutating func writeFlat(_ row: REDCapRow) {
        let keys = keys(row)
        var cells = [row.record, keys.event, keys.form, keys.instance]
        for (index, part) in parts.enumerated() {
            for field in part.fields {
                for recordColumn in field.recordColumns {
                    cells.append(index == row.part ? row.value(recordColumn, selection) : "")
                }
            }
        }
        guard selection.format == .json else { return add(cells) }
        let names =
            ["record_id"] + Self.keyColumns
            + parts.flatMap { $0.fields.flatMap { $0.recordColumns.map(\.name) } }
        add(names, cells, row)
    }

    private mutating func writeValues(_ row: REDCapRow) {
        let keys = keys(row)
        let names = ["record"] + Self.keyColumns + ["field_name", "value"]
        var values: [(String, String)] = row.instance == nil ? [("record_id", row.record)] : []
        for field in parts[row.part].fields {
            for recordColumn in field.recordColumns {
                let value = row.value(recordColumn, selection)
                guard let choice = recordColumn.choice else {
                    if !value.isEmpty { values.append((field.name, value)) }
                    continue
                }
                // Only the chosen options of a checkbox are written, each as a separate value.
                guard let column = recordColumn.column, row.cells[column] == "1" else { continue }
                values.append(
                    (field.name, selection.usesLabels ? recordColumn.labels[choice] ?? choice : choice))
            }
        }
        for (name, value) in values {
            let cells = [row.record, keys.event, keys.form, keys.instance, name, value]
            if selection.format == .json { add(names, cells, row) } else { add(cells) }
        }
    }

    /// Writes one JSON object. The instance is a number, as in REDCap.
    private mutating func add(_ names: [String], _ cells: [String], _ row: REDCapRow) {
        let members = zip(names, cells).map { name, value in
            let isInstance = name == "redcap_repeat_instance" && row.instance != nil
            return JSONObject.Member(
                name: name, value: isInstance ? .int(row.instance ?? 0) : .string(value))
        }
        if rows > 0 { pending.append(UInt8(ascii: ",")) }
        pending += JSON.object(JSONObject(members)).bytes
        rows += 1
    }

    private mutating func add(_ cells: [String]) {
        guard case .csv(let delimiter) = selection.format else { return }
        pending += REDCapCSV.record(cells, delimiter: delimiter)
    }
}

/// CSV as REDCap writes it: a blank is an empty field, and quotation marks are used only where they are required.
package enum REDCapCSV {
    /// One record.
    package static func record(_ cells: [String], delimiter: UInt8 = UInt8(ascii: ",")) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, cell) in cells.enumerated() {
            if index > 0 { bytes.append(delimiter) }
            let needsQuotes = cell.utf8.contains { byte in
                byte == delimiter
                    || [UInt8(ascii: "\""), UInt8(ascii: "\n"), UInt8(ascii: "\r")].contains(byte)
            }
            guard needsQuotes else {
                bytes += cell.utf8
                continue
            }
            bytes.append(UInt8(ascii: "\""))
            for byte in cell.utf8 {
                if byte == UInt8(ascii: "\"") { bytes.append(byte) }
                bytes.append(byte)
            }
            bytes.append(UInt8(ascii: "\""))
        }
        return bytes + [UInt8(ascii: "\n")]
    }
}
