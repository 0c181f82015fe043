/// `FileMetaData`, the footer: schema, row groups, and the metadata of the caller.
struct FileFooter {
    /// The size of the footer in messages.
    private static let sizeName = "the size of the footer in bytes"

    let columns: [ParquetColumn]
    let metadata: [(key: String, value: String)]
    private var rows: Int64 = 0
    private var groupCount = 0
    /// The encoded row groups so far.
    private var groups = CompactProtocol()

    init(columns: [ParquetColumn], metadata: [(key: String, value: String)]) {
        self.columns = columns
        self.metadata = metadata
    }

    /// Adds a row group.
    mutating func add(_ chunks: [ChunkMetadata], rows: Int64, offset: Int64) throws(ParquetFault) {
        groups.element { group in
            group.list(1, of: .structure, count: chunks.count)
            for chunk in chunks { chunk.write(to: &group) }
            group.field(2, chunks.reduce(0) { $0 + $1.sizes.uncompressed })
            group.field(3, rows)
            group.field(5, offset)
            group.field(6, chunks.reduce(0) { $0 + $1.sizes.compressed })
        }
        _ = try ParquetFault.checked(groups.bytes.count, Self.sizeName)
        groupCount += 1
        self.rows += rows
    }

    /// The footer, its length, and the magic bytes at the end of the file.
    func bytes() throws(ParquetFault) -> [UInt8] {
        var footer = CompactProtocol()
        footer.element { file in
            file.field(1, Int32(2))
            file.list(2, of: .structure, count: columns.count + 1)
            file.element { root in
                root.field(4, "schema")
                root.field(5, Int32(columns.count))
            }
            for column in columns { column.write(to: &file) }
            file.field(3, rows)
            file.list(4, of: .structure, count: groupCount)
            file.elements(written: groups.bytes)
            if !metadata.isEmpty {
                file.list(5, of: .structure, count: metadata.count)
                for (key, value) in metadata {
                    file.element { pair in
                        pair.field(1, key)
                        pair.field(2, value)
                    }
                }
            }
            file.field(6, "Saunter")
            // Every column has the order of its type. Readers ignore the statistics without this entry.
            file.list(7, of: .structure, count: columns.count)
            for _ in columns { file.element { $0.structure(1) } }
        }
        let size = try ParquetFault.checked(footer.bytes.count, Self.sizeName)
        var bytes = footer.bytes
        bytes.appendLittleEndian(size)
        return bytes + Array("PAR1".utf8)
    }
}
