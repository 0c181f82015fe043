import SaunterCore

/// Parses the programmes of a library: `programmes.yaml`, and their words in `programmes.<language>.yaml`.
struct ProgrammeParser {
    /// The name that no collection can have.
    static let name = "programmes"
    private static let keys = ["code", "picture", "authors", "modules", "withdrawn"]
    private static let textKeys = ["title", "subtitle", "introduction"]
    private static let maximumAuthors = 50
    private static let maximumAuthorLength = 200
    private static let maximumTitleLength = 200
    private static let maximumSubtitleLength = 500

    private(set) var faults: [PackFault] = []
    private let used: UsedFiles
    private let files: PackFiles
    private let folder: String
    private let study: Study
    /// Whether the library is a stored edition. The study version can then be another one than that for which the
    /// edition was published, so it possibly does not have all practices and languages.
    private let isPublished: Bool

    init(files: PackFiles, folder: String, study: Study, isPublished: Bool, used: UsedFiles) {
        self.files = files
        self.folder = folder
        self.study = study
        self.isPublished = isPublished
        self.used = used
    }

    private var path: String { "\(folder)\(Self.name).yaml" }

    /// The programmes that could be read, in the order of the file.
    mutating func programmes() -> [Programme] {
        var programmes: [Programme] = []
        var lines: [String: Int] = [:]
        if let text = files[path] {
            used.paths.insert(path)
            let log = FaultLog(file: path)
            defer { faults += log.faults }
            if let root = YAMLReader.read(text, log: log),
                let fields = Fields(root, of: "\(Self.name).yaml", keys: [Self.name], log: log),
                let nodes = fields.required(Self.name, { $0.list($1, atMost: Programme.maximumCount) })
            {
                for node in nodes {
                    guard let programme = programme(node, log) else { continue }
                    if lines.updateValue(node.line, forKey: programme.code) != nil {
                        log.note(node.line, "another programme has the code \(programme.code)")
                        continue
                    }
                    programmes.append(programme)
                }
            }
        }
        addWords(to: &programmes, lines)
        return programmes
    }

    // MARK: One programme

    private func programme(_ node: YAMLNode, _ log: FaultLog) -> Programme? {
        guard let fields = Fields(node, of: "a programme", keys: Self.keys, log: log) else { return nil }
        let code = fields.required("code") { $0.text($1) }
        let picture = fields.optional("picture", picture)
        let authors = fields.optional("authors", authors) ?? []
        let modules = fields.required("modules") { $0.list($1, atMost: Programme.maximumModules) } ?? []
        let isWithdrawn = fields.optional("withdrawn") { $0.boolean($1) } ?? false
        guard let code else { return nil }
        if !PackPath.isInstrumentCode(code) {
            log.note(
                fields.line(of: "code"),
                "\"\(code.prefix(60))\" is not a code: lower-case letters, digits and _")
        }
        if !isPublished, study.isPractice(code) {
            log.note(fields.line(of: "code"), "the practice \(code) has the same code")
        }
        if modules.isEmpty, !isWithdrawn {
            log.note(fields.line(of: "modules"), "\(code.prefix(60)): a programme needs at least one module")
        }
        return Programme(
            code: code, text: [:], picture: picture, authors: authors,
            modules: self.modules(modules, of: code, log), isWithdrawn: isWithdrawn)
    }

    private func modules(_ nodes: [YAMLNode], of code: String, _ log: FaultLog) -> [String] {
        var modules: [String] = []
        for node in nodes {
            guard let module = node.text(log) else { continue }
            let owner = "\(code.prefix(60)): "
            if modules.contains(module) {
                log.note(node.line, "\(owner)the module \(module.prefix(60)) occurs twice")
                continue
            }
            if !isPublished, study.questionnaire(module) == nil {
                let hint = suggestion(for: module, among: study.practices)
                log.note(node.line, "\(owner)the study has no questionnaire \(module.prefix(60))\(hint)")
            } else if !isPublished, !study.isPractice(module) {
                log.note(
                    node.line,
                    "\(owner)\(module.prefix(60)) is not a practice; any_time needs it with practice: true")
            }
            modules.append(module)
        }
        return modules
    }

