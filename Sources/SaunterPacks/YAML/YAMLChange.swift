import SaunterCore

/// Gives a YAML file other values, and changes as few lines as possible.
enum YAMLChange {
    /// The text of a file with these values. Single values that differ are set in place, so all other lines stay. If a
    /// list has other elements, or a key is gone, the file is written again, and only the comments at its beginning
    /// stay.
    /// - Parameters:
    ///   - old: the text of the file; nil if there is none.
    ///   - file: its path, for faults.
    /// - Throws: the faults of the file, if it cannot be read.
    static func text(_ old: String?, file: String, values: JSON) throws(PackFaults) -> String {
        guard let old, !isBlank(old) else { return try written(values, file: file, head: old ?? "") }
        let before = try YAMLDocument.json(old, name: file)
        if isSame(before, values) { return old }
        if let changes = changes(from: before, to: values, at: []),
            var editor = try? YAMLEditor(old, file: file)
        {
            let isDone = changes.allSatisfy { change in
                (try? editor.set(change.value, at: YAMLEditor.pointer(change.steps))) != nil
            }
            if isDone, let after = try? YAMLDocument.json(editor.text, name: file), isSame(after, values) {
                return editor.text
            }
        }
        return try written(values, file: file, head: head(of: old))
    }

    private static func written(_ values: JSON, file: String, head: String) throws(PackFaults) -> String {
        do {
            return try YAMLBlock.file(values, head: head)
        } catch {
            throw PackFaults([PackFault(file: file, line: error.line, message: error.message)])
        }
    }

    private static func isBlank(_ text: String) -> Bool {
        lines(text).allSatisfy { isBlankOrComment($0) }
    }

    /// The comments and empty lines at the beginning, with LF.
    private static func head(of text: String) -> String {
        lines(text).prefix { isBlankOrComment($0) }.map { "\($0)\n" }.joined()
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    }

    private static func isBlankOrComment(_ line: Substring) -> Bool {
        line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
    }

    /// The single values that differ; nil if more than single values differ.
    private static func changes(
        from old: JSON, to new: JSON, at steps: [String]
    ) -> [(steps: [String], value: JSON)]? {
        switch (old, new) {
        case (.object(let before), .object(let after)):
            let (known, new) = (table(before), table(after))
            guard known.keys.allSatisfy({ new[$0] != nil }) else { return nil }
            var changes: [(steps: [String], value: JSON)] = []
            for member in after {
                let inner = steps + [member.name]
                let found =
                    known[member.name].map { self.changes(from: $0, to: member.value, at: inner) }
                    ?? additions(member.value, at: inner)
                guard let found else { return nil }
                changes += found
            }
            return changes
        case (.array(let before), .array(let after)):
            // Comments belong to an element. If the elements have another order, they would be at the wrong one.
            guard before.count == after.count, zip(before, after).allSatisfy({ name($0) == name($1) }) else {
                return nil
            }
            var changes: [(steps: [String], value: JSON)] = []
            for (index, pair) in zip(before, after).enumerated() {
                guard let found = self.changes(from: pair.0, to: pair.1, at: steps + [String(index)]) else {
                    return nil
                }
                changes += found
            }
            return changes
        case (.array, _), (.object, _), (_, .array), (_, .object): return nil
        default: return isSame(old, new) ? [] : [(steps, new)]
        }
    }

    /// What names an element of a list.
    private static func name(_ element: JSON) -> String? {
        element["code"]?.word ?? element["linkId"]?.word ?? element["id"]?.word
    }

    /// The single values of a new part; nil if it is a list, or if it is empty.
    private static func additions(_ new: JSON, at steps: [String]) -> [(steps: [String], value: JSON)]? {
        switch new {
        case .array: return nil
        case .object(let object):
            guard !object.isEmpty else { return nil }
            var changes: [(steps: [String], value: JSON)] = []
            for member in object {
                guard let found = additions(member.value, at: steps + [member.name]) else { return nil }
                changes += found
            }
            return changes
        default: return [(steps, new)]
        }
    }

    /// Whether two values are the same. The order of keys does not matter.
    static func isSame(_ one: JSON, _ two: JSON) -> Bool {
        switch (one, two) {
        case (.object(let one), .object(let two)): isSame(table(one), table(two))
        case (.array(let one), .array(let two)):
            one.count == two.count && zip(one, two).allSatisfy { isSame($0, $1) }
        case (.number, .number): one == two || one.double == two.double
        default: one == two
        }
    }

    private static func isSame(_ one: [String: JSON], _ two: [String: JSON]) -> Bool {
        one.count == two.count
            && one.allSatisfy { name, value in two[name].map { isSame(value, $0) } ?? false }
    }

    /// A file can have very many keys, so they are not searched one after another.
    private static func table(_ object: JSONObject) -> [String: JSON] {
        Dictionary(object.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }
}
