/// Why a value or a file cannot be written. The writer is unchanged after it rejected a value.
package enum ParquetFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The file has no columns.
    case noColumns
    /// Two columns have the same name.
    case columnTwice(String)
    /// The value does not have the type of the column.
    case wrongType(column: String)
    /// A required column got a null.
    case nullInRequired(column: String)
    /// A text is not valid UTF-8.
    case notUTF8(column: String)
    /// A text is longer than `ParquetLimits.valueBytes`.
    case valueTooLong(column: String, bytes: Int, limit: Int)
    /// A row has fewer or more values than there are columns.
    case rowOfWrongLength(columns: Int)
    /// A number, such as the size of a page in bytes, does not fit into the 31 bits that the format provides.
    case tooLarge(String, Int)
    /// zlib cannot compress a page, because there is no memory.
    case notCompressed
    /// The file is finished, or its sink threw an error earlier.
    case closed

    /// A sentence in English, without the value.
    package var description: String {
        switch self {
        case .noColumns: "a Parquet file needs a column"
        case .columnTwice(let name): "two columns are called \(name)"
        case .wrongType(let column): "the value is not of the type of column \(column)"
        case .nullInRequired(let column): "column \(column) needs a value"
        case .notUTF8(let column): "a text of column \(column) is not UTF-8"
        case .valueTooLong(let column, let bytes, let limit):
            "a text of column \(column) has \(bytes) bytes; the maximum is \(limit)"
        case .rowOfWrongLength(let columns): "a row needs \(columns) values"
        case .tooLarge(let what, let number): "\(what) is \(number), more than the format can express"
        case .notCompressed: "zlib has no memory to compress a page"
        case .closed: "the Parquet file is finished or has failed"
        }
    }

    /// A size or a count in the 31 bits of the format.
    /// - Parameter what: what the number is, with its unit, for the message.
    /// - Throws: `tooLarge`.
    static func checked(_ number: Int, _ what: String) throws(ParquetFault) -> Int32 {
        guard let checked = Int32(exactly: number), checked >= 0 else { throw .tooLarge(what, number) }
        return checked
    }
}
