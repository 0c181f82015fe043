import SaunterCore

/// Makes the CSV text of a table of stored sheets, as their rows come.
struct StoredRows {
    private let header: [String]
    private let heads: [HeadField]
    /// For each head the place of its field; for wall clocks those of the instant and of the offset.
    private let places: [(first: Int, second: Int)]
    private let keyPlaces: [Int]
    private let texts: CellTexts
    private let slotsPlace: Int
    private let tellsRepeated: Bool
    private var rows: BinaryRows
    private var answers = StoredAnswerFields()
    private var isPastHeader = false
    /// Of the sheet before: most often the next has the same.
    private var version = 0
    /// Bytes of the longest piece so far.
    private var capacity = 1 << 17

    init(_ columns: [Column], _ layout: StoredLayout, _ profile: DatasetProfile) {
        header = columns.map(\.name)
        heads = columns.prefix(layout.heads).map { HeadField($0, profile) }
        var fields: [String: Int] = [:]
        for (column, head) in zip(columns, heads) {
            if case .local = head { continue }
            fields[column.name] = fields.count
        }
        places = zip(columns, heads).map { column, head in
            guard case .local(let prefix) = head else { return (fields[column.name] ?? 0, 0) }
            return (fields["\(prefix)_at"] ?? 0, fields["\(prefix)_offset_min"] ?? 0)
        }
        keyPlaces = layout.key.map { fields[$0] ?? 0 }
        slotsPlace = fields.count
        texts = CellTexts(layout)
        tellsRepeated = layout.tellsRepeated
        rows = BinaryRows(fieldCount: fields.count + (tellsRepeated ? 3 : 2))
    }

    /// The CSV text of the rows of a piece; the first begins with the header.
    mutating func csv(_ piece: [UInt8]) throws -> [UInt8] {
        var text = CSVBuffer(capacity: capacity)
        if !isPastHeader {
            isPastHeader = true
            for (place, name) in header.enumerated() {
                if place > 0 { text.put(UInt8(ascii: ",")) }
                Array(name.utf8).withUnsafeBytes { text.putField($0) }
            }
            text.put(UInt8(ascii: "\n"))
        }
        var rows = rows
        try rows.take(piece) { fields in try add(fields, to: &text) }
        self.rows = rows
        capacity = max(capacity, text.count)
        return text.bytes
    }

    private mutating func add(_ fields: BinaryRows.Fields, to text: inout CSVBuffer) throws {
        let version = try version(of: fields)
        guard let slots = fields[slotsPlace] else { throw BinaryReader.fault }
        try answers.readSlots(slots)
        try answers.readNumbers(fields[slotsPlace + 1])
        var repeated = try repeated(of: fields)[...]
        let lines = texts.versions[version]
        let start = text.count
        var head: Range<Int>?
        func addHead(to text: inout CSVBuffer) throws {
            if let head { return text.repeatBytes(head) }
            try addHeads(fields, to: &text)
            head = start..<text.count
        }
        for (line, key) in zip(lines.lines, lines.keys) {
            while let row = repeated.first, row.key < key {
                try addHead(to: &text)
                row.add(to: &text)
                repeated.removeFirst()
            }
            try addHead(to: &text)
            addCells(line, to: &text)
            text.put(UInt8(ascii: "\n"))
        }
        for row in repeated {
            try addHead(to: &text)
            row.add(to: &text)
        }
    }

    /// The sheet's answers without slots, in the order of their keys.
    private func repeated(of fields: BinaryRows.Fields) throws -> [RepeatedAnswer] {
        guard tellsRepeated, let field = fields[slotsPlace + 2] else { return [] }
        let rows = try JSONReader.read(Array(field)).array?.map(RepeatedAnswer.init) ?? [nil]
        return try rows.map { row throws(DatasetFault) in
            guard let row else { throw BinaryReader.fault }
            return row
        }.sorted { $0.key < $1.key }
    }

    /// Which version a sheet is of.
    private mutating func version(of fields: BinaryRows.Fields) throws(DatasetFault) -> Int {
        func isOf(_ version: CellTexts.Version) -> Bool {
            zip(keyPlaces, version.key).allSatisfy { fields[$0]?.elementsEqual($1) ?? false }
        }
        if texts.versions.indices.contains(version), isOf(texts.versions[version]) { return version }
        guard let found = texts.versions.firstIndex(where: isOf) else {
            throw DatasetFault.damaged(["a sheet of a version that the study never published"])
        }
        version = found
        return found
    }

    private func addHeads(_ fields: BinaryRows.Fields, to text: inout CSVBuffer) throws {
        for (place, head) in heads.enumerated() {
            if place > 0 { text.put(UInt8(ascii: ",")) }
            guard let field = fields[places[place].first] else { continue }
            switch head {
            case .id(let letter):
                guard field.count == 16 else { throw BinaryReader.fault }
                text.put(letter)
                text.putUUID(field)
            case .text: text.putField(field)
            case .integer, .flag: text.put(try field.binaryInteger())
            case .moment:
                let moment = try field.binaryInteger()
                guard moment != .max, moment != .min else { continue }
                text.putMoment(moment)
                text.put(UInt8(ascii: "Z"))
            case .local:
                guard let offset = try fields[places[place].second]?.binaryInteger() else { continue }
                let moment = try field.binaryInteger()
                guard moment != .max, moment != .min else { continue }
                let (moved, isBeyond) = moment.addingReportingOverflow(offset &* 60_000_000)
                guard !isBeyond else { throw BinaryReader.fault }
                text.putMoment(moved)
            }
        }
    }

    private func addCells(_ line: Range<Int>, to text: inout CSVBuffer) {
        for cell in texts.cells[line] {
            text.put(UInt8(ascii: ","))
            switch cell.kind {
            case .text: add(cell, 0, to: &text)
            case .coded:
                let slot = answers.slot(cell.slot)
                if slot >= cell.lowest { add(cell, slot - cell.lowest, to: &text) }
            case .slot:
                let slot = answers.slot(cell.slot)
                if slot >= 0 { text.put(Int64(slot)) }
            case .number:
                guard cell.slot < 0 || answers.slot(cell.slot) >= 0 else { continue }
                if let number = answers.number(cell.number) { text.putField(number) }
            }
        }
    }

    private func add(_ cell: CellTexts.Cell, _ place: Int, to text: inout CSVBuffer) {
        guard place < cell.texts.count else { return }
        let first = cell.texts.lowerBound + place
        texts.bytes.withUnsafeBytes { bytes in
            text.put(UnsafeRawBufferPointer(rebasing: bytes[texts.ends[first]..<texts.ends[first + 1]]))
        }
    }
}

extension RepeatedAnswer {
    /// The cells of its row of answers, behind those of the sheet.
    fileprivate func add(to text: inout CSVBuffer) {
        for cell in [key.item, option.isEmpty ? nil : option, type, value, missing?.code] {
            text.put(UInt8(ascii: ","))
            guard var cell else { continue }
            cell.withUTF8 { text.putField(UnsafeRawBufferPointer($0)) }
        }
        text.put(UInt8(ascii: "\n"))
    }
}
