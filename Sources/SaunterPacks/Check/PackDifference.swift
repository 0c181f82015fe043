import SaunterCore

/// The difference between two states of a study's files, for people: what changed in items, words, schedules, scoring,
/// rules, library and study, and the changed lines of each file.
///
/// The YAML files are compared by their content, so a changed comment or order of keys is only a changed line. Elements
/// of lists are compared by their name (`id`, `linkId`, `code` …).
package struct PackDifference: Sendable, Hashable {
    /// The part of a study.
    package enum Kind: String, Sendable, CaseIterable {
        case item, text, schedule, scoring, rule, library, study
    }

    /// What happened to a value or to a file.
    package enum What: String, Sendable, CaseIterable {
        case added, removed, changed
    }

    /// One change.
    package struct Change: Sendable, Hashable {
        /// Where the change is, such as `day_mood › mood › text (en)`.
        package var place: String
        /// What happened to the value.
        package var what: What
        /// The value before; nil if there was none, or if it is a complete file.
        package var before: String?
        /// The value after; nil if there is none, or if it is a complete file.
        package var after: String?
    }

    /// The changes of one kind.
    package struct Group: Sendable, Hashable {
        /// The part of the study.
        package var kind: Kind
        /// In the order of the files.
        package var changes: [Change]
        /// The number of further changes, which are not listed.
        package var leftOut: Int
    }

    /// One changed file.
    package struct File: Sendable, Hashable {
        /// The path; the former one if the file was removed.
        package var path: String
        /// The path before, if the file belongs to another version of an instrument now.
        package var pathBefore: String?
        /// What happened to the file.
        package var what: What
        /// The lines; none for a media file.
        package var lines: TextDifference
    }

    /// The largest number of changes that are listed of each kind.
    static let maximumChanges = 500
    /// The largest number of characters of a value.
    static let maximumCharacters = 1000
    /// The largest number of lines of all files together. After it, files are listed without lines.
    static let maximumLines = 20_000

    /// The kinds with changes, in the order of `Kind`.
    package let groups: [Group]
    /// The changed files, sorted by path.
    package let files: [File]

    /// Whether both states have the same files.
    package var isEmpty: Bool { files.isEmpty }

    /// Compares two states. The files can have faults.
    /// - Parameters:
    ///   - before: empty for a new study.
    ///   - code: the code of the study.
    package init(from before: PackFiles, to after: PackFiles, study code: String) {
        let pairs = FilePairs(before, after, study: code)
        let journeys = JourneyTitles(before, after, study: code)
        var collected: [Kind: [Change]] = [:]
        var files: [File] = []
        var limits = TextDifference.Limits()
        var remaining = Self.maximumLines
        for pair in pairs.changed {
            limits.lines = min(limits.lines, remaining)
            // A search for the shortest list would be of no use without lines.
            if remaining == 0 { (limits.changes, limits.comparisons) = (0, 0) }
            let file = pair.file(limits)
            remaining -= file.lines.lines.count
            files.append(file)
            for (kind, change) in pair.changes(journeys) { collected[kind, default: []].append(change) }
        }
        groups = Kind.allCases.compactMap { kind in
            guard let changes = collected[kind], !changes.isEmpty else { return nil }
            return Group(
                kind: kind, changes: Array(changes.prefix(Self.maximumChanges)),
                leftOut: max(0, changes.count - Self.maximumChanges))
        }
        self.files = files.sorted { $0.path < $1.path }
    }
}

/// The files of both states that belong together.
private struct FilePairs {
    /// The pairs that differ, sorted by path.
    let changed: [FilePair]

