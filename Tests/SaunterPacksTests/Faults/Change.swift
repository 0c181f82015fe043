import Testing

/// A replacement of one passage in a file of a pack.
struct Change: Sendable, CustomTestStringConvertible {
    let file: String
    let passage: String
    let other: String

    init(_ file: String, _ passage: String, _ other: String) {
        (self.file, self.passage, self.other) = (file, passage, other)
    }

    var testDescription: String { "\(file): \(other.prefix(40))" }
}
