import SaunterCore

/// Writes the scales of a scoring key as FHIRPath variables, if FHIRPath can express them exactly: sums, means,
/// differences and single values that need every answer. In FHIRPath, arithmetic with a missing answer has an empty
/// result; such a score in Saunter is missing, too. The `minimum` and `maximum` of a scale are extensions of Saunter: a
/// program that does not read them computes a number where the score in Saunter is null with the reason `out_of_range`.
struct FHIRScores {
    /// The extensions, in the order of the scoring key.
    private(set) var variables: [JSON] = []
    /// The ids of scales that FHIRPath cannot express exactly.
    private(set) var omittedScales: [String] = []

    private let writer: FHIRItemWriter
    private let items: [String: Item]
    /// Id of an earlier scale -> the name of its variable; nil if the scale was omitted.
    private var variableNames: [String: String?] = [:]

    init(_ writer: FHIRItemWriter) {
        self.writer = writer
        let questionnaire = writer.questionnaire
        items = Dictionary(
            questionnaire.questions.map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        var used = Self.environmentVariables
        for scale in questionnaire.scoring?.scales ?? [] {
            let expression = expression(of: scale)
            var variableName: String?
            if let expression {
                let name = Self.variable(scale.id, &used)
                variableName = name
                var variable: JSONObject = [
                    "extension": .array(Self.extensions(of: scale)), "name": .string(name),
                    "language": "text/fhirpath", "expression": .string(expression),
                ]
                if let label = writer.texts.scales[scale.id] {
                    variable["description"] = .string(label)
                    variable["_description"] = writer.translated(label) { $0.scales[scale.id] }
                }
                variables.append([
                    "url": .string("\(FHIRItemWriter.extensionBaseURL)/variable"),
                    "valueExpression": .object(variable),
                ])
            } else {
                omittedScales.append(scale.id)
            }
            if variableNames[scale.id] == nil { variableNames[scale.id] = .some(variableName) }
        }
    }

    /// The variables that FHIRPath, FHIR and SDC define themselves.
    private static let environmentVariables: Set<String> = [
        "context", "loinc", "qitem", "questionnaire", "resource", "rootResource", "sct", "ucum",
    ]

    /// The variable of a scale: `low_efficacy` becomes `lowEfficacy`, because FHIR ids cannot contain underscores and
    /// FHIRPath names cannot contain hyphens.
    private static func variable(_ id: String, _ used: inout Set<String>) -> String {
        let words = id.split(separator: "_")
        var name = (words.first.map(String.init) ?? "scale")
        for word in words.dropFirst() { name += word.prefix(1).uppercased() + word.dropFirst() }
        while !used.insert(name).inserted { name += "x" }
        return name
    }

    /// The id and the range of a scale. Not every id of a scale is a valid name in FHIR.
    private static func extensions(of scale: Scale) -> [JSON] {
        var list: [JSON] = [
            ["url": .string(FHIRQuestionnaireReader.scaleURL), "valueString": .string(scale.id)]
        ]
        for (url, bound) in [
            (FHIRQuestionnaireReader.scaleMinimumURL, scale.minimum),
            (FHIRQuestionnaireReader.scaleMaximumURL, scale.maximum),
        ] {
            if let bound { list.append(["url": .string(url), "valueDecimal": .double(bound)]) }
        }
        return list
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
        var formula: String
        switch scale.method {
        case .sum: formula = terms.joined(separator: " + ")
        case .mean: formula = "(\(terms.joined(separator: " + "))) / \(terms.count)"
        case .difference where terms.count == 2: formula = "\(terms[0]) - \(terms[1])"
        case .value where terms.count == 1: formula = terms[0]
        default: return nil
        }
        if scale.factor != 1 { formula = "(\(formula)) * \(JSONNumber(scale.factor).literal)" }
        if scale.offset != 0 { formula = "\(formula) + \(JSONNumber(scale.offset).literal)" }
        return formula
    }

    private func term(_ name: String, isReversed: Bool) -> String? {
        // If an item and an earlier scale have the same name, the name means the item.
        guard let item = items[name] else {
            guard !isReversed, let variable = variableNames[name] ?? nil else { return nil }
            return "%\(variable)"
        }
        guard !item.repeats else { return nil }
        let answer = "%resource.descendants().where(linkId='\(writer.mapping.linkId(name))').answer.value"
        var range = item.minValue.flatMap { minimum in item.maxValue.map { (minimum, $0) } }
        let term: String
        switch item.type.form {
        case .truth: (term, range) = ("\(answer).toInteger()", (0, 1))
        case .number where !item.hasMixedUnits: term = item.type.hasUnits ? "\(answer).value" : answer
        case .options where !item.type.acceptsFreeText:
            guard let (isWeighted, values) = optionValues(item) else { return nil }
            term = isWeighted ? "\(answer).ordinal()" : answer
            range = values.min().flatMap { minimum in values.max().map { (minimum, $0) } }
        case .nothing, .number, .text, .moment, .options, .ranking, .location: return nil
        }
        guard isReversed else { return term }
        guard let range else { return nil }
        return "(\(JSONNumber(range.0 + range.1).literal) - \(term))"
    }

    /// The values of the options: either weights of codes, or numbers.
    private func optionValues(_ item: Item) -> (isWeighted: Bool, values: [Double])? {
        var numbers: [Double] = []
        var weights: [Double] = []
        for option in item.answerOption {
            switch (option.value, option.weight) {
            case (.code(let code), let weight?)
            where writer.mapping.codings[item.linkId]?[code]?["valueInteger"] != nil:
                // The option is a number in the source. It is stored as a code with the number as weight
                // (`NegativeOptionCodes`).
                guard writer.mapping.codings[item.linkId]?[code]?["valueInteger"]?.double == weight else {
                    return nil
                }
                numbers.append(weight)
            case (.code, let weight?): weights.append(weight)
            case (.integer(let number), let weight)
            where writer.mapping.writesCodings(of: item.linkId, in: writer.questionnaire):
                weights.append(weight ?? Double(number))
            case (.integer(let number), nil): numbers.append(Double(number))
            default: return nil
            }
        }
        if weights.isEmpty { return (false, numbers) }
        return numbers.isEmpty ? (true, weights) : nil
    }
}
