/// C strings for libpq's functions that take nothing else.
enum CStrings {
    /// Calls with a null-terminated list of the strings, valid during the call. The caller has refused
    /// U+0000.
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

    /// Refuses what a C string would cut.
    static func check(_ text: String, _ what: String) throws(DatabaseError) {
        if text.utf8.contains(0) {
            throw DatabaseError(.encoding(parameter: nil, reason: "\(what) contains U+0000"))
        }
    }
}
