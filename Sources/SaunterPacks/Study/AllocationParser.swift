import SaunterCore

/// Parses `allocation` of `study.yaml`: `{method, block_sizes, concealed, blinded, factors, probability}`.
enum AllocationParser {
    private static let keys = ["method", "block_sizes", "concealed", "blinded", "factors", "probability"]

    /// Parses the allocation. The default method is permuted blocks.
    static func allocation(_ node: YAMLNode, _ log: FaultLog) -> Allocation? {
        guard let fields = Fields(node, of: "allocation", keys: keys, log: log) else { return nil }
        var allocation = Allocation(isConcealed: false)
        if fields["method"] != nil {
            let method: Allocation.Method? = fields.required("method") { $0.choice($1) }
            guard let method else { return nil }
            allocation.method = method
        }
        func sizes(_ node: YAMLNode, _ log: FaultLog) -> [Int]? { node.list(log) { $0.integer($1) } }
        let blockSizes =
            allocation.usesBlocks
            ? fields.required("block_sizes", sizes) : fields.optional("block_sizes", sizes) ?? []
        let isConcealed = fields.required("concealed") { $0.boolean($1) }
        allocation.isBlinded = fields.optional("blinded") { $0.boolean($1) } ?? false
        allocation.factors = fields.optional("factors") { $0.list($1, of: factor) } ?? []
        allocation.probability = fields.optional("probability") { $0.number($1) }
        guard let isConcealed, let blockSizes else { return nil }
        allocation.isConcealed = isConcealed
        allocation.blockSizes = blockSizes
        return allocation
    }

    /// Parses `{code: place, levels: [north, south], weight: 2}`.
    private static func factor(_ node: YAMLNode, _ log: FaultLog) -> Allocation.Factor? {
        guard let fields = Fields(node, of: "a factor", keys: ["code", "levels", "weight"], log: log) else {
            return nil
        }
        let code = fields.required("code") { $0.text($1) }
        let levels = fields.required("levels") { $0.list($1) { $0.word($1) } }
        let weight = fields.optional("weight") { $0.integer($1) } ?? 1
        guard let code, let levels else { return nil }
        return Allocation.Factor(code: code, levels: levels, weight: weight)
    }
}
