import SaunterCore

/// Parses the files of a study and of its instruments, and collects the faults of all files.
struct StudyParser {
    /// The keys of `study.yaml`.
    static let keys = [
        "code", "version", "consent_version", "open_enrolment", "languages", "zone", "days", "arms",
        "allocation", "events", "phases", "questionnaires", "any_time", "low_adherence_percent", "target",
        "walking", "reminder", "notices", "licences", "covariates", "dataset", "settings", "features",
        "data_kinds", "brand", "links", "accounts", "entitlements",
    ]
    /// The keys that `study.yaml` must have.
    static let required = [
        "code", "version", "consent_version", "open_enrolment", "languages", "zone", "days", "arms",
        "allocation", "questionnaires",
    ]

    let files: PackFiles
    let folder: String
    private(set) var faults: [PackFault] = []
    /// The parts of a very large study that were not checked.
    private(set) var hints: [PackFault] = []
    /// The content library. It is read only if all files of the study can be read.
    private(set) var library = Library()
    /// File -> lines on which something could not be read.
    private var unreadableLines: [String: Set<Int>] = [:]
    /// The codes of the instruments that could not be read.
    private var unreadableInstruments: Set<String> = []
    /// The ids of the variables that could not be read.
    private var unreadableVariables: Set<String> = []
    /// The codes of the rules that could not be read.
    private var unreadableRules: Set<String> = []
    /// Parsed instruments by folder; nil for those that could not be read.
    private var instruments: [String: Questionnaire?] = [:]
    /// The parts of the definition with the files that contain them; see `PointerLines`.
    private var roots: [(prefix: [String], file: String, node: YAMLNode?)] = []

    init(files: PackFiles, folder: String) {
        self.files = files
        self.folder = folder
    }

    /// Returns nil if a part could not be read. Also applies the rules of `Study.checked()` to everything that could
    /// be read.
    /// - Parameter skipsRules: whether the rules were applied before, so that they are not applied again.
    mutating func study(code: String, skipsRules: Bool) -> Study? {
        guard let study = parts(code: code) else { return nil }
        let lines = PointerLines(roots)
        guard !unreadableLines.isEmpty || !unreadableInstruments.isEmpty else {
            noteUnknownFiles(study.languages)
            var libraryParser = LibraryParser(files: files, study: study)
            library = libraryParser.library()
            faults += libraryParser.faults
            if !skipsRules {
                let result = study.checked(library: library)
                faults += result.faults.map(lines.locate)
                hints += result.hints.map(lines.locate)
            }
            return study
        }
        let (studyPath, schedulesPath) = (folder + PackPath.study, folder + PackPath.schedule)
        let unreadableParts = UnreadableParts(
            study: root([]), unreadableLines: unreadableLines[studyPath] ?? [],
            schedules: root(["schedules"]),
            unreadableScheduleLines: unreadableLines[schedulesPath] ?? [])
        if !unreadableParts.has("languages") { noteUnknownFiles(study.languages) }
        let dependentFaults = DependentFaults(
            lines, unreadableLines: unreadableLines.filter { $0.key != studyPath && $0.key != schedulesPath },
            names: unreadableInstruments.union(unreadableVariables).union(unreadableRules))
        let result = study.checked(unreadable: unreadableParts.schedules)
        hints += result.hints.filter { hint in
            // An unreadable questionnaire possibly names the part.
            !unreadableParts.contains(hint)
                && (unreadableInstruments.isEmpty || hint.code != "never_used")
        }.map(lines.locate)
        faults += result.faults.filter { fault in
            // The positions behind an unreadable questionnaire change, and its key is possibly the one that needs a
            // covariate.
            let dependsOnInstruments =
                fault.pointer.hasPrefix("/questionnaires")
                || fault.code == "never_used" && fault.pointer.hasPrefix("/covariates")
            if !unreadableInstruments.isEmpty, dependsOnInstruments { return false }
            // An expression possibly names a variable that could not be read.
            let namesVariables = ["unknown_variable", "bad_expression"].contains(fault.code)
            if !unreadableVariables.isEmpty, namesVariables { return false }
            // Texts of a rule that could not be read have no rule with a message or award.
            let needsRules = ["unknown_rule", "unknown_award", "unknown_tag", "never_used", "nothing_to_say"]
            if !unreadableRules.isEmpty, needsRules.contains(fault.code) { return false }
            return !unreadableParts.contains(fault) && !dependentFaults.contains(fault)
        }.map(lines.locate)
        return nil
    }