    private func authors(_ node: YAMLNode, _ log: FaultLog) -> [String]? {
        node.list(log, atMost: Self.maximumAuthors) { node, log in
            text(node, log, atMost: Self.maximumAuthorLength)
        }
    }

    private func picture(_ node: YAMLNode, _ log: FaultLog) -> ContentMedia? {
        guard let path = node.text(log) else { return nil }
        switch LibraryMedia(files: files, folder: folder, used: used).media(path, of: .image) {
        case .success(let media): return media
        case .failure(let fault):
            log.note(node.line, fault.message)
            return nil
        }
    }

    // MARK: Words

    private mutating func addWords(to programmes: inout [Programme], _ lines: [String: Int]) {
        for language in languages {
            let name = "\(folder)\(Self.name).\(language).yaml"
            guard let text = files[name] else {
                if !programmes.isEmpty, !isPublished {
                    faults.append(
                        PackFault(
                            file: path, line: 1,
                            message: "there is no file \(Self.name).\(language).yaml with the words"))
                }
                continue
            }
            used.paths.insert(name)
            let log = FaultLog(file: name)
            defer { faults += log.faults }
            let entries = YAMLReader.read(text, log: log)?.entries(log) ?? []
            for entry in entries {
                guard let index = programmes.firstIndex(where: { $0.code == entry.key }) else {
                    log.note(entry.line, "there is no programme \(entry.key.prefix(60))")
                    continue
                }
                programmes[index].text[language] = words(entry.value, log)
            }
            let written = Set(entries.map(\.key))
            for programme in programmes where !isPublished && !written.contains(programme.code) {
                faults.append(
                    PackFault(
                        file: path, line: lines[programme.code] ?? 1,
                        message: "\(programme.code): the words in the language \(language) are missing"))
            }
        }
        if !isPublished {
            for programme in programmes { checkWords(of: programme, lines[programme.code] ?? 1) }
        }
    }

    /// The languages of the study. A stored edition can also have others.
    private var languages: [String] {
        guard isPublished else { return study.languages }
        let prefix = "\(folder)\(Self.name)."
        return files.files.keys.filter { $0.hasPrefix(prefix) && $0.hasSuffix(".yaml") }
            .map { String($0.dropFirst(prefix.count).dropLast(5)) }.filter { !$0.isEmpty }.sorted()
    }

    /// Words that one language has must exist in all of them.
    private mutating func checkWords(of programme: Programme, _ line: Int) {
        let members: [(String, (ProgrammeText) -> String?)] = [
            ("subtitle", { $0.subtitle }), ("introduction", { $0.introduction }),
        ]
        for (name, value) in members {
            let missing = study.languages.filter { language in
                programme.text[language].map { value($0) == nil } ?? false
            }
            guard missing.count < programme.text.count else { continue }
            for language in missing {
                faults.append(
                    PackFault(
                        file: path, line: line,
                        message: "\(programme.code): \(name) in the language \(language) is missing"))
            }
        }
    }

    private func words(_ node: YAMLNode, _ log: FaultLog) -> ProgrammeText? {
        guard let fields = Fields(node, of: "a programme", keys: Self.textKeys, log: log) else { return nil }
        let title = fields.required("title") { text($0, $1, atMost: Self.maximumTitleLength) }
        let subtitle = fields.optional("subtitle") { text($0, $1, atMost: Self.maximumSubtitleLength) }
        let introduction = fields.optional("introduction") { node, log -> String? in
            let limit = ContentField.Kind.markdown.maximumLength ?? .max
            guard let markdown = text(node, log, atMost: limit) else { return nil }
            guard !ContentItemParser.containsHTML(markdown) else {
                log.note(node.line, "HTML is not possible in Markdown")
                return nil
            }
            return markdown
        }
        return title.map { ProgrammeText(title: $0, subtitle: subtitle, introduction: introduction) }
    }

    private func text(_ node: YAMLNode, _ log: FaultLog, atMost limit: Int) -> String? {
        guard let text = node.word(log) else { return nil }
        if text.allSatisfy(\.isWhitespace) {
            log.note(node.line, "the text is empty")
            return nil
        }
        if text.count > limit {
            log.note(node.line, "\(text.count) characters, at most \(limit) are possible")
            return nil
        }
        return text
    }
}
