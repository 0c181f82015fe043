/// Why a file gives no walk. It never holds a value out of the file.
package struct RecordingFault: Error, Hashable, CustomStringConvertible {
    /// For people, in English, such as "line 7: this is not a sound XML file".
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