    /// The node of the file that contains this part of the definition.
    private func root(_ prefix: [String]) -> YAMLNode? {
        roots.first { $0.prefix == prefix }?.node
    }

    /// The study from all files. Defaults replace the parts that could not be read; they cause no faults. Nil if
    /// `study.yaml` is not a mapping.
    private mutating func parts(code: String) -> Study? {
        let log = FaultLog(file: folder + PackPath.study)
        defer { collectFaults(of: log) }
        guard let root = yaml(PackPath.study, prefix: [], log),
            let fields = Fields(root, of: "study.yaml", keys: Self.keys, log: log)
        else { return nil }
        InstrumentParser.match("code", code, fields)
        let version = fields.required("version", InstrumentParser.version)
        let consentVersion = fields.required("consent_version", InstrumentParser.version)
        let languages = InstrumentParser.languages(fields)
        let zone = fields.required("zone") { $0.zone($1) }
        let days = fields.required("days") { $0.integer($1) }
        let design = StudyDesignParser(fields)
        let timing = StudyTimingParser(fields)
        let questionnaires = questionnaires(fields)
        let schedules = schedules()
        let variables = variables()
        let rules = rules()
        let text = texts(languages ?? [])
        var brand =
            fields.optional("brand") { BrandParser(files: files, folder: folder).brand($0, $1) }
            ?? StudyBrand()
        let media = QuestionMedia(of: questionnaires, in: files)
        brand.questionMedia = media.files
        faults += media.faults
        return Study(
            code: code, version: version ?? "1.0.0", consentVersion: consentVersion ?? "1.0.0",
            openEnrolment: design.openEnrolment, languages: languages ?? [], text: text, zone: zone ?? .utc,
            days: days ?? Study.maximumDays, arms: design.arms,
            allocation: design.allocation, phases: timing.phases, events: timing.events,
            schedules: schedules ?? [], questionnaires: questionnaires, anyTime: timing.anyTime,
            settings: design.settings, features: design.features, dataKinds: design.dataKinds,
            variables: variables, walking: design.walking, reminder: design.reminder,
            notificationRules: design.notices, rules: rules, links: design.links,
            lowAdherencePercent: fields.optional("low_adherence_percent") { $0.integer($1) },
            target: fields.optional("target") { $0.integer($1) },
            licences: design.licences, covariates: design.covariates, dataset: design.dataset,
            brand: brand, accounts: design.accounts, entitlements: design.entitlements)
    }

    private mutating func questionnaires(_ fields: Fields) -> [Questionnaire] {
        guard let nodes = fields.required("questionnaires", { $0.list($1) }) else { return [] }
        return nodes.compactMap { questionnaire($0, fields.log) }
    }

    private mutating func questionnaire(_ node: YAMLNode, _ log: FaultLog) -> Questionnaire? {
        guard
            let fields = Fields(node, of: "a questionnaire's reference", keys: ["code", "version"], log: log)
        else {
            return nil
        }
        let version = fields.required("version", InstrumentParser.version)
        guard let code = fields.required("code", { $0.text($1) }), let version else { return nil }
        guard let path = PackPath.instrument(code, version) else {
            log.note(
                fields.line(of: "code"),
                "\"\(code.prefix(60))\" is not an instrument code: lower-case letters, digits and _")
            return nil
        }
        guard !files.folder(path).files.isEmpty else {
            log.note(fields.line(of: "code"), "there is no instrument \(path.dropLast())")
            return nil
        }
        return instrument(path, code: code, version: version)
    }

    /// Parses each instrument once, also if the study names it several times.
    private mutating func instrument(_ path: String, code: String, version: String) -> Questionnaire? {
        if let known = instruments[path] { return known }
        var parser = InstrumentParser(files: files, folder: path)
        let questionnaire = parser.questionnaire(code: code, version: version)
        faults += parser.faults
        if questionnaire == nil { unreadableInstruments.insert(code) }
        instruments[path] = .some(questionnaire)
        return questionnaire
    }

    private mutating func schedules() -> [Schedule]? {
        let log = FaultLog(file: folder + PackPath.schedule)
        defer { collectFaults(of: log) }
        return yaml(PackPath.schedule, prefix: ["schedules"], log, at: "schedules")
            .flatMap { ScheduleParser(log: log).schedules($0) }
    }