    init(_ before: PackFiles, _ after: PackFiles, study code: String) {
        let (old, new) = (Self.folders(before, code), Self.folders(after, code))
        // Instrument -> its version on both sides, if each side has exactly one that the other side does not have.
        var successors: [String: String] = [:]
        for (instrument, versions) in new {
            let added = versions.subtracting(old[instrument] ?? [])
            let removed = (old[instrument] ?? []).subtracting(versions)
            if added.count == 1, removed.count == 1 {
                successors["instruments/\(instrument)/\(removed.first ?? "")/"] =
                    "instruments/\(instrument)/\(added.first ?? "")/"
            }
        }
        var pairs: [String: FilePair] = [:]
        for (path, text) in before.files {
            let folder = path.split(separator: "/").prefix(3).joined(separator: "/") + "/"
            let newPath = successors[folder].map { $0 + path.dropFirst(folder.count) } ?? path
            if after[newPath] == nil {
                pairs[path] = FilePair(study: code, path: path, before: (path, text), after: nil)
            } else {
                pairs[newPath] = FilePair(
                    study: code, path: newPath, before: (path, text), after: after[newPath])
            }
        }
        for (path, text) in after.files where pairs[path] == nil {
            pairs[path] = FilePair(study: code, path: path, before: nil, after: text)
        }
        changed = pairs.values.filter(\.isChanged).sorted { $0.path < $1.path }
    }

    /// The code of each instrument with its versions. The versions that `study.yaml` names; all of them if it names
    /// none.
    private static func folders(_ files: PackFiles, _ code: String) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        let named = StudyReferences.folders(of: code, in: files)
        let present =
            named.isEmpty
            ? files.files.keys.filter { $0.hasPrefix("instruments/") } : named
        for path in present {
            let parts = path.split(separator: "/")
            guard parts.count >= 3 else { continue }
            found[String(parts[1]), default: []].insert(String(parts[2]))
        }
        return found
    }
}

/// A file in both states.
private struct FilePair {
    let study: String
    let path: String
    let before: (path: String, text: String)?
    let after: String?

    var isChanged: Bool { before?.text != after || before.map { $0.path != path } ?? false }

    private var what: PackDifference.What { before == nil ? .added : after == nil ? .removed : .changed }

    func file(_ limits: TextDifference.Limits) -> PackDifference.File {
        let isMedia = [before?.text, after].contains { $0.map(Self.isMedia) ?? false }
        return PackDifference.File(
            path: path, pathBefore: before.flatMap { $0.path == path ? nil : $0.path }, what: what,
            lines: isMedia
                ? TextDifference(from: "", to: "")
                : TextDifference(from: before?.text ?? "", to: after ?? "", limits: limits))
    }

    /// Whether the text represents bytes: in base 64, or as a reference in a published edition.
    private static func isMedia(_ text: String) -> Bool {
        text.hasPrefix("data:;base64,") || text.hasPrefix("sha256:")
    }

    /// The changes of the content.
    func changes(_ journeys: JourneyTitles) -> [(PackDifference.Kind, PackDifference.Change)] {
        let role = FileRole(path, study: study)
        // A first or last journey is a change of the list, not of the file.
        let none = journeys.emptyText(of: path)
        guard path.hasSuffix(".yaml"), let old = before?.text ?? none, let new = after ?? none, old != new,
            let oldRoot = YAMLReader.read(old, log: FaultLog(file: path)),
            let newRoot = YAMLReader.read(new, log: FaultLog(file: path))
        else {
            guard before?.text != after else { return [] }
            return [(role.kind, PackDifference.Change(place: role.place([]), what: what))]
        }
        var comparison = YAMLComparison()
        comparison.compare(oldRoot, newRoot, [])
        return comparison.changes.map { change in
            let isOrder = none != nil && change.path == ["programmes", "order"]
            return (
                role.kind,
                PackDifference.Change(
                    place: journeys.place(change.path, in: path) ?? role.place(change.path),
                    what: change.what,
                    before: isOrder ? change.before.map(journeys.named) : change.before,
                    after: isOrder ? change.after.map(journeys.named) : change.after)
            )
        }
    }
}

