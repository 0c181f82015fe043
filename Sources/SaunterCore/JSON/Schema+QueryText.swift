extension Schema {
    /// The JSON value that a text of a query stands for under this schema: `10` is a number where a number is asked for, `a,b` a list where a
    /// list is. A text that is none stays a string, which the schema then refuses.
    package func value(ofQueryText text: String) -> JSON {
        switch shape {
        case .boolean: text == "true" ? true : text == "false" ? false : .string(text)
        case .integer, .number: Self.number(text) ?? .string(text)
        case .array(let element, _, _):
            .array(
                text.split(separator: ",", omittingEmptySubsequences: false)
                    .map { element.value(ofQueryText: String($0)) })
        case .nullable(let inner): inner.value(ofQueryText: text)
        case .named(_, let inner): inner().value(ofQueryText: text)
        case .any, .string, .object, .anyOf: .string(text)
        }
    }

    /// A number as JSON writes it; `0x10`, `nan` and ` 1` are none.
    private static func number(_ text: String) -> JSON? {
        guard text.utf8.count <= 40, case .number(let number)? = try? JSONReader.read(text) else {
            return nil
        }
        return number.literal == text ? .number(number) : nil
    }
}
