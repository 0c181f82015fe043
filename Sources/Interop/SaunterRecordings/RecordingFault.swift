/// Why no walk can be read from a file. The text never contains a value of the file.
package struct RecordingFault: Error, Hashable, CustomStringConvertible {
    /// A sentence in English, such as "line 7: this is not a valid XML file".
    package let description: String

    /// - Parameter description: a sentence in English, without values of the file.
    package init(_ description: String) {
        self.description = description
    }
}
