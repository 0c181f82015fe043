/// A `StoredLayout` whose texts are encoded as CSV in one contiguous buffer. Writing a cell is then a look-up and a
/// copy.
struct CompiledLayout: Sendable {
    enum Kind: UInt8, Sendable {
        case text, coded, slot, number
    }

    /// A `StoredCell` whose texts are stored in `bytes`.
    struct Cell: Sendable {
        let kind: Kind
        let slot: Int
        let number: Int
        let lowest: Int
        /// Indexes of its texts in `ends`.
        let texts: Range<Int>
    }

    /// The lines of one version. Each cell is written after a comma.
    struct Version: Sendable {
        /// The values of `StoredLayout.versionColumns`.
        let values: [[UInt8]]
        /// For each line, the range of its cells.
        let lines: [Range<Int>]
        /// For each line, its sort key among repeated answers.
        let sortKeys: [AnswerKey]
    }

    private(set) var bytes: [UInt8] = []
    /// Text `n` begins at `ends[n]` and ends at `ends[n + 1]`.
    private(set) var ends = [0]
    private(set) var cells: [Cell] = []
    private(set) var versions: [Version] = []

    init(_ layout: StoredLayout) {
        for version in layout.versions {
            versions.append(
                Version(
                    values: layout.versionValues(version).map { Array($0.utf8) },
                    lines: version.lines.map { line in
                        let first = cells.count
                        for cell in line.cells { add(cell) }
                        return first..<cells.count
                    }, sortKeys: version.lines.map(\.sortKey)))
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

    /// Encodes texts as CSV fields and appends them.
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
