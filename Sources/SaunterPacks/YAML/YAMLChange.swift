import SaunterCore
import Yams

/// Gives a YAML file other values, and changes as few lines as possible. An error of a step that changes lines in place
/// only means that the layout does not permit it (`try?`). Then the whole file is written, which throws the faults of
/// values that YAML cannot store.
enum YAMLChange {
    /// The text of a file with these values. Single values that differ are set in place, so all other lines stay. The
    /// elements of a list are moved, added and removed with their comments if `code`, `linkId` or `id` names each of
    /// them, or if they are single values. If the layout does not permit that, the file is written again, and only the
    /// comments at its beginning stay.
    /// - Parameters:
    ///   - old: the text of the file; nil if there is none.
    ///   - file: its path, for faults.
    /// - Throws: the faults of the file, if it cannot be read.
    static func text(_ old: String?, file: String, values: JSON) throws(PackFaults) -> String {
        guard let old, !isBlank(old) else { return try written(values, file: file, head: old ?? "") }
        let before = try YAMLDocument.json(old, name: file)
        if isSame(before, values) { return old }
        if let (text, before) = arranged(old, before, to: values, file),
            let changes = changes(from: before, to: values, at: []),
            var editor = try? YAMLEditor(text, file: file)
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
            guard isInPlace(before, after) else { return nil }
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

    // MARK: - Lists with other elements, and mappings without some keys

    /// The deepest list in a list that is arranged.
    private static let maximumDepth = 8

    /// A list or mapping, and its parts after the change.
    private typealias Arrangement = (steps: [String], parts: [YAMLParts.Part])

    /// The text with the lists in the new order and without removed keys, and its values. Lists in an element are
    /// arranged after the list of the element. Nil if that is not possible.
    private static func arranged(
        _ text: String, _ before: JSON, to values: JSON, _ file: String
    ) -> (text: String, values: JSON)? {
        var (text, now) = (text, before)
        for _ in 0..<maximumDepth {
            guard let found = arrangements(from: now, to: values, at: []) else { return nil }
            if found.isEmpty { return (text, now) }
            let source = YAMLSource(text)
            guard let root = try? Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot() else {
                return nil
            }
            var replacements: [YAMLSource.Replacement] = []
            for (steps, parts) in found {
                guard let layout = YAMLParts.node(at: steps, in: root).flatMap({ YAMLParts($0, in: source) }),
                    let replacement = layout.replacement(by: parts)
                else { return nil }
                replacements.append(replacement)
            }
            replacements.sort { $0.range.lowerBound < $1.range.lowerBound }
            let isSeparate = zip(replacements, replacements.dropFirst()).allSatisfy {
                $0.range.upperBound <= $1.range.lowerBound
            }
            guard isSeparate else { return nil }
            text = source.replacing(replacements)
            guard let read = try? YAMLDocument.json(text, name: file) else { return nil }
            now = read
        }
        return nil
    }

    /// The outermost parts to arrange; nil if elements have no names, or if two have the same one.
    private static func arrangements(
        from old: JSON, to new: JSON, at steps: [String]
    ) -> [Arrangement]? {
        var found: [Arrangement] = []
        switch (old, new) {
        case (.object(let before), .object(let after)):
            let (known, new) = (table(before), table(after))
            let kept = before.enumerated().filter { new[$0.element.name] != nil }.map(\.offset)
            guard kept.count == known.count else { return [(steps, kept.map { .kept($0) })] }
            for member in after {
                guard let old = known[member.name] else { continue }
                guard let inner = arrangements(from: old, to: member.value, at: steps + [member.name]) else {
                    return nil
                }
                found += inner
            }
        case (.array(let before), .array(let after)) where isInPlace(before, after):
            for (index, pair) in zip(before, after).enumerated() {
                guard let inner = arrangements(from: pair.0, to: pair.1, at: steps + [String(index)]) else {
                    return nil
                }
                found += inner
            }
        case (.array(let before), .array(let after)):
            let (old, new) = (before.compactMap(name), after.compactMap(name))
            let indexes = Dictionary(zip(old, old.indices), uniquingKeysWith: { first, _ in first })
            // A new list is written in block style.
            guard indexes.count == before.count, Set(new).count == after.count, !before.isEmpty else {
                return nil
            }
            var parts: [YAMLParts.Part] = []
            for (name, element) in zip(new, after) {
                if let index = indexes[name] {
                    parts.append(.kept(index))
                } else {
                    guard let element = try? YAMLBlock.element(element) else { return nil }
                    parts.append(.new(element))
                }
            }
            found.append((steps, parts))
        default: break
        }
        return found
    }

    /// Whether each element stays at its place. Comments belong to an element, so they move with it.
    private static func isInPlace(_ before: [JSON], _ after: [JSON]) -> Bool {
        let (old, new) = (before.map(name), after.map(name))
        if old == new { return before.count == after.count }
        let isSingle = (before + after).allSatisfy { $0.word != nil }
        return before.count == after.count && isSingle && Set(old) != Set(new)
    }

    /// What names an element of a list.
    private static func name(_ element: JSON) -> String? {
        element["code"]?.word ?? element["linkId"]?.word ?? element["id"]?.word ?? element.word
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
