extension JSONObject {
    /// Adds a member unless its value is nil: absent, not null, is how optional members are written.
    mutating func add(_ name: String, _ value: JSON?) {
        if let value { self[name] = value }
    }

    /// Members in the order of their names' bytes, so that a dictionary always gives one text.
    init<Value>(sorting dictionary: [String: Value], _ write: (Value) -> JSON) {
        self.init(
            dictionary.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
                .map { Member(name: $0.key, value: write($0.value)) })
    }
}
