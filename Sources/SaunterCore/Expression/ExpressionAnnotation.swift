extension Expression {
    /// The expression as its author wrote it, with a text after each name: `mood_week (2.4) < 3`.
    /// - Parameter noteFor: the text for a name; nil for none.
    package func annotated(_ noteFor: (_ name: String) -> String?) -> String {
        var annotated = Array(source.unicodeScalars)
        for (name, position) in root.names.sorted(by: { $0.position > $1.position }) {
            let end = position - 1 + name.unicodeScalars.count
            guard end <= annotated.count, let note = noteFor(name) else { continue }
            annotated.insert(contentsOf: " (\(note))".unicodeScalars, at: end)
        }
        return String(String.UnicodeScalarView(annotated))
    }
}

extension Expression.Term {
    /// Every name in the term with the position of its first character, from 1.
    fileprivate var names: [(name: String, position: Int)] {
        switch form {
        case .literal: []
        case .item(let name): [(name, position)]
        case .call(_, let arguments): arguments.flatMap(\.names)
        case .not(let term), .negative(let term): term.names
        case .binary(_, let left, let right): left.names + right.names
        case .among(let term, let values): term.names + values.flatMap(\.names)
        }
    }
}
