import SaunterCore

/// Scales of a scoring key as variables in FHIRPath, where these say exactly the same: sums, means, differences and single
/// values of which every answer is needed. In FHIRPath, arithmetic with nothing is nothing, as a score is that lacks an answer.
struct FHIRScores {
    /// The extensions, in the order of the key.
    private(set) var variables: [JSON] = []
    /// Ids of the scales that cannot be said so.
    private(set) var leftOut: [String] = []

    private let names: FHIRNames
    private let items: [String: Item]
    /// Earlier scale -> its variable; nil of those that were left out.
    private var earlier: [String: String?] = [:]

    init(questionnaire: Questionnaire, names: FHIRNames = FHIRNames()) {
        self.names = names
        items = Dictionary(
            questionnaire.questions.map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        var taken: Set<String> = []
        for scale in questionnaire.scoring?.scales ?? [] {
            let expression = expression(of: scale)
            var variable: String?
            if let expression {
                let name = Self.variable(scale.id, &taken)
                variable = name
                variables.append([
                    "url": .string("\(FHIRItem.extensions)/variable"),
                    "valueExpression": [
                        "name": .string(name), "language": "text/fhirpath",
                        "expression": .string(expression),
                    ],
                ])
            } else {
                leftOut.append(scale.id)
            }
            if earlier[scale.id] == nil { earlier[scale.id] = .some(variable) }
        }
    }

    /// FHIR's ids know no underscore, FHIRPath's names no hyphen: `low_efficacy` is `lowEfficacy`.
    private static func variable(_ id: String, _ taken: inout Set<String>) -> String {
        let words = id.split(separator: "_")
        var name = (words.first.map(String.init) ?? "scale")
        for word in words.dropFirst() { name += word.prefix(1).uppercased() + word.dropFirst() }
        while !taken.insert(name).inserted { name += "x" }
        return name
    }

    private func expression(of scale: Scale) -> String? {
        guard scale.missing == .complete, scale.rounding == nil, scale.recode.isEmpty, scale.counted == nil,
            scale.blanks.isEmpty, scale.transform.isEmpty, scale.exclude.isEmpty, !scale.items.isEmpty,
            scale.weights.isEmpty || scale.method == .sum
        else { return nil }
        var terms: [String] = []
        for name in scale.items {
            guard var term = term(name, isReversed: scale.reverse.contains(name)) else { return nil }
            if let weight = scale.weights[name] { term = "(\(term) * \(JSONNumber(weight).literal))" }
            terms.append(term)
        }
        var whole: String
        switch scale.method {
        case .sum: whole = terms.joined(separator: " + ")
        case .mean: whole = "(\(terms.joined(separator: " + "))) / \(terms.count)"
        case .difference where terms.count == 2: whole = "\(terms[0]) - \(terms[1])"
        case .value where terms.count == 1: whole = terms[0]
        default: return nil
        }
        if scale.factor != 1 { whole = "(\(whole)) * \(JSONNumber(scale.factor).literal)" }
        if scale.offset != 0 { whole = "\(whole) + \(JSONNumber(scale.offset).literal)" }
        return whole
    }

    private func term(_ name: String, isReversed: Bool) -> String? {
        // Where an item and an earlier scale have one name, the item is meant.
        guard let item = items[name] else {
            guard !isReversed, let variable = earlier[name] ?? nil else { return nil }
            return "%\(variable)"
        }
        guard !item.repeats else { return nil }
        let answer = "%resource.descendants().where(linkId='\(names.linkId(name))').answer.value"
        var range = item.minValue.flatMap { least in item.maxValue.map { (least, $0) } }
        let term: String
        switch item.type {
        case .integer, .decimal: term = answer
        case .boolean: (term, range) = ("\(answer).toInteger()", (0, 1))
        case .quantity where item.unitOption.count == 1: term = "\(answer).value"
        case .choice:
            guard let (isWeighted, counts) = self.counts(item) else { return nil }
            term = isWeighted ? "\(answer).ordinal()" : answer
            range = counts.min().flatMap { least in counts.max().map { (least, $0) } }
        default: return nil
        }
        guard isReversed else { return term }
        guard let range else { return nil }
        return "(\(JSONNumber(range.0 + range.1).literal) - \(term))"
    }

    /// What the options count: all of them codes with weights, or numbers without.
    private func counts(_ item: Item) -> (isWeighted: Bool, counts: [Double])? {
        var numbers: [Double] = []
        var weights: [Double] = []
        for option in item.answerOption {
            switch (option.value, option.weight) {
            case (.code(let code), let weight?)
            where names.codings[item.linkId]?[code]?["valueInteger"] != nil:
                // A negative number there, whose option counts it here.
                guard names.codings[item.linkId]?[code]?["valueInteger"]?.double == weight else { return nil }
                numbers.append(weight)
            case (.code, let weight?): weights.append(weight)
            case (.integer(let number), nil): numbers.append(Double(number))
            default: return nil
            }
        }
        if weights.isEmpty { return (false, numbers) }
        return numbers.isEmpty ? (true, weights) : nil
    }
}
