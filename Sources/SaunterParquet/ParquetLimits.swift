/// How much is held before it is written: these bounds, not the number of rows, decide how much memory a
/// writer takes. Together with the rows they decide the bytes of the file.
package struct ParquetLimits: Sendable, Hashable {
    /// Rows of a row group. Few enough that a text which stands in ten rows each still fits the dictionary.
    package var groupRows = 1 << 17
    /// Bytes of the values of a row group, before they are encoded.
    package var groupBytes = 1 << 26
    /// Rows of a page.
    package var pageRows = 20_000
    /// Bytes of a page's values before compression; the value that passes the bound is the last one.
    package var pageBytes = 1 << 20
    /// Bytes of a column's dictionary in one row group. Beyond it, values stand in the pages themselves.
    package var dictionaryBytes = 1 << 21
    /// Bytes of one text. A page holds at most `pageBytes` more, which stays within the format's 31 bits.
    package var valueBytes = 1 << 30

    package init() {}
}
