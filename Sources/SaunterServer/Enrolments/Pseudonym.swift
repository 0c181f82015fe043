/// A participant's pseudonym in the data: the letter `P` and 80 random bits in base 32. The alphabet omits letters that
/// are easily misread. The first character is a letter, so that no tool parses the pseudonym as a number.
enum Pseudonym {
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")

    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return "P" + String((0..<16).map { _ in alphabet[Int.random(in: 0..<32, using: &generator)] })
    }
}
