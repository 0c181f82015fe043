/// The metadata of one column in one row group, for the footer.
struct ChunkMetadata {
    let column: ParquetColumn
    let codec: PageCodec
    let encodings: [Int32]
    let rows: Int64
    let sizes: PageWriter.Sizes
    let dictionaryOffset: Int64?
    let dataOffset: Int64
    let statistics: ChunkStatistics

    /// `ColumnChunk` with its `ColumnMetaData`.
    func write(to list: inout CompactProtocol) {
        list.element { chunk in
            // `file_offset` is required but deprecated; writers store 0.
            chunk.field(2, Int64(0))
            chunk.structure(3) { metadata in
                metadata.field(1, column.type.physical.rawValue)
                metadata.list(2, of: .int32, count: encodings.count)
                for encoding in encodings { metadata.element(encoding) }
                metadata.list(3, of: .binary, count: 1)
                metadata.element(column.name.utf8)
                metadata.field(4, codec.rawValue)
                metadata.field(5, rows)
                metadata.field(6, sizes.uncompressed)
                metadata.field(7, sizes.compressed)
                metadata.field(9, dataOffset)
                if let dictionaryOffset { metadata.field(11, dictionaryOffset) }
                metadata.structure(12, write(statistics:))
            }
        }
    }

    private func write(statistics structure: inout CompactProtocol) {
        structure.field(3, statistics.nulls)
        guard let bounds = statistics.bounds(of: column.type.physical) else { return }
        structure.field(5, bounds.largest)
        structure.field(6, bounds.smallest)
        structure.field(7, true)
        structure.field(8, true)
    }
}
