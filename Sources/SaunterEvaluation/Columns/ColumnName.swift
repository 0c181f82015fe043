import SaunterCore

/// The rule for column names: `[a-z][a-z0-9_]*`, at most 32 characters. Every statistics package accepts such names.
enum ColumnName {
    static let maximumLength = 32

    static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, (97...122).contains(first), name.utf8.count <= maximumLength else {
            return false
        }
        return name.utf8.allSatisfy {
            (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_")
        }
    }

    /// The wanted name if it is valid and not taken. Otherwise its beginning and at least 4 hexadecimal digits of its
    /// digest. The result does not depend on unrelated columns, so a column keeps its name when other columns are
    /// added.
    static func free(_ wanted: String, taken: Set<String>) -> String {
        if isValid(wanted), !taken.contains(wanted) { return wanted }
        let letters = String(
            decoding: wanted.utf8.map { byte in
                (97...122).contains(byte) || (48...57).contains(byte) ? byte : UInt8(ascii: "_")
            }, as: UTF8.self)
        let beginning = letters.utf8.first.map { (97...122).contains($0) } == true ? letters : "x" + letters
        let digest = JSON.string(wanted).digest
        var name = ""
        for length in 4...digest.utf8.count {
            name =
                "\(beginning.prefix(maximumLength - 1 - length))_\(digest.prefix(length))"
            if !taken.contains(name) || length + 2 >= maximumLength { break }
        }
        return name
    }
}
