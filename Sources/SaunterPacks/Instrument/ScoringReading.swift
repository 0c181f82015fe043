import SaunterCore

/// Reads `scoring.yaml`.
struct ScoringReading {
    static let scaleKeys = [
        "id", "items", "reverse", "method", "missing", "factor", "offset", "rounding", "bands", "minimum",
        "maximum",
        "shown_to_participant",
    ]

    let log: FaultLog

    func key(_ node: YAMLNode) -> ScoringKey? {
        guard let fields = Fields(node, of: "scoring.yaml", keys: ["version", "scales"], log: log) else {
            return nil
        }
        let version = fields.required("version", InstrumentReading.version)
        let scales = fields.required("scales") { $0.list($1, of: { node, _ in scale(node) }) }
        guard let version, let scales else { return nil }
        return ScoringKey(version: version, scales: scales)
    }

    private func scale(_ node: YAMLNode) -> Scale? {
        guard let fields = Fields(node, of: "a scale", keys: Self.scaleKeys, log: log) else { return nil }
        let id = fields.required("id") { $0.text($1) }
        let items = fields.required("items") { $0.list($1, of: { $0.text($1) }) }
        let method: ScoringMethod? = fields.required("method") { $0.choice($1) }
        var scale = Scale(id: id ?? "", items: items ?? [], method: method ?? .sum)
        scale.reverse = fields.optional("reverse") { $0.list($1, of: { $0.text($1) }) } ?? []
        scale.missing = fields.optional("missing", missing) ?? .complete
        scale.factor = fields.optional("factor") { $0.number($1) } ?? 1
        scale.offset = fields.optional("offset") { $0.number($1) } ?? 0
        scale.rounding = fields.optional("rounding", rounding)
        scale.bands = fields.optional("bands") { $0.list($1, of: band) } ?? []
        scale.minimum = fields.optional("minimum") { $0.number($1) }
        scale.maximum = fields.optional("maximum") { $0.number($1) }
        scale.shownToParticipant = fields.optional("shown_to_participant") { $0.boolean($1) } ?? false
        return id == nil || items == nil || method == nil ? nil : scale
    }

    /// `complete`, or `{min_answered: n}`.
    private func missing(_ node: YAMLNode, _ log: FaultLog) -> MissingRule? {
        if node.scalar?.text == "complete" { return .complete }
        guard case .mapping = node.content else { return node.expected("complete or {min_answered: n}", log) }
        guard let fields = Fields(node, of: "missing", keys: ["min_answered"], log: log) else { return nil }
        return fields.required("min_answered") { $0.integer($1) }.map { .prorate(minimumAnswered: $0) }
    }

    private func rounding(_ node: YAMLNode, _ log: FaultLog) -> Rounding? {
        guard let fields = Fields(node, of: "rounding", keys: ["places", "mode"], log: log) else {
            return nil
        }
        let mode: RoundingMode? = fields.required("mode") { $0.choice($1) }
        guard let places = fields.required("places", { $0.integer($1) }), let mode else { return nil }
        return Rounding(places: places, mode: mode)
    }

    private func band(_ node: YAMLNode, _ log: FaultLog) -> Band? {
        guard let fields = Fields(node, of: "a band", keys: ["id", "from", "below"], log: log) else {
            return nil
        }
        let from = fields.optional("from") { $0.number($1) }
        let below = fields.optional("below") { $0.number($1) }
        return fields.required("id") { $0.text($1) }.map { Band(id: $0, from: from, below: below) }
    }
}