/// What a file contains, by its path.
private struct FileRole {
    let kind: PackDifference.Kind
    /// The first part of places in the file; nil for the files of the study itself.
    private let owner: String?
    /// The language of the texts; nil for other files.
    private let language: String?
    /// Keys that places leave out, because the kind says the same.
    private let silent: Set<String>
    /// Whether a text directly below an item is called `text`.
    private let namesTexts: Bool
    /// The name of the file.
    private let name: String

    init(_ path: String, study code: String) {
        let parts = path.split(separator: "/").map(String.init)
        let name = parts.last ?? ""
        let words = name.split(separator: ".").map(String.init)
        let isInstrument = parts.first == "instruments" && parts.count > 3
        let isText = words.count == 3 && ["text", "course", "consent"].contains(words[0])
        language = isText ? words[1] : nil
        if isInstrument {
            kind =
                isText
                ? .text
                : [PackPath.scoring, PackPath.vectors].contains(name) ? .scoring : .item
            let detail =
                isText || [PackPath.questionnaire, PackPath.scoring].contains(name) ? "" : " › \(name)"
            owner = parts[1] + detail
            silent = ["item", "items", "scales"]
        } else {
            let own = path.hasPrefix("studies/\(code)/") ? String(path.dropFirst(9 + code.count)) : path
            switch own {
            case PackPath.study: (kind, owner) = (.study, nil)
            case PackPath.schedule: (kind, owner) = (.schedule, nil)
            case PackPath.variables, PackPath.rules: (kind, owner) = (.rule, nil)
            default:
                if own.hasPrefix(PackPath.library) {
                    kind = .library
                    let collection = own.dropFirst(PackPath.library.count)
                    owner =
                        collection.hasSuffix(".yaml") ? String(collection.dropLast(5)) : String(collection)
                } else {
                    kind = isText ? .text : .study
                    owner = isText ? (words[0] == "text" ? nil : words[0]) : own
                }
            }
            silent = kind == .library ? ["items"] : ["schedules", "variables", "rules"]
        }
        namesTexts = isInstrument && isText
        self.name = name
    }

    /// The place of a part of the file.
    func place(_ path: [String]) -> String {
        var parts = path
        let isItemText = namesTexts && parts.count == 2 && parts[0] == "items"
        if let first = parts.first, silent.contains(first), parts.count > 1 { parts.removeFirst() }
        if isItemText { parts.append("text") }
        var place = ([owner].compactMap { $0 } + parts).joined(separator: " › ")
        if place.isEmpty { place = language == nil ? name : "text" }
        return language.map { "\(place) (\($0))" } ?? place
    }
}

/// Compares two YAML values by content.
private struct YAMLComparison {
    struct Change {
        var path: [String]
        var what: PackDifference.What
        var before: String?
        var after: String?
    }

    /// The keys that name an element of a list.
    private static let names = ["linkId", "id", "code", "value", "name"]

    private(set) var changes: [Change] = []

    mutating func compare(_ old: YAMLNode?, _ new: YAMLNode?, _ path: [String]) {
        switch (old, new) {
        case (nil, nil): return
        case (nil, let new?): add(path, .added, nil, new)
        case (let old?, nil): add(path, .removed, old, nil)
        case (let old?, let new?): compare(old, new, path)
        }
    }

    private mutating func compare(_ old: YAMLNode, _ new: YAMLNode, _ path: [String]) {
        switch (old.content, new.content) {
        case (.mapping(let oldEntries), .mapping(let newEntries)):
            compare(
                oldEntries.map { ($0.key, $0.value) }, newEntries.map { ($0.key, $0.value) }, path)
        case (.sequence(let oldElements), .sequence(let newElements)):
            if let oldNamed = Self.named(oldElements), let newNamed = Self.named(newElements) {
                compare(oldNamed, newNamed, path)
                compareOrder(oldNamed.map(\.0), newNamed.map(\.0), path)
            } else if oldElements.count == newElements.count,
                !(oldElements + newElements).allSatisfy({ $0.scalar != nil })
            {
                for (index, pair) in zip(oldElements, newElements).enumerated() {
                    compare(pair.0, pair.1, path + [String(index + 1)])
                }
            } else if !Self.isSame(old, new) {
                add(path, .changed, old, new)
            }
        case (.scalar(let oldScalar), .scalar(let newScalar)):
            if !Self.isSame(oldScalar, newScalar) { add(path, .changed, old, new) }
        default: add(path, .changed, old, new)
        }
    }

