import SaunterCore

/// Parses `scoring.yaml`.
struct ScoringParser {
    /// The keys of a scale.
    static let scaleKeys = [
        "id", "items", "reverse", "method", "missing", "factor", "offset", "rounding", "bands", "minimum",
        "maximum", "shown_to_participant", "helper", "recode", "weights", "where", "blanks", "unit",
        "transform",
        "exclude", "direction", "change", "windows",
    ]

    let log: FaultLog

    /// Parses the key without the rows of its tables, and the references to the files that contain the rows.
    func key(_ node: YAMLNode) -> (key: ScoringKey, tables: [TableReference])? {
        let keys = ["version", "scales", "covariates", "tables"]
        guard let fields = Fields(node, of: "scoring.yaml", keys: keys, log: log) else { return nil }
        let version = fields.required("version", InstrumentParser.version)
        let scales = fields.required("scales") { $0.list($1, of: { node, _ in scale(node) }) }
        let covariates = fields.optional("covariates") { $0.list($1, of: covariate) } ?? []
        let tables = fields.optional("tables") { $0.list($1, of: TableReference.read) } ?? []
        guard let version, let scales else { return nil }
        return (ScoringKey(version: version, scales: scales, covariates: covariates), tables)
    }

    /// Returns nil if the id, the items or the method could not be read.
    private func scale(_ node: YAMLNode) -> Scale? {
        guard let fields = Fields(node, of: "a scale", keys: Self.scaleKeys, log: log) else { return nil }
        let id = fields.required("id") { $0.text($1) }
        let items = fields.required("items") { $0.list($1, of: { $0.text($1) }) }
        let method: ScoringMethod? = fields.required("method") { $0.choice($1) }
        var scale = Scale(id: id ?? "", items: items ?? [], method: method ?? .sum)
        scale.reverse = fields.optional("reverse") { $0.list($1, of: { $0.text($1) }) } ?? []
        scale.missing = fields.optional("missing", MissingRuleParser.rule) ?? .complete
        scale.factor = fields.optional("factor") { $0.number($1) } ?? 1
        scale.offset = fields.optional("offset") { $0.number($1) } ?? 0
        scale.rounding = fields.optional("rounding", Self.rounding)
        scale.bands = fields.optional("bands") { $0.list($1, of: band) } ?? []
        scale.minimum = fields.optional("minimum") { $0.number($1) }
        scale.maximum = fields.optional("maximum") { $0.number($1) }
        scale.shownToParticipant = fields.optional("shown_to_participant") { $0.boolean($1) } ?? false
        scale.isHelper = fields.optional("helper") { $0.boolean($1) } ?? false
        scale.recode = fields.optional("recode", RecodeParser.recode) ?? [:]
        scale.weights = fields.optional("weights", RecodeParser.numbers) ?? [:]
        scale.counted = fields.optional("where") { ScoreConditionParser.range($0, "where", $1) }
        scale.blanks = fields.optional("blanks", MissingRuleParser.blanks) ?? [:]
        scale.unit = fields.optional("unit") { $0.choice($1) }
        scale.transform = fields.optional("transform") { $0.list($1, of: TransformParser.step) } ?? []
        scale.exclude = fields.optional("exclude") { $0.list($1, of: exclusion) } ?? []
        scale.change = fields.optional("change", ChangeParser.change)
        scale.direction = fields.optional("direction") { $0.choice($1) }
        if fields["change"] != nil, let direction = fields["direction"] {
            log.note(
                direction.line, "`change` has the direction of the scale; remove `direction` from the scale")
        }
        scale.windows = fields.optional("windows") { $0.list($1, of: ChangeParser.window) } ?? []
        return id == nil || items == nil || method == nil ? nil : scale
    }

    /// Parses `{places: 1, mode: half_up}`.
    static func rounding(_ node: YAMLNode, _ log: FaultLog) -> Rounding? {
        guard let fields = Fields(node, of: "rounding", keys: ["places", "mode"], log: log) else {
            return nil
        }
        let mode: RoundingMode? = fields.required("mode") { $0.choice($1) }
        guard let places = fields.required("places", { $0.integer($1) }), let mode else { return nil }
        return Rounding(places: places, mode: mode)
    }

    private func band(_ node: YAMLNode, _ log: FaultLog) -> Band? {
        let keys = ["id", "when"] + ScoreConditionParser.ends
        guard let fields = Fields(node, of: "a band", keys: keys, log: log) else { return nil }
        let range = ScoreConditionParser.range(fields)
        let conditions = fields.optional("when", ScoreConditionParser.list) ?? []
        return fields.required("id") { $0.text($1) }.map { id in
            var band = Band(id: id, when: conditions)
            band.range = range
            return band
        }
    }

    private func exclusion(_ node: YAMLNode, _ log: FaultLog) -> ScoreExclusion? {
        guard let fields = Fields(node, of: "an exclusion", keys: ["id", "when"], log: log) else {
            return nil
        }
        let conditions = fields.required("when", ScoreConditionParser.list)
        guard let id = fields.required("id", { $0.text($1) }), let conditions else { return nil }
        return ScoreExclusion(id: id, when: conditions)
    }

    /// Parses `{id, item: linkId}`, or `{id, from: profile, codes: [...]}`.
    private func covariate(_ node: YAMLNode, _ log: FaultLog) -> Covariate? {
        let keys = ["id", "item", "from", "codes"]
        guard let fields = Fields(node, of: "a covariate", keys: keys, log: log) else { return nil }
        let codes = fields.optional("codes") { $0.list($1, of: { $0.word($1) }) } ?? []
        guard let id = fields.required("id", { $0.text($1) }) else { return nil }
        guard (fields["item"] == nil) != (fields["from"] == nil) else {
            log.note(node.line, "a covariate needs either `item`, or `from` with profile or enrolment")
            return nil
        }
        if let item = fields.optional("item", { $0.text($1) }) {
            return Covariate(id: id, source: .item(item), codes: codes)
        }
        guard let from: GivenSource = fields.optional("from", { $0.choice($1) }) else { return nil }
        return Covariate(id: id, source: from == .profile ? .profile : .enrolment, codes: codes)
    }

    private enum GivenSource: String, CaseIterable {
        case profile, enrolment
    }
}
