/// The names of placeholders. A placeholder takes the position of a part that could not be read, so that the positions
/// of the other parts stay the same and the check can continue.
enum Placeholder {
    /// YAML texts cannot contain this control character, so no name of a definition begins with it.
    private static let prefix = "\u{1}"

    /// A name for a placeholder.
    /// - Parameter text: distinguishes the placeholders of one definition.
    static func name(_ text: String) -> String { prefix + text }

    /// Whether this is the name of a placeholder.
    static func isName(_ name: String) -> Bool { name.hasPrefix(prefix) }
}
