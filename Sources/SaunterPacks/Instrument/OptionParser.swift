import SaunterCore

/// Parses answer options: a plain value, or a mapping with the weight, the flag `exclusive`, conditions or media.
struct OptionParser {
    static let maximumOptions = 1000
    static let maximumSets = 200
    private static let keys = ["value", "weight", "exclusive", "enableWhen", "enableBehavior", "media"]

    let log: FaultLog

    /// Parses a list of options.
    func options(_ node: YAMLNode) -> [ResponseOption] {
        node.list(log, atMost: Self.maximumOptions, of: { node, _ in option(node) }) ?? []
    }

    /// Parses `optionSets`: name -> options.
    func sets(_ node: YAMLNode) -> [String: [ResponseOption]] {
        var sets: [String: [ResponseOption]] = [:]
        for entry in node.entries(log, atMost: Self.maximumSets) ?? [] {
            sets[entry.key] = options(entry.value)
        }
        return sets
    }

    private func option(_ node: YAMLNode) -> ResponseOption? {
        guard case .mapping = node.content else { return value(node, log).map { ResponseOption(value: $0) } }
        guard let fields = Fields(node, of: "an option", keys: Self.keys, log: log) else {
            return nil
        }
        let weight = fields.optional("weight") { $0.number($1) }
        let exclusive = fields.optional("exclusive") { $0.boolean($1) } ?? false
        let behavior: EnableBehavior? = fields.optional("enableBehavior") { $0.choice($1) }
        let media = fields.optional("media") { $0.media($1) }
        // `ItemParser` adds the conditions when all items are known.
        return fields.required("value", value).map {
            ResponseOption(
                value: $0, weight: weight, exclusive: exclusive, enableBehavior: behavior ?? .all,
                media: media)
        }
    }

    /// Parses a whole number or a code.
    func value(_ node: YAMLNode, _ log: FaultLog) -> OptionValue? {
        if let number = node.scalar?.integer { return .integer(number) }
        guard let scalar = node.scalar, scalar.kind == .text, !scalar.text.isEmpty else {
            return node.expected("a whole number or a word as the value of an option", log)
        }
        return .code(scalar.text)
    }
}
