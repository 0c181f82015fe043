import SaunterCore

/// Reads the files of a study and of the instruments that it names, gathering the faults of all of them.
struct StudyReading {
    static let keys = [
        "code", "version", "consent_version", "open_enrolment", "languages", "zone", "days", "arms",
        "allocation", "events", "phases", "questionnaires", "any_time", "low_adherence_percent", "walking",
        "reminder", "notices", "licences", "covariates",
    ]
    /// Those that must be there.
    static let required = [
        "code", "version", "consent_version", "open_enrolment", "languages", "zone", "days", "arms",
        "allocation", "questionnaires",
    ]

    let files: PackFiles
    let folder: String
    private(set) var faults: [PackFault] = []
    /// What of a very large study was not looked at.
    private(set) var hints: [PackFault] = []
    /// File -> lines on which something could not be read.
    private var holes: [String: Set<Int>] = [:]
    /// Codes of instruments that could not be read.
    private var broken: Set<String> = []
    private var instruments: [String: Questionnaire?] = [:]
    private var roots: [(prefix: [String], file: String, node: YAMLNode?)] = []

    init(files: PackFiles, folder: String) {
        self.files = files
        self.folder = folder
    }

    /// Nil when a part could not be read. The rules of `Study.judged()` are asked as well, of what could.
    /// - Parameter isJudged: they were asked before, and it was found good.
    mutating func study(code: String, isJudged: Bool) -> Study? {
        guard let study = parts(code: code) else { return nil }
        let lines = PointerLines(roots)
        guard !holes.isEmpty || !broken.isEmpty else {
            noteStrangers(study.languages)
            if !isJudged {
                let judgement = study.judged()
                faults += judgement.faults.map(lines.place)
                hints += judgement.remarks.map(lines.place)
            }
            return study
        }
        let (rules, schedules) = (folder + PackPath.study, folder + PackPath.schedule)
        let unread = UnreadParts(
            study: root([]), holes: holes[rules] ?? [], schedules: root(["schedules"]),
            scheduleHoles: holes[schedules] ?? [])
        if !unread.has("languages") { noteStrangers(study.languages) }
        let consequences = Consequences(
            lines, holes: holes.filter { $0.key != rules && $0.key != schedules }, names: broken)
        let judgement = study.judged(unread: unread.schedules)
        hints += judgement.remarks.map(lines.place)
        faults += judgement.faults.filter { fault in
            // Those behind a broken one have moved up, and its key may be what asks for a covariate.
            let isOfBroken =
                fault.pointer.hasPrefix("/questionnaires")
                || fault.code == "never_used" && fault.pointer.hasPrefix("/covariates")
            if !broken.isEmpty, isOfBroken { return false }
            return !unread.contains(fault) && !consequences.contains(fault)
        }.map(lines.place)
        return nil
    }

    /// What the file of this part of the definition holds.
    private func root(_ prefix: [String]) -> YAMLNode? {
        roots.first { $0.prefix == prefix }?.node
    }

