import SaunterCore

/// Reads scores: the variables that Saunter's own export writes, and calculated totals of SDC. Those that a scoring key
/// cannot express exactly are preserved, with a remark.
extension FHIRQuestionnaireReader {
    /// The URL of the extension that contains the id of a scale in Saunter's own export.
    static let scaleURL = "urn:saunter:scale"
    /// The URL of the extension that contains the `minimum` of the scale.
    static let scaleMinimumURL = "urn:saunter:scale-minimum"
    /// The URL of the extension that contains the `maximum` of the scale.
    static let scaleMaximumURL = "urn:saunter:scale-maximum"

    /// The scales of the questionnaire. An item that shows a score is hidden, because participants must not answer it.
    /// - Returns: the scales, and the labels by scale id.
    mutating func readScores(_ items: inout [Item]) -> (scales: [Scale], labels: [String: String]) {
        var scores = FHIRScoreCollection()
        for item in items.withDescendants { _ = scores.names.makeName(item.linkId) }
        let isOwn = resource["url"]?.string?.hasPrefix(FHIRQuestionnaire.url("")) == true
        for element in resource["extension"]?.array ?? [] {
            guard let (variable, source) = Self.variable(element) else { continue }
            var parser = sumParser(items, scores.variables)
            guard let id = Self.scaleID(element) ?? (isOwn ? Self.snakeCase(variable) : nil) else {
                scores.variables[variable] = try? parser.value(source)
                scores.unusedVariables.append(element)
                continue
            }
            do throws(TranslationError) {
                let label = element["valueExpression"]?["description"]?.string?.nonBlank ?? id
                var scale = try scale(of: try parser.sum(source), id, items)
                scale.minimum = Self.scaleExtension(element, Self.scaleMinimumURL)?["valueDecimal"]?.double
                scale.maximum = Self.scaleExtension(element, Self.scaleMaximumURL)?["valueDecimal"]?.double
                scores.add(scale, label)
                scores.variables[variable] = .sum(WeightedSum(names: [id], skipsMissing: false))
                importedRootExtensions.append(element)
            } catch {
                remark(
                    Remark(
                        location: "\(location)/extension",
                        detail: "the score \(id) is not imported: \(error.detail)"))
            }
        }
        let whole = items
        readTotals(&items, whole, &scores)
        readUnstatedTotals(&items, &scores)
        if scores.scales.contains(where: { $0.missing != .complete }) {
            remark(
                Remark(
                    location: "\(location)/item",
                    detail: "in some scores a missing answer counts as 0, as in the source; "
                        + "without any answer there is no score"))
        }
        return (scores.scales, scores.labels)
    }

    private mutating func readTotals(
        _ items: inout [Item], _ whole: [Item], _ scores: inout FHIRScoreCollection
    ) {
        for index in items.indices {
            let linkId = items[index].linkId
            let extensions = sources[linkId]?["extension"]?.array ?? []
            for element in extensions {
                guard let url = element["url"]?.string,
                    url.hasSuffix("/sdc-questionnaire-calculatedExpression"),
                    let source = Self.path(element["valueExpression"])
                else { continue }
                markImported([url], of: linkId)
                let itemLocation = locations[linkId] ?? location
                do throws(TranslationError) {
                    guard items[index].type.isQuestion, !items[index].type.hasOptions else {
                        throw TranslationError(detail: "the item is not a number")
                    }
                    var variables = scores.variables
                    for (name, source) in extensions.compactMap(Self.variable) {
                        var parser = sumParser(whole, variables)
                        variables[name] = try? parser.value(source)
                    }
                    var parser = sumParser(whole, variables)
                    let sum = try parser.sum(source)
                    let id = scores.names.makeName("\(String(linkId.prefix(17)))_score", letter: "s")
                    scores.add(try scale(of: sum, id, whole), text[language]?.items[linkId] ?? id)
                    (items[index].hidden, items[index].required) = (true, false)
                    importedRootExtensions += scores.unusedVariables
                    markImported(["http://hl7.org/fhir/StructureDefinition/variable"], of: linkId)
                    remark(
                        Remark(
                            location: itemLocation,
                            detail: "\(linkId) is hidden: it is computed as the score \(id)"))
                } catch {
                    remark(
                        Remark(
                            location: "\(itemLocation)/extension",
                            detail: "the calculation is not imported as a score, so participants are asked: "
                                + error.detail))
                }
            }
            readTotals(&items[index].item, whole, &scores)
        }
    }

    /// The scale that computes a sum.
    /// - Parameter items: all items of the questionnaire.
    /// - Throws: `TranslationError` if a scoring key cannot express it.
    func scale(of sum: WeightedSum, _ id: String, _ items: [Item]) throws(TranslationError) -> Scale {
        let scale = sum.scale(id) { items.first(linkId: $0).flatMap(Self.reversalSum) }
        guard let scale else {
            throw TranslationError(detail: "a scoring key cannot express its numbers exactly")
        }
        return scale
    }

    private func sumParser(
        _ items: [Item], _ variables: [String: FHIRPathSumParser.Value]
    ) -> FHIRPathSumParser {
        FHIRPathSumParser(topItems: items, linkIds: linkIds, variables: variables)
    }

    /// The name and the expression of a variable.
    private static func variable(_ element: JSON) -> (name: String, source: String)? {
        guard element["url"]?.string?.hasSuffix("/variable") == true,
            let name = element["valueExpression"]?["name"]?.string,
            let source = path(element["valueExpression"])
        else { return nil }
        return (name, source)
    }

    /// The id of the scale that a variable of Saunter's own export computes; nil for other variables.
    static func scaleID(_ element: JSON) -> String? {
        scaleExtension(element, scaleURL)?["valueString"]?.string
    }

    private static func scaleExtension(_ element: JSON, _ url: String) -> JSON? {
        element["valueExpression"]?["extension"]?.array?.first { $0["url"]?.string == url }
    }

    /// `lowEfficacy` becomes `low_efficacy`. Earlier exports have no ids of scales.
    private static func snakeCase(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? "_\($1.lowercased())" : String($1) }
    }

    /// The least plus the greatest value of an item: its reversed value is this number minus its value. Nil if the item
    /// has no declared range.
    static func reversalSum(of item: Item) -> Fraction? {
        var values: [Double] = []
        switch item.type.form {
        case .truth: values = [0, 1]
        case .number: values = [item.minValue, item.maxValue].compactMap(\.self)
        case .options:
            values = item.answerOption.compactMap(\.number)
            guard values.count == item.answerOption.count else { return nil }
        case .nothing, .text, .moment, .ranking, .location: break
        }
        guard values.count > 1 || item.type.hasOptions, !item.repeats,
            let least = values.min().flatMap({ Fraction(decimal: $0) }),
            let greatest = values.max().flatMap({ Fraction(decimal: $0) })
        else { return nil }
        return least.plus(greatest)
    }
}

/// The scores that were read so far.
struct FHIRScoreCollection {
    var scales: [Scale] = []
    /// Scale id -> label.
    var labels: [String: String] = [:]
    /// Name -> value of a variable.
    var variables: [String: FHIRPathSumParser.Value] = [:]
    /// Variables that have an effect only if a score uses them.
    var unusedVariables: [JSON] = []
    var names = NameGenerator()

    mutating func add(_ scale: Scale, _ label: String) {
        scales.append(scale)
        labels[scale.id] = label
    }
}
