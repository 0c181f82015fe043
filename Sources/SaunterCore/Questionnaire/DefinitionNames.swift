/// Names in definitions, URLs and column names: `[a-z][a-z0-9_]*`, at most 24 characters.
enum DefinitionName {
    static let maximumLength = 24
    static let rule = "A name has 1 to 24 characters a-z, 0-9 and _, and begins with a letter."
    static let codeRule = "A code has 1 to 24 characters a-z, 0-9 and _, and does not begin with _."

    static func isValid(_ text: String) -> Bool {
        isCode(text) && text.utf8.first.map { (97...122).contains($0) } ?? false
    }

    /// Whether the text is a code. A code may begin with a digit; otherwise it follows the rules of names.
    static func isCode(_ text: String) -> Bool {
        (1...maximumLength).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: "_")
            && text.utf8.allSatisfy {
                (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "_")
            }
    }
}

/// Versions of definitions: `major.minor.patch`, three numbers of at most nine digits without leading zeros.
enum VersionNumber {
    static let rule = "A version has the form major.minor.patch, such as 1.0.0."

    static func isValid(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                (1...9).contains(part.count) && part.allSatisfy { (48...57).contains($0) }
                    && (part.count == 1 || part.first != UInt8(ascii: "0"))
            }
    }
}

/// Language tags (BCP 47): a language of two or three lower-case letters, then at most three subtags of two to eight
/// letters or digits.
enum LanguageTag {
    static let rule = "A language is a BCP 47 tag, such as de or pt-BR."

    static func isValid(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard let first = parts.first, (2...3).contains(first.count),
            first.allSatisfy({ (97...122).contains($0) })
        else {
            return false
        }
        return parts.count <= 4
            && parts.dropFirst().allSatisfy { part in
                (2...8).contains(part.count)
                    && part.allSatisfy {
                        (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    }
            }
    }
}
