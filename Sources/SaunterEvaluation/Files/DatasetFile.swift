/// One file of a dataset as it was written.
package struct DatasetFile: Sendable, Hashable {
    /// Relative to the dataset's folder, `/` between the steps.
    package let path: String
    /// Rows below the header; nil for a file that is no table.
    package let rows: Int?
    package let bytes: Int
    /// Lower-case hexadecimal.
    package let sha256: String
}
