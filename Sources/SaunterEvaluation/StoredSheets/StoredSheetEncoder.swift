import SaunterCore

/// Converts the binary `COPY` rows of stored sheets to the CSV text of a table.
struct StoredSheetEncoder {
    private let header: [String]
    private let sheetColumns: [SheetColumnFormat]
    /// For each column with one value per sheet, the index of its field. For local times, the indexes of the instant
    /// and of the offset.
    private let fieldIndexes: [(first: Int, second: Int)]
    /// The indexes of the fields that identify the version of a sheet.
    private let versionIndexes: [Int]
    private let layout: CompiledLayout
    private let slotsIndex: Int
    private let includesRepeated: Bool
    private let includesRowsWithoutSheet: Bool
    private var rows: BinaryRows
    private var answers = StoredAnswerFields()
    private var isPastHeader = false
    /// The version of the previous sheet. The next sheet usually has the same version.
    private var version = 0
    /// The size in bytes of the largest output so far.
    private var capacity = 1 << 17

    init(_ columns: [Column], _ layout: StoredLayout, _ profile: DatasetProfile) {
        header = columns.map(\.name)
        sheetColumns = columns.prefix(layout.sheetColumnCount).map { SheetColumnFormat($0, profile) }
        var fields: [String: Int] = [:]
        for (column, format) in zip(columns, sheetColumns) {
            if case .local = format { continue }
            fields[column.name] = fields.count
        }
        fieldIndexes = zip(columns, sheetColumns).map { column, format in
            guard case .local(let prefix) = format else { return (fields[column.name] ?? 0, 0) }
            return (fields["\(prefix)_at"] ?? 0, fields["\(prefix)_offset_min"] ?? 0)
        }
        versionIndexes = layout.versionColumns.map { fields[$0] ?? 0 }
        slotsIndex = fields.count
        self.layout = CompiledLayout(layout)
        includesRepeated = layout.includesRepeated
        includesRowsWithoutSheet = layout.includesRowsWithoutSheet
        rows = BinaryRows(fieldCount: fields.count + (includesRepeated ? 3 : 2))
    }

    /// Converts a piece of `COPY` output to CSV. The first piece begins with the header.
    mutating func csv(_ piece: [UInt8]) throws -> [UInt8] {
        var text = CSVBuffer(capacity: capacity)
        if !isPastHeader {
            isPastHeader = true
            for (index, name) in header.enumerated() {
                if index > 0 { text.put(UInt8(ascii: ",")) }
                Array(name.utf8).withUnsafeBytes { text.putField($0) }
            }
            text.put(UInt8(ascii: "\n"))
        }
        var rows = rows
        try rows.forEachRow(in: piece) { fields in try add(fields, to: &text) }
        self.rows = rows
        capacity = max(capacity, text.count)
        return text.bytes
    }

    private mutating func add(_ fields: BinaryRows.Fields, to text: inout CSVBuffer) throws {
        if includesRowsWithoutSheet, fields[slotsIndex] == nil {
            try appendSheetColumns(fields, to: &text)
            for _ in sheetColumns.count..<header.count { text.put(UInt8(ascii: ",")) }
            text.put(UInt8(ascii: "\n"))
            return
        }
        let version = try version(of: fields)
        guard let slots = fields[slotsIndex] else { throw BinaryReader.fault }
        try answers.readSlots(slots)
        try answers.readNumbers(fields[slotsIndex + 1])
        var repeated = try repeated(of: fields)[...]
        let lines = layout.versions[version]
        let start = text.count
        var sheetBytes: Range<Int>?
        func addSheetColumns(to text: inout CSVBuffer) throws {
            if let sheetBytes { return text.repeatBytes(sheetBytes) }
            try appendSheetColumns(fields, to: &text)
            sheetBytes = start..<text.count
        }
        for (line, sortKey) in zip(lines.lines, lines.sortKeys) {
            while let row = repeated.first, row.sortKey < sortKey {
                try addSheetColumns(to: &text)
                row.add(to: &text)
                repeated.removeFirst()
            }
            try addSheetColumns(to: &text)
            addCells(line, to: &text)
            text.put(UInt8(ascii: "\n"))
        }
        for row in repeated {
            try addSheetColumns(to: &text)
            row.add(to: &text)
        }
    }

    /// Those answers of a sheet that have no slot, sorted by their keys. A location has one row, without a value.
    private func repeated(of fields: BinaryRows.Fields) throws -> [RepeatedAnswer] {
        guard includesRepeated, let field = fields[slotsIndex + 2] else { return [] }
        let rows = try JSONReader.read(Array(field)).array?.map(RepeatedAnswer.init) ?? [nil]
        return try rows.map { row throws(DatasetFault) in
            guard let row else { throw BinaryReader.fault }
            return row
        }.compactMap(\.withoutLocation).sorted { $0.sortKey < $1.sortKey }
    }

    /// Finds the index of the version to which a sheet belongs.
    private mutating func version(of fields: BinaryRows.Fields) throws(DatasetFault) -> Int {
        func isOf(_ version: CompiledLayout.Version) -> Bool {
            zip(versionIndexes, version.values).allSatisfy { fields[$0]?.elementsEqual($1) ?? false }
        }
        if layout.versions.indices.contains(version), isOf(layout.versions[version]) { return version }
        guard let found = layout.versions.firstIndex(where: isOf) else {
            throw DatasetFault.damaged(["a sheet of a version that the study never published"])
        }
        version = found
        return found
    }

    private func appendSheetColumns(_ fields: BinaryRows.Fields, to text: inout CSVBuffer) throws {
        for (index, format) in sheetColumns.enumerated() {
            if index > 0 { text.put(UInt8(ascii: ",")) }
            guard let field = fields[fieldIndexes[index].first] else { continue }
            switch format {
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
                guard let offset = try fields[fieldIndexes[index].second]?.binaryInteger() else { continue }
                let moment = try field.binaryInteger()
                guard moment != .max, moment != .min else { continue }
                let (moved, isBeyond) = moment.addingReportingOverflow(offset &* 60_000_000)
                guard !isBeyond else { throw BinaryReader.fault }
                text.putMoment(moved)
            }
        }
    }

    private func addCells(_ line: Range<Int>, to text: inout CSVBuffer) {
        for cell in layout.cells[line] {
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

    private func add(_ cell: CompiledLayout.Cell, _ index: Int, to text: inout CSVBuffer) {
        guard index < cell.texts.count else { return }
        let textIndex = cell.texts.lowerBound + index
        layout.bytes.withUnsafeBytes { bytes in
            text.put(
                UnsafeRawBufferPointer(rebasing: bytes[layout.ends[textIndex]..<layout.ends[textIndex + 1]]))
        }
    }
}

extension RepeatedAnswer {
    /// The row without its value if it is the first part of a location; nil if it is another part.
    fileprivate var withoutLocation: RepeatedAnswer? {
        guard type == ItemType.location.storedName else { return self }
        guard option.isEmpty else { return nil }
        var row = self
        row.value = nil
        return row
    }

    /// Appends the cells of its row in `answers`, after the columns of the sheet.
    fileprivate func add(to text: inout CSVBuffer) {
        for cell in [sortKey.item, option.isEmpty ? nil : option, type, value, missing?.code] {
            text.put(UInt8(ascii: ","))
            guard var cell else { continue }
            cell.withUTF8 { text.putField(UnsafeRawBufferPointer($0)) }
        }
        text.put(UInt8(ascii: "\n"))
    }
}