    /// The tailoring variables. Empty if there is no `variables.yaml`, because the file is optional.
    private mutating func variables() -> [TailoringVariable] {
        guard files[folder + PackPath.variables] != nil else { return [] }
        let log = FaultLog(file: folder + PackPath.variables)
        defer { collectFaults(of: log) }
        guard let root = yaml(PackPath.variables, prefix: ["variables"], log, at: "variables") else {
            return []
        }
        var parser = VariableParser(log: log)
        let variables = parser.variables(root)
        unreadableVariables = parser.unreadable
        return variables
    }

    /// The decision rules. Empty if there is no `rules.yaml`, because the file is optional.
    private mutating func rules() -> [DecisionRule] {
        guard files[folder + PackPath.rules] != nil else { return [] }
        let log = FaultLog(file: folder + PackPath.rules)
        defer { collectFaults(of: log) }
        guard let root = yaml(PackPath.rules, prefix: ["rules"], log, at: "rules") else { return [] }
        var parser = RuleParser(log: log)
        let rules = parser.rules(root)
        unreadableRules = parser.unreadable
        return rules
    }

    private mutating func texts(_ languages: [String]) -> [String: StudyText] {
        var texts: [String: StudyText] = [:]
        for language in languages {
            let consent = consent(language)
            let course = course(language)
            let name = "content/text.\(language).yaml"
            let log = FaultLog(file: folder + name)
            if let root = yaml(name, prefix: ["text", language], log) {
                for message in ["reminder", "prompt"] {
                    for part in ["subject", "body"] {
                        roots.append(
                            (["text", language, "\(message)_\(part)"], folder + name, root[message]?[part]))
                    }
                }
                texts[language] = StudyTextParser.text(root, log, course: course, consent: consent)
            }
            collectFaults(of: log)
        }
        return texts
    }

    private mutating func course(_ language: String) -> [TitledText] {
        let name = "content/course.\(language).yaml"
        let log = FaultLog(file: folder + name)
        defer { collectFaults(of: log) }
        let root = yaml(name, prefix: ["text", language, "course"], log, at: "steps")
        return root.flatMap { StudyTextParser.course($0, log) } ?? []
    }

    private mutating func consent(_ language: String) -> String {
        let name = "content/consent.\(language).md"
        let log = FaultLog(file: folder + name)
        defer { collectFaults(of: log) }
        roots.append((["text", language, "consent"], folder + name, nil))
        guard let text = files[folder + name] else {
            log.note(1, "the file is missing")
            return ""
        }
        if text.allSatisfy(\.isWhitespace) { log.note(1, "the file is empty") }
        if text.utf8.contains(0) { log.note(1, "the character U+0000 cannot be stored") }
        if text.utf8.count > PackFiles.maximumFileBytes { log.note(1, "larger than 1 MiB") }
        return text.withPlainLineEnds
    }

    /// Parses a YAML file and remembers it for `PointerLines`. Nil, with a fault, if it is missing or not valid.
    /// - Parameter key: the key whose value the prefix points to; nil for the complete file.
    private mutating func yaml(_ name: String, prefix: [String], _ log: FaultLog, at key: String? = nil)
        -> YAMLNode?
    {
        guard let text = files[folder + name] else {
            log.note(1, "the file is missing")
            roots.append((prefix, folder + name, nil))
            return nil
        }
        let root = YAMLReader.read(text, log: log)
        roots.append((prefix, folder + name, key.map { root?[$0] } ?? root))
        return root
    }

    /// Adds the faults and the unreadable lines of a parsed file to those of the pack.
    private mutating func collectFaults(of log: FaultLog) {
        faults += log.faults
        if log.hasUnreadableParts { unreadableLines[log.file, default: []].formUnion(log.unreadableLines) }
    }

    /// Reports unknown files, because an unknown file is usually a misspelt one.
    private mutating func noteUnknownFiles(_ languages: [String]) {
        let known =
            [PackPath.study, PackPath.schedule, PackPath.variables, PackPath.rules, "README.md"]
            + languages.flatMap {
                ["content/text.\($0).yaml", "content/course.\($0).yaml", "content/consent.\($0).md"]
            } + (root([])?["brand"].map(BrandParser.files(of:)) ?? [])
        for path in files.folder(folder).files.keys.sorted()
        where !known.contains(String(path.dropFirst(folder.count)))
            && !path.dropFirst(folder.count).hasPrefix(PackPath.library)
        {
            faults.append(PackFault(file: path, line: 1, message: "this file is not part of a study"))
        }
    }
}
