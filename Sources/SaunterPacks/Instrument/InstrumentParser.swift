import SaunterCore

/// Parses the files of one instrument version into a questionnaire, and collects the faults of all files.
struct InstrumentParser {
    /// The keys of `questionnaire.yaml`.
    static let keys = [
        "code", "version", "languages", "minutes", "copyright", "license", "edit", "optionSets", "item",
        "constraint",
    ]

    let files: PackFiles
    let folder: String
    private(set) var faults: [PackFault] = []
    /// Permitted definitions that are probably mistakes. Empty unless all files could be read.
    private(set) var hints: [PackFault] = []
    /// File -> lines on which something could not be read.
    private var unreadableLines: [String: Set<Int>] = [:]
    /// The table files that the scoring key names.
    private var tableFiles: Set<String> = []
    /// The parts of the definition with the files that contain them; see `PointerLines`.
    private var roots: [(prefix: [String], file: String, node: YAMLNode?)] = []

    init(files: PackFiles, folder: String) {
        self.files = files.folder(folder)
        self.folder = folder
    }

    /// Returns nil if a part could not be read. Also applies the rules of `Questionnaire.faults()` to
    /// everything that could be read.
    mutating func questionnaire(code: String, version: String) -> Questionnaire? {
        let questionnaire = parts(code: code, version: version)
        noteUnknownFiles(questionnaire?.languages)
        guard let questionnaire else { return nil }
        let lines = PointerLines(roots)
        guard !unreadableLines.isEmpty else {
            faults += questionnaire.faults().map(lines.locate)
            hints = questionnaire.hints().map(lines.locate)
            return questionnaire
        }
        let dependentFaults = dependentFaults(lines)
        let isScoringRead = unreadableLines[folder + PackPath.scoring] == nil
        let scoresNeedUnreadableItems =
            !dependentFaults.unreadableNames.isDisjoint(with: questionnaire.scoring?.usedNames ?? [])
        faults += questionnaire.faults().filter { fault in
            if scoresNeedUnreadableItems || !isScoringRead, fault.pointer.hasPrefix("/scoring") {
                return false
            }
            let steps = fault.pointer.split(separator: "/")
            let isOfScales = steps.count > 2 && steps[0] == "text" && ["scales", "bands"].contains(steps[2])
            if isOfScales, !isScoringRead { return false }
            return !dependentFaults.contains(fault)
        }.map(lines.locate)
        return nil
    }

    private func dependentFaults(_ lines: PointerLines) -> DependentFaults {
        let path = folder + PackPath.questionnaire
        let root = roots.first { $0.prefix.isEmpty }?.node
        let sets = root?["optionSets"]?.span
        var dependentFaults = DependentFaults(lines, unreadableLines: unreadableLines)
        dependentFaults.addUnreadableItems(
            in: root?["item"], of: path,
            hasUnreadableSet: unreadableLines[path]?.contains { sets?.contains($0) == true } == true)
        return dependentFaults
    }

    /// The questionnaire from all files. Placeholders represent the items and constraints that could not be read. Nil
    /// if there are no items or no languages.
    private mutating func parts(code: String, version: String) -> Questionnaire? {
        let log = FaultLog(file: folder + PackPath.questionnaire)
        defer { collectFaults(of: log) }
        guard let root = yaml(PackPath.questionnaire, prefix: [], log) else { return nil }
        guard let fields = Fields(root, of: "questionnaire.yaml", keys: Self.keys, log: log) else {
            return nil
        }
        Self.match("code", code, fields)
        Self.match("version", version, fields)
        let languages = Self.languages(fields)
        let sets = fields.optional("optionSets") { OptionParser(log: $1).sets($0) } ?? [:]
        let items = fields.required("item") { ItemParser(log: $1, optionSets: sets).items($0) }
        let edit = fields.optional("edit", Self.edit)
        let constraints =
            fields.optional("constraint") { node, log in
                node.list(log)?.map { Self.constraint($0, log) ?? Self.placeholder($0) }
            } ?? []
        let minutes = fields.optional("minutes") { $0.number($1) }
        let copyright = fields.optional("copyright") { $0.text($1) }
        let license = fields.optional("license") { $0.text($1) }
        let text = texts(languages ?? [], setsOfItem: Self.setsOfItem(root["item"]), sets: sets)
        let scoring = scoring()
        guard let items, let languages else { return nil }
        return Questionnaire(
            code: code, version: version, item: items, text: text, languages: languages,
            edit: edit ?? EditPolicy(),
            scoring: scoring, minutes: minutes ?? 1, copyright: copyright, license: license,
            constraint: constraints)
    }

