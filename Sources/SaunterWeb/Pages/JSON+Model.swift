import SaunterCore

extension JSON {
    /// The value in the form that templates read: dictionaries, arrays, texts, numbers and truth values. Nil for null,
    /// and members that are null are absent.
    var model: Any? {
        if let object {
            var values: [String: Any] = [:]
            for member in object { values[member.name] = member.value.model }
            return values
        }
        if let array { return array.compactMap(\.model) }
        if let string { return string }
        if let bool { return bool }
        if let int { return int }
        return double
    }
}
