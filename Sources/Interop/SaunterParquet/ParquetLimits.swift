/// How much data the writer buffers. These limits determine its memory use, regardless of the number of rows. Together
/// with the rows they determine the bytes of the file.
package struct ParquetLimits: Sendable, Hashable {
    /// Rows per row group. The value is small enough that a text column fits the dictionary if each text occurs about
    /// ten times.
    package var groupRows = 1 << 17
    /// Bytes of values per row group, before encoding.
    package var groupBytes = 1 << 26
    /// Rows per page.
    package var pageRows = 20_000
    /// Bytes of values per page, before compression. The value that exceeds the limit is the last one of the page.
    package var pageBytes = 1 << 20
    /// Bytes of the dictionary of a column in one row group. When the dictionary is full, further values are stored in
    /// the pages.
    package var dictionaryBytes = 1 << 21
    /// Bytes of one text. A page has at most `pageBytes` more, which fits into the 31 bits of the format.
    package var valueBytes = 1 << 30

    /// The default limits.
    package init() {}
}