    /// What could not be read has a stand-in that brings about no fault by itself; see `UnreadParts`. Nil where nothing could.
    private mutating func parts(code: String) -> Study? {
        let log = FaultLog(file: folder + PackPath.study)
        defer { close(log) }
        guard let root = yaml(PackPath.study, prefix: [], log),
            let fields = Fields(root, of: "study.yaml", keys: Self.keys, log: log)
        else { return nil }
        InstrumentReading.match("code", code, fields)
        let version = fields.required("version", InstrumentReading.version)
        let consentVersion = fields.required("consent_version", InstrumentReading.version)
        let languages = InstrumentReading.languages(fields)
        let zone = fields.required("zone") { $0.zone($1) }
        let days = fields.required("days") { $0.integer($1) }
        let design = StudyDesignReading(fields)
        let timing = PhaseReading(fields)
        let questionnaires = questionnaires(fields)
        let schedules = schedules()
        let text = texts(languages ?? [])
        return Study(
            code: code, version: version ?? "1.0.0", consentVersion: consentVersion ?? "1.0.0",
            openEnrolment: design.openEnrolment, languages: languages ?? [], text: text, zone: zone ?? .utc,
            days: days ?? Study.longestDays, arms: design.arms,
            allocation: design.allocation, phases: timing.phases, events: timing.events,
            schedules: schedules ?? [], questionnaires: questionnaires, anyTime: timing.anyTime,
            anyTimeLimits: timing.anyTimeLimits, walking: design.walking, reminder: design.reminder,
            notices: design.notices,
            lowAdherencePercent: fields.optional("low_adherence_percent") { $0.integer($1) },
            licences: design.licences, covariates: design.covariates)
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
        let version = fields.required("version", InstrumentReading.version)
        guard let code = fields.required("code", { $0.text($1) }), let version else { return nil }
        guard let path = PackPath.instrument(code, version) else {
            log.note(
                fields.line(of: "code"),
                "\"\(code.prefix(60))\" is no instrument code: small letters, digits and _")
            return nil
        }
        guard !files.folder(path).files.isEmpty else {
            log.note(fields.line(of: "code"), "there is no instrument \(path.dropLast())")
            return nil
        }
        return instrument(path, code: code, version: version)
    }

    /// Read once, however often the study names it.
    private mutating func instrument(_ path: String, code: String, version: String) -> Questionnaire? {
        if let known = instruments[path] { return known }
        var reading = InstrumentReading(files: files, folder: path)
        let questionnaire = reading.questionnaire(code: code, version: version)
        faults += reading.faults
        if questionnaire == nil { broken.insert(code) }
        instruments[path] = .some(questionnaire)
        return questionnaire
    }

    private mutating func schedules() -> [Schedule]? {
        let log = FaultLog(file: folder + PackPath.schedule)
        defer { close(log) }
        return yaml(PackPath.schedule, prefix: ["schedules"], log, at: "schedules")
            .flatMap { ScheduleReading(log: log).schedules($0) }
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
                texts[language] = StudyTextReading.text(root, log, course: course, consent: consent)
            }
            close(log)
        }
        return texts
    }

    private mutating func course(_ language: String) -> [CourseStep] {
        let name = "content/course.\(language).yaml"
        let log = FaultLog(file: folder + name)
        defer { close(log) }
        let root = yaml(name, prefix: ["text", language, "course"], log, at: "steps")
        return root.flatMap { StudyTextReading.course($0, log) } ?? []
    }

    private mutating func consent(_ language: String) -> String {
        let name = "content/consent.\(language).md"
        let log = FaultLog(file: folder + name)
        defer { close(log) }
        roots.append((["text", language, "consent"], folder + name, nil))
        guard let text = files[folder + name] else {
            log.note(1, "the file is missing")
            return ""
        }
        if text.allSatisfy(\.isWhitespace) { log.note(1, "the file is empty") }
        if text.utf8.contains(0) { log.note(1, "the character U+0000 cannot be stored") }
        if text.utf8.count > YAMLBounds.maximumBytes { log.note(1, "larger than 1 MiB") }
        return text.withPlainLineEnds
    }

    /// - Parameter at: the key whose value is what the prefix points to; nil for the whole file.
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

    private mutating func close(_ log: FaultLog) {
        faults += log.faults
        if log.isIncomplete { holes[log.file, default: []].formUnion(log.holes) }
    }

    private mutating func noteStrangers(_ languages: [String]) {
        let known =
            [PackPath.study, PackPath.schedule, "README.md"]
            + languages.flatMap {
                ["content/text.\($0).yaml", "content/course.\($0).yaml", "content/consent.\($0).md"]
            }
        for path in files.folder(folder).files.keys.sorted()
        where !known.contains(String(path.dropFirst(folder.count))) {
            faults.append(PackFault(file: path, line: 1, message: "this file is no part of a study"))
        }
    }
}
