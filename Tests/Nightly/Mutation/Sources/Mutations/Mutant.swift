/// One small change of a Swift source file that a test is expected to notice.
package struct Mutant: Codable, Equatable, Sendable {
    /// `path#symbol:operator:number`, for example `Sources/Shop/Price.swift#Price.total:boundary:1`. The number counts
    /// the mutants of one operator in one symbol from 1, so an edit of another function does not change the id.
    package let id: String
    /// The path that the caller gave for the file.
    package let path: String
    /// Names of the enclosing declarations, joined by dots; empty at the top level of a file.
    package let symbol: String
    package let `operator`: MutationOperator
    /// Line of the change, counted from 1.
    package let line: Int
    /// Column of the change in UTF-8 bytes, counted from 1.
    package let column: Int
    /// The source text that is replaced.
    package let original: String
    /// The source text instead of it; empty if a statement is removed.
    package let replacement: String
    /// Where `original` begins, in UTF-8 bytes from the start of the file.
    package let offset: Int

    /// The file's text with this change.
    ///
    /// - Parameter source: the text in which the mutant was found.
    /// - Returns: `nil` if the text at `offset` is not `original`.
    package func applied(to source: String) -> String? {
        let bytes = Array(source.utf8)
        let end = offset + original.utf8.count
        guard end <= bytes.count, bytes[offset..<end].elementsEqual(original.utf8) else { return nil }
        return String(decoding: bytes[..<offset] + replacement.utf8 + bytes[end...], as: UTF8.self)
    }

    /// Whether the mutant is inside a declaration of this name.
    ///
    /// - Parameter name: one name (`total`), or several that are joined by dots (`Price.total`).
    package func isInside(_ name: String) -> Bool {
        ".\(symbol).".contains(".\(name).")
    }
}
