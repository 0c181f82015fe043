/// Converts strings to C strings for libpq.
enum CStrings {
    /// Calls `body` with a null-terminated array of C strings. The array is valid only during the call. The caller must
    /// have called `check` for each string.
    static func withPointers<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        var block: [CChar] = []
        var offsets: [Int] = []
        for string in strings {
            offsets.append(block.count)
            block.append(contentsOf: string.utf8CString)
        }
        return unsafe block.withUnsafeBufferPointer { buffer in
            let pointers = unsafe offsets.map { offset in
                unsafe buffer.baseAddress?.advanced(by: offset)
            }
            return unsafe body(pointers + [nil])
        }
    }

    /// Throws if the text contains U+0000, because a C string would end there.
    static func check(_ text: String, _ what: String) throws(DatabaseError) {
        if text.utf8.contains(0) {
            throw DatabaseError(.encoding(parameter: nil, reason: "\(what) contains U+0000"))
        }
    }
}
