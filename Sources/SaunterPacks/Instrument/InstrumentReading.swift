import SaunterCore

/// Reads the files of one instrument's version into a questionnaire, gathering the faults of all of them.
struct InstrumentReading {
    static let keys = [
        "code", "version", "languages", "minutes", "copyright", "license", "edit", "optionSets", "item",
        "constraint",
    ]

    let files: PackFiles
    let folder: String
    private(set) var faults: [PackFault] = []
    /// What is allowed, and yet most likely a slip; of a questionnaire that could be read in full.
    private(set) var hints: [PackFault] = []
    /// File -> lines on which something could not be read.
    private var holes: [String: Set<Int>] = [:]
    private var tableFiles: Set<String> = []
    private var roots: [(prefix: [String], file: String, node: YAMLNode?)] = []

    init(files: PackFiles, folder: String) {
        self.files = files.folder(folder)
        self.folder = folder
    }

    /// Nil when a part is missing. The rules of `Questionnaire.faults()` are asked as well, of what could be read.
    mutating func questionnaire(code: String, version: String) -> Questionnaire? {
        let questionnaire = parts(code: code, version: version)
        noteStrangers(questionnaire?.languages)
        guard let questionnaire else { return nil }
        let lines = PointerLines(roots)
        guard !holes.isEmpty else {
            faults += questionnaire.faults().map(lines.place)
            hints = questionnaire.hints().map(lines.place)
            return questionnaire
        }
        let consequences = consequences(lines)
        let isScoringRead = holes[folder + PackPath.scoring] == nil
        let scores = !consequences.brokenNames.isDisjoint(with: questionnaire.scoring?.neededItems ?? [])
        faults += questionnaire.faults().filter { fault in
            if scores || !isScoringRead, fault.pointer.hasPrefix("/scoring") { return false }
            let steps = fault.pointer.split(separator: "/")
            let isOfScales = steps.count > 2 && steps[0] == "text" && ["scales", "bands"].contains(steps[2])
            if isOfScales, !isScoringRead { return false }
            return !consequences.contains(fault)
        }.map(lines.place)
        return nil
    }

    private func consequences(_ lines: PointerLines) -> Consequences {
        let path = folder + PackPath.questionnaire
        let root = roots.first { $0.prefix.isEmpty }?.node
        let sets = root?["optionSets"]?.span
        var consequences = Consequences(lines, holes: holes)
        consequences.note(
            items: root?["item"], of: path,
            sharesBroken: holes[path]?.contains { sets?.contains($0) == true } == true)
        return consequences
    }

    private mutating func parts(code: String, version: String) -> Questionnaire? {
        let log = FaultLog(file: folder + PackPath.questionnaire)
        defer { close(log) }
        guard let root = yaml(PackPath.questionnaire, prefix: [], log) else { return nil }
        guard let fields = Fields(root, of: "questionnaire.yaml", keys: Self.keys, log: log) else {
            return nil
        }
        Self.match("code", code, fields)
        Self.match("version", version, fields)
        let languages = Self.languages(fields)
        let sets = fields.optional("optionSets") { OptionReading(log: $1).sets($0) } ?? [:]
        let items = fields.required("item") { ItemReading(log: $1, optionSets: sets).items($0) }
        let edit = fields.optional("edit", Self.edit)
        let constraints =
            fields.optional("constraint") { node, log in
                node.list(log)?.map { Self.constraint($0, log) ?? Self.standIn($0) }
            } ?? []
        let minutes = fields.optional("minutes") { $0.number($1) }
        let copyright = fields.optional("copyright") { $0.text($1) }
        let license = fields.optional("license") { $0.text($1) }
        let text = texts(languages ?? [], setOfItem: Self.setOfItem(root["item"]), sets: sets)
        let scoring = scoring()
        guard let items, let languages else { return nil }
        return Questionnaire(
            code: code, version: version, item: items, text: text, languages: languages,
            edit: edit ?? EditPolicy(),
            scoring: scoring, minutes: minutes ?? 1, copyright: copyright, license: license,
            constraint: constraints)
    }

    private mutating func texts(
        _ languages: [String], setOfItem: [String: [String]], sets: [String: [ResponseOption]]
    ) -> [String: QuestionnaireText] {
        let values = sets.mapValues { Set($0.map(\.value.text)) }
        var texts: [String: QuestionnaireText] = [:]
        for language in languages {
            let name = "text.\(language).yaml"
            let log = FaultLog(file: folder + name)
            if let root = yaml(name, prefix: ["text", language], log) {
                for (linkId, sets) in setOfItem where root["options"]?[linkId] == nil {
                    let labels = sets.first.flatMap { root["option_sets"]?[$0] } ?? root
                    roots.append((["text", language, "options", linkId], folder + name, labels))
                }
                texts[language] = TextReading(log: log, setOfItem: setOfItem, sets: values).text(root)
            }
            close(log)
        }
        return texts
    }

