/// Why a Parquet file cannot hold what it was given. A value that is refused leaves the writer as it was.
package enum ParquetFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// A file needs a column, and no two of one name.
    case noColumns
    case columnTwice(String)
    case wrongType(column: String)
    case nullInRequired(column: String)
    case notUTF8(column: String)
    case valueTooLong(column: String, bytes: Int, limit: Int)
    /// A row ended with fewer values than there are columns, or went on with more.
    case rowOfWrongLength(columns: Int)
    /// Something is larger than the 31 bits that the format has for its size.
    case tooLarge(String, bytes: Int)
    /// A page could not be compressed: no memory.
    case notCompressed
    /// The file is finished, or its sink failed before.
    case closed

    package var description: String {
        switch self {
        case .noColumns: "a Parquet file needs a column"
        case .columnTwice(let name): "two columns are called \(name)"
        case .wrongType(let column): "the value is not of the type of column \(column)"
        case .nullInRequired(let column): "column \(column) needs a value"
        case .notUTF8(let column): "a text of column \(column) is not UTF-8"
        case .valueTooLong(let column, let bytes, let limit):
            "a text of column \(column) has \(bytes) bytes; \(limit) is the most"
        case .rowOfWrongLength(let columns): "a row needs \(columns) values"
        case .tooLarge(let what, let bytes): "\(what) has \(bytes) bytes, more than the format can tell"
        case .notCompressed: "zlib has no memory to compress a page"
        case .closed: "the Parquet file is finished or has failed"
        }
    }

    /// A size as the format writes it, in 31 bits.
    static func size(_ bytes: Int, of what: String) throws(ParquetFault) -> Int32 {
        guard let size = Int32(exactly: bytes), size >= 0 else { throw .tooLarge(what, bytes: bytes) }
        return size
    }
}