    private mutating func texts(
        _ languages: [String], setsOfItem: [String: [String]], sets: [String: [ResponseOption]]
    ) -> [String: QuestionnaireText] {
        let values = sets.mapValues { Set($0.map(\.value.text)) }
        var texts: [String: QuestionnaireText] = [:]
        for language in languages {
            let name = "text.\(language).yaml"
            let log = FaultLog(file: folder + name)
            if let root = yaml(name, prefix: ["text", language], log) {
                for (linkId, sets) in setsOfItem where root["options"]?[linkId] == nil {
                    let labels = sets.first.flatMap { root["option_sets"]?[$0] } ?? root
                    roots.append((["text", language, "options", linkId], folder + name, labels))
                }
                texts[language] = TextParser(log: log, setsOfItem: setsOfItem, sets: values).text(root)
            }
            collectFaults(of: log)
        }
        return texts
    }

    /// The scoring key. Nil if the instrument has no `scoring.yaml`, or if the file could not be read.
    private mutating func scoring() -> ScoringKey? {
        guard files[folder + PackPath.scoring] != nil else { return nil }
        let log = FaultLog(file: folder + PackPath.scoring)
        defer { collectFaults(of: log) }
        guard let root = yaml(PackPath.scoring, prefix: ["scoring"], log),
            let (read, references) = ScoringParser(log: log).key(root)
        else { return nil }
        var key = read
        for (index, reference) in references.enumerated() {
            let rows = rows(reference, index, covariates: key.covariates.map(\.id), log)
            key.tables.append(
                LookupTable(
                    id: reference.id, source: reference.source, checksum: reference.checksum, rows: rows))
        }
        return key
    }

    /// The rows of a table file. Its SHA-256 must be the one in the key.
    /// - Parameter index: the index of the table in the key.
    private mutating func rows(
        _ reference: TableReference, _ index: Int, covariates: [String], _ log: FaultLog
    ) -> [LookupTable.Row] {
        let path = folder + reference.file
        tableFiles.insert(reference.file)
        guard let text = files[path] else {
            log.note(reference.line, "there is no file \(reference.file.prefix(60))")
            return []
        }
        let checksum = TableReference.checksum(of: text)
        if checksum != reference.checksum {
            log.note(reference.line, "the SHA-256 of \(reference.file.prefix(60)) is \(checksum)")
        }
        // The columns are named after the key's covariates, so these must be known.
        guard !log.hasUnreadableParts else { return [] }
        let tableLog = FaultLog(file: path)
        defer { collectFaults(of: tableLog) }
        guard let (rows, lines) = TableParser(covariates: covariates, log: tableLog).rows(text) else {
            return []
        }
        let nodes = lines.map {
            YAMLNode(content: .scalar(YAMLScalar(text: "", isPlain: true)), line: $0)
        }
        let prefix = ["scoring", "tables", String(index), "rows"]
        roots.append((prefix, path, YAMLNode(content: .sequence(nodes), line: 1)))
        return rows
    }

    /// Parses a YAML file and remembers it for `PointerLines`. Nil, with a fault, if it is missing or not valid.
    private mutating func yaml(_ name: String, prefix: [String], _ log: FaultLog) -> YAMLNode? {
        guard let text = files[folder + name] else {
            log.note(1, "the file is missing")
            roots.append((prefix, folder + name, nil))
            return nil
        }
        let read = YAMLReader.read(text, log: log)
        let root = name == PackPath.scoring ? read?.expandingItemRanges(log) : read
        roots.append((prefix, folder + name, root))
        return root
    }

    /// Adds the faults and the unreadable lines of a parsed file to those of the pack.
    private mutating func collectFaults(of log: FaultLog) {
        faults += log.faults
        if log.hasUnreadableParts { unreadableLines[log.file, default: []].formUnion(log.unreadableLines) }
    }