    /// Nil for an instrument without scores, which has no `scoring.yaml`.
    private mutating func scoring() -> ScoringKey? {
        guard files[folder + PackPath.scoring] != nil else { return nil }
        let log = FaultLog(file: folder + PackPath.scoring)
        defer { close(log) }
        guard let root = yaml(PackPath.scoring, prefix: ["scoring"], log),
            let (read, references) = ScoringReading(log: log).key(root)
        else { return nil }
        var key = read
        for (place, reference) in references.enumerated() {
            let rows = rows(reference, place, covariates: key.covariates.map(\.id), log)
            key.tables.append(
                LookupTable(
                    id: reference.id, source: reference.source, checksum: reference.checksum, rows: rows))
        }
        return key
    }

    /// The rows of a table's file, which must be the very file that the key means.
    private mutating func rows(
        _ reference: TableReference, _ place: Int, covariates: [String], _ log: FaultLog
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
        // Its columns are the key's covariates, which must have been read.
        guard !log.isIncomplete else { return [] }
        let tableLog = FaultLog(file: path)
        defer { close(tableLog) }
        guard let (rows, lines) = TableReading(covariates: covariates, log: tableLog).rows(text) else {
            return []
        }
        let nodes = lines.map {
            YAMLNode(content: .scalar(YAMLScalar(text: "", isPlain: true)), line: $0)
        }
        let prefix = ["scoring", "tables", String(place), "rows"]
        roots.append((prefix, path, YAMLNode(content: .sequence(nodes), line: 1)))
        return rows
    }

    private mutating func yaml(_ name: String, prefix: [String], _ log: FaultLog) -> YAMLNode? {
        guard let text = files[folder + name] else {
            log.note(1, "the file is missing")
            roots.append((prefix, folder + name, nil))
            return nil
        }
        let root = YAMLReader.read(text, log: log)
        roots.append((prefix, folder + name, root))
        return root
    }

    private mutating func close(_ log: FaultLog) {
        faults += log.faults
        if log.isIncomplete { holes[log.file, default: []].formUnion(log.holes) }
    }

    /// A file that nobody reads is most often a misspelt one.
    private mutating func noteStrangers(_ languages: [String]?) {
        guard let languages else { return }
        let known =
            [PackPath.questionnaire, PackPath.scoring, PackPath.vectors, "SOURCE.md"]
            + languages.map { "text.\($0).yaml" } + tableFiles
        for path in files.files.keys.sorted() where !known.contains(String(path.dropFirst(folder.count))) {
            faults.append(PackFault(file: path, line: 1, message: "this file is no part of an instrument"))
        }
    }
}

extension InstrumentReading {
    static func version(_ node: YAMLNode, _ log: FaultLog) -> String? {
        guard let text = node.scalar?.text, PackPath.isVersion(text) else {
            return node.expected("a version such as 1.0.0", log)
        }
        return text
    }

    /// At least one language, each once.
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
                fields.line(of: "languages"), "\"languages\" must name at least one language, and none twice")
            return nil
        }
        return languages
    }

    /// Code and version must be those of the folder.
    static func match(_ key: String, _ expected: String, _ fields: Fields) {
        guard let found = fields.required(key, { $0.word($1) }), found != expected else { return }
        fields.log.note(
            fields.line(of: key), "the \(key) is \"\(found.prefix(60))\", but the folder says \"\(expected)\""
        )
    }

    /// `{correctWithin: 24h, deleteWithin: 1h}`, in seconds.
    private static func edit(_ node: YAMLNode, _ log: FaultLog) -> EditPolicy? {
        Fields(node, of: "edit", keys: ["correctWithin", "deleteWithin"], log: log).map { fields in
            EditPolicy(
                correctWithin: fields.optional("correctWithin") { $0.duration($1) },
                deleteWithin: fields.optional("deleteWithin") { $0.duration($1) })
        }
    }

    /// `{key: c1, severity: warning, expression: "…", item: q1}`.
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

    /// In place of a constraint that could not be read, so that the others keep theirs; see `Consequences`.
    private static func standIn(_ node: YAMLNode) -> Constraint {
        Constraint(key: "\(Consequences.standIn)\(node.line)", severity: .warning, expression: "true")
    }

    /// linkId -> sets, for all items that take their options from some.
    private static func setOfItem(_ node: YAMLNode?) -> [String: [String]] {
        guard case .sequence(let items)? = node?.content else { return [:] }
        var sets: [String: [String]] = [:]
        for item in items.prefix(ItemReading.maximumItems) {
            if let linkId = item["linkId"]?.scalar?.text {
                if let set = item["answerOption"]?["set"]?.scalar?.text { sets[linkId] = [set] }
                if case .mapping(let entries)? = item["answerOption"]?["sets"]?.content {
                    sets[linkId] = entries.prefix(1000).compactMap { $0.value.scalar?.text }
                }
            }
            sets.merge(setOfItem(item["item"])) { first, _ in first }
        }
        return sets
    }
}
