import SaunterCore

/// Parses `recommendations.yaml` of a library.
struct RecommendationParser {
    /// The name that no collection can have.
    static let name = "recommendations"
    private static let keys = ["table", "rules", "models", "order"]
    private static let maximumTerms = 100

    private(set) var faults: [PackFault] = []
    private let used: UsedFiles
    private let files: PackFiles
    private let folder: String
    private let study: Study
    private let programmes: [Programme]
    /// Whether the library is a stored edition; see `ProgrammeParser`.
    private let isPublished: Bool
    private let check: RecommendationCheck

    init(
        files: PackFiles, folder: String, programmes: [Programme], study: Study, isPublished: Bool,
        used: UsedFiles
    ) {
        self.files = files
        self.folder = folder
        self.programmes = programmes
        self.study = study
        self.isPublished = isPublished
        self.used = used
        check = RecommendationCheck(of: study)
    }

    /// Nil if there is no such file, or if it is not a mapping.
    mutating func recommendations() -> Recommendations? {
        let path = "\(folder)\(Self.name).yaml"
        guard let text = files[path] else { return nil }
        used.paths.insert(path)
        let log = FaultLog(file: path)
        defer { faults += log.faults }
        guard let root = YAMLReader.read(text, log: log),
            let fields = Fields(root, of: "\(Self.name).yaml", keys: Self.keys, log: log)
        else { return nil }
        let table = fields.optional("table", codes) ?? []
        let rules = fields.optional("rules", { list($0, $1, of: rule) }) ?? []
        let models = fields.optional("models", models) ?? []
        var recommendations = Recommendations(table: table, rules: rules, models: models)
        if let order = fields.optional("order", order) { recommendations.order = order }
        return recommendations
    }

    private func list<Value>(
        _ node: YAMLNode, _ log: FaultLog, of read: (YAMLNode, FaultLog) -> Value?
    ) -> [Value]? {
        node.list(log, atMost: Recommendations.maximumEntries, of: read)
    }

    private func order(_ node: YAMLNode, _ log: FaultLog) -> [Recommendations.Source]? {
        guard let order: [Recommendations.Source] = list(node, log, of: { $0.choice($1) }) else { return nil }
        if Set(order).count < order.count { log.note(node.line, "the order names a source twice") }
        return order
    }

    /// Codes of practices or programmes, each once.
    private func codes(_ node: YAMLNode, _ log: FaultLog) -> [String]? {
        var seen: Set<String> = []
        return list(node, log) { node, log in
            guard let code = code(node, log) else { return nil }
            if !seen.insert(code).inserted { log.note(node.line, "\(code.prefix(60)) occurs twice") }
            return code
        }
    }

    private func code(_ node: YAMLNode, _ log: FaultLog) -> String? {
        guard let code = node.text(log) else { return nil }
        if !isPublished, !study.isPractice(code), !programmes.contains(where: { $0.code == code }) {
            let hint = suggestion(for: code, among: study.practices + programmes.map(\.code))
            log.note(node.line, "there is no practice and no programme \(code.prefix(60))\(hint)")
        }
        return code
    }

    private func rule(_ node: YAMLNode, _ log: FaultLog) -> Recommendations.Rule? {
        guard let fields = Fields(node, of: "a rule", keys: ["recommend", "when"], log: log) else {
            return nil
        }
        let recommended = fields.required("recommend", codes)
        let condition = fields.required("when") { $0.text($1) }
        if recommended?.isEmpty == true {
            log.note(fields.line(of: "recommend"), "the list needs at least one code")
        }
        guard let recommended, let condition else { return nil }
        if !isPublished {
            do throws(ExpressionFault) {
                try check.checkCondition(condition)
            } catch {
                log.note(fields.line(of: "when"), error.text)
            }
        }
        return Recommendations.Rule(recommended: recommended, condition: condition)
    }

    private func models(_ node: YAMLNode, _ log: FaultLog) -> [Recommendations.Model]? {
        var seen: Set<String> = []
        return list(node, log) { node, log in
            guard let model = model(node, log) else { return nil }
            if !seen.insert(model.of).inserted {
                log.note(node.line, "another model scores \(model.of.prefix(60))")
            }
            return model
        }
    }

    private func model(_ node: YAMLNode, _ log: FaultLog) -> Recommendations.Model? {
        let keys = ["of", "version", "kind", "intercept", "terms"]
        guard let fields = Fields(node, of: "a model", keys: keys, log: log) else { return nil }
        let code = fields.required("of", code)
        let version = fields.required("version") { $0.word($1) }
        let kind: Recommendations.Model.Kind? = fields.required("kind") { $0.choice($1) }
        let intercept = fields.required("intercept") { $0.number($1) }
        let terms = fields.optional("terms", terms) ?? [:]
        guard let code, let version, let kind, let intercept else { return nil }
        return Recommendations.Model(
            of: code, version: version, kind: kind, intercept: intercept, terms: terms)
    }

    private func terms(_ node: YAMLNode, _ log: FaultLog) -> [String: Double]? {
        guard let entries = node.entries(log, atMost: Self.maximumTerms) else { return nil }
        var terms: [String: Double] = [:]
        for entry in entries {
            terms[entry.key] = entry.value.number(log)
            guard !isPublished else { continue }
            do throws(ExpressionFault) {
                try check.checkTerm(entry.key)
            } catch {
                log.note(entry.line, "\(entry.key.prefix(60)): \(error.detail)")
            }
        }
        return terms
    }
}
