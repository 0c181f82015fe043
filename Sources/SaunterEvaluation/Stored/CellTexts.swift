/// The cells of a layout's versions in one piece of memory, so that writing one is a look-up and a copy.
struct CellTexts: Sendable {
    enum Kind: UInt8, Sendable {
        case text, coded, slot, number
    }

    /// A `StoredCell` whose texts stand in `bytes`.
    struct Cell: Sendable {
        let kind: Kind
        let slot: Int
        let number: Int
        let lowest: Int
        /// Its texts by their place in `ends`.
        let texts: Range<Int>
    }

    /// Lines of a version; each begins with a comma and has the cells in between.
    struct Version: Sendable {
        let key: [[UInt8]]
        /// For each line the range of its cells.
        let lines: [Range<Int>]
        /// For each line its place among repeated answers.
        let keys: [AnswerKey]
    }

    private(set) var bytes: [UInt8] = []
    /// Text `n` ends at `ends[n + 1]` and begins where the one before ends.
    private(set) var ends = [0]
    private(set) var cells: [Cell] = []
    private(set) var versions: [Version] = []

    init(_ layout: StoredLayout) {
        for version in layout.versions {
            versions.append(
                Version(
                    key: layout.keyTexts(version).map { Array($0.utf8) },
                    lines: version.lines.map { line in
                        let first = cells.count
                        for cell in line.cells { add(cell) }
                        return first..<cells.count
                    }, keys: version.lines.map(\.key)))
        }
    }

    private mutating func add(_ cell: StoredCell) {
        switch cell {
        case .fixed(let text):
            cells.append(
                Cell(kind: .text, slot: 0, number: 0, lowest: 0, texts: add(text.map { [$0] } ?? [])))
        case .coded(let slot, let lowest, let texts):
            cells.append(Cell(kind: .coded, slot: slot, number: 0, lowest: lowest, texts: add(texts)))
        case .slot(let slot):
            cells.append(Cell(kind: .slot, slot: slot, number: 0, lowest: 0, texts: 0..<0))
        case .number(let number, let slot):
            cells.append(Cell(kind: .number, slot: slot ?? -1, number: number, lowest: 0, texts: 0..<0))
        }
    }

    /// Notes the texts as they stand in CSV.
    private mutating func add(_ texts: [String]) -> Range<Int> {
        let first = ends.count - 1
        for text in texts {
            var field = CSVBuffer(capacity: text.utf8.count + 2)
            var text = text
            text.withUTF8 { field.putField(UnsafeRawBufferPointer($0)) }
            bytes += field.bytes
            ends.append(bytes.count)
        }
        return first..<ends.count - 1
    }
}