    /// Compares values by name: first those of the new list in its order, then removed ones.
    private mutating func compare(
        _ old: [(String, YAMLNode)], _ new: [(String, YAMLNode)], _ path: [String]
    ) {
        let before = Dictionary(old, uniquingKeysWith: { first, _ in first })
        let after = Dictionary(new, uniquingKeysWith: { first, _ in first })
        for (name, node) in new { compare(before[name], node, path + [name]) }
        for (name, node) in old where after[name] == nil { compare(node, nil, path + [name]) }
    }

    /// The order of a list matters, for example that of questions.
    private mutating func compareOrder(_ old: [String], _ new: [String], _ path: [String]) {
        let (before, after) = (Set(old), Set(new))
        let (kept, present) = (old.filter(after.contains), new.filter(before.contains))
        guard kept != present else { return }
        changes.append(
            Change(
                path: path + ["order"], what: .changed, before: Self.shortened(kept.joined(separator: ", ")),
                after: Self.shortened(present.joined(separator: ", "))))
    }

    private mutating func add(
        _ path: [String], _ what: PackDifference.What, _ old: YAMLNode?, _ new: YAMLNode?
    ) {
        changes.append(
            Change(path: path, what: what, before: old.map(Self.text), after: new.map(Self.text)))
    }

    /// The elements with their names; nil if an element has none, or if two have the same.
    private static func named(_ elements: [YAMLNode]) -> [(String, YAMLNode)]? {
        for key in names {
            let found = elements.compactMap { $0[key]?.scalar?.text }
            if found.count == elements.count, Set(found).count == found.count {
                return Array(zip(found, elements))
            }
        }
        return nil
    }

    private static func isSame(_ old: YAMLScalar, _ new: YAMLScalar) -> Bool {
        old.text == new.text && old.kind == new.kind
    }

    private static func isSame(_ old: YAMLNode, _ new: YAMLNode) -> Bool {
        switch (old.content, new.content) {
        case (.scalar(let left), .scalar(let right)): isSame(left, right)
        case (.sequence(let left), .sequence(let right)):
            left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        case (.mapping(let left), .mapping(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { $0.key == $1.key && isSame($0.value, $1.value) }
        default: false
        }
    }

    /// The value in one line, as in a flow of YAML without quotes. It ends with `…` if it was shortened.
    private static func text(_ node: YAMLNode) -> String {
        var text = ""
        write(node, isTop: true, &text)
        return shortened(text)
    }

    private static func write(_ node: YAMLNode, isTop: Bool, _ text: inout String) {
        guard text.utf8.count <= 4 * PackDifference.maximumCharacters else { return }
        func list(_ count: Int, _ signs: (String, String), _ element: (Int, inout String) -> Void) {
            if !isTop { text += signs.0 }
            for index in 0..<count where text.utf8.count <= 4 * PackDifference.maximumCharacters {
                if index > 0 { text += ", " }
                element(index, &text)
            }
            if !isTop { text += signs.1 }
        }
        switch node.content {
        case .scalar(let scalar): text += scalar.text
        case .sequence(let elements):
            list(elements.count, ("[", "]")) { write(elements[$0], isTop: false, &$1) }
        case .mapping(let entries):
            list(entries.count, ("{", "}")) {
                $1 += "\(entries[$0].key): "
                write(entries[$0].value, isTop: false, &$1)
            }
        }
    }

    private static func shortened(_ text: String) -> String {
        text.count > PackDifference.maximumCharacters
            ? "\(text.prefix(PackDifference.maximumCharacters))…" : text
    }
}
