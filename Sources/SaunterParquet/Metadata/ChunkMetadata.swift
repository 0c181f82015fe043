/// What the footer says of one column in one row group.
struct ChunkMetadata {
    let column: ParquetColumn
    let codec: PageCodec
    let encodings: [Int32]
    let rows: Int64
    let extent: DataPage.Extent
    let dictionaryOffset: Int64?
    let dataOffset: Int64
    let statistics: ChunkStatistics

    /// `ColumnChunk` with its `ColumnMetaData`.
    func write(to list: inout CompactProtocol) {
        list.element { chunk in
            // The place of a second copy of this, which nobody keeps any more.
            chunk.field(2, Int64(0))
            chunk.structure(3) { about in
                about.field(1, column.type.physical.rawValue)
                about.list(2, of: .int32, count: encodings.count)
                for encoding in encodings { about.element(encoding) }
                about.list(3, of: .binary, count: 1)
                about.element(column.name.utf8)
                about.field(4, codec.rawValue)
                about.field(5, rows)
                about.field(6, extent.uncompressed)
                about.field(7, extent.written)
                about.field(9, dataOffset)
                if let dictionaryOffset { about.field(11, dictionaryOffset) }
                about.structure(12, write(statistics:))
            }
        }
    }

    private func write(statistics structure: inout CompactProtocol) {
        structure.field(3, statistics.nulls)
        guard let bounds = statistics.bounds(of: column.type.physical) else { return }
        structure.field(5, bounds.greatest)
        structure.field(6, bounds.least)
        structure.field(7, true)
        structure.field(8, true)
    }
}