    /// Reports unknown files, because an unknown file is usually a misspelt one.
    private mutating func noteUnknownFiles(_ languages: [String]?) {
        guard let languages else { return }
        let known =
            [PackPath.questionnaire, PackPath.scoring, PackPath.vectors, "SOURCE.md"]
            + languages.map { "text.\($0).yaml" } + tableFiles
        for path in files.files.keys.sorted() {
            let name = String(path.dropFirst(folder.count))
            if known.contains(name) || name.hasPrefix(PackPath.media) { continue }
            faults.append(PackFault(file: path, line: 1, message: "this file is not part of an instrument"))
        }
    }
}

extension InstrumentParser {
    /// Parses a version such as 1.0.0.
    static func version(_ node: YAMLNode, _ log: FaultLog) -> String? {
        guard let text = node.scalar?.text, PackPath.isVersion(text) else {
            return node.expected("a version such as 1.0.0", log)
        }
        return text
    }

    /// Parses a list of at least one language, without duplicates.
    static func languages(_ fields: Fields) -> [String]? {
        guard let nodes = fields.required("languages", { $0.list($1) }) else { return nil }
        let languages = nodes.compactMap { node -> String? in
            guard let text = node.scalar?.text, PackPath.isLanguage(text) else {
                return node.expected("a language such as de", fields.log)
            }
            return text
        }
        guard !nodes.isEmpty, Set(languages).count == languages.count else {
            fields.log.note(
                fields.line(of: "languages"),
                "\"languages\" must contain at least one language, without duplicates")
            return nil
        }
        return languages
    }

    /// Checks that a value is equal to the one in the folder's path.
    static func match(_ key: String, _ expected: String, _ fields: Fields) {
        guard let found = fields.required(key, { $0.word($1) }), found != expected else { return }
        fields.log.note(
            fields.line(of: key),
            "the \(key) is \"\(found.prefix(60))\", but the name of the folder is \"\(expected)\""
        )
    }

    /// Parses `{correctWithin: 24h, deleteWithin: always, deletion: purge}`.
    private static func edit(_ node: YAMLNode, _ log: FaultLog) -> EditPolicy? {
        let keys = ["correctWithin", "deleteWithin", "deletion"]
        return Fields(node, of: "edit", keys: keys, log: log).map { fields in
            EditPolicy(
                correctWithin: fields.optional("correctWithin", limit) ?? .never,
                deleteWithin: fields.optional("deleteWithin", limit) ?? .never,
                deletion: fields.optional("deletion") { $0.choice($1) } ?? .keep)
        }
    }

    /// Parses `always`, or a duration such as 24h.
    private static func limit(_ node: YAMLNode, _ log: FaultLog) -> EditLimit? {
        node.scalar?.text == "always"
            ? .always : node.duration(log, or: "always").map { .within(seconds: $0) }
    }

    /// Parses `{key: c1, severity: warning, expression: "…", item: q1}`.
    private static func constraint(_ node: YAMLNode, _ log: FaultLog) -> Constraint? {
        let keys = ["key", "severity", "expression", "item"]
        guard let fields = Fields(node, of: "a constraint", keys: keys, log: log) else { return nil }
        let severity: Constraint.Severity? = fields.optional("severity") { $0.choice($1) }
        let key = fields.required("key") { $0.text($1) }
        guard let expression = fields.required("expression", { $0.text($1) }), let key else { return nil }
        return Constraint(
            key: key, severity: severity ?? .error, expression: expression,
            item: fields.optional("item") { $0.text($1) })
    }

    /// A placeholder for a constraint that could not be read.
    private static func placeholder(_ node: YAMLNode) -> Constraint {
        Constraint(key: Placeholder.name(String(node.line)), severity: .warning, expression: "true")
    }

    /// LinkId -> option sets, for all items that use option sets.
    private static func setsOfItem(_ node: YAMLNode?) -> [String: [String]] {
        guard case .sequence(let items)? = node?.content else { return [:] }
        var sets: [String: [String]] = [:]
        for item in items.prefix(Questionnaire.maximumItems) {
            if let linkId = item["linkId"]?.scalar?.text {
                if let set = item["answerOption"]?["set"]?.scalar?.text { sets[linkId] = [set] }
                if case .mapping(let entries)? = item["answerOption"]?["sets"]?.content {
                    sets[linkId] = entries.prefix(1000).compactMap { $0.value.scalar?.text }
                }
            }
            sets.merge(setsOfItem(item["item"])) { first, _ in first }
        }
        return sets
    }
}
