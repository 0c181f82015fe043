import SaunterCore

/// Reads conditions and constraints in FHIRPath. Those that cannot be translated are preserved, with a remark.
extension FHIRQuestionnaireReader {
    /// Translates the `enableWhenExpression` of every item.
    mutating func readExpressions(_ items: inout [Item]) {
        let knownItems = known(items)
        translateConditions(&items, knownItems)
    }

    private mutating func translateConditions(_ items: inout [Item], _ knownItems: KnownItems) {
        for index in items.indices {
            let name = items[index].linkId
            for element in sources[name]?["extension"]?.array ?? [] {
                guard let url = element["url"]?.string,
                    url.hasSuffix("/sdc-questionnaire-enableWhenExpression"),
                    items[index].enableWhenExpression == nil,
                    let source = Self.path(element["valueExpression"])
                else { continue }
                if let expression = translate(
                    source, knownItems, currentItem: nil, at: locations[name] ?? location)
                {
                    items[index].enableWhenExpression = expression
                    markImported([url], of: name)
                }
            }
            translateConditions(&items[index].item, knownItems)
        }
    }

    /// Reads the constraints in FHIRPath of the questionnaire and of its items, in the order of the file.
    mutating func readPathConstraints(_ items: [Item]) -> [(rule: Constraint, message: String)] {
        let knownItems = known(items)
        var keys = NameGenerator()
        for (rule, _) in constraints { _ = keys.makeName(rule.key) }
        var found: [(rule: Constraint, message: String)] = []
        for element in resource["extension"]?.array ?? [] {
            if let rule = readConstraint(element, of: nil, knownItems, &keys, at: location) {
                found.append(rule)
                importedRootExtensions.append(element)
            }
        }
        for item in items.withDescendants {
            let elements = (sources[item.linkId]?["extension"]?.array ?? []).filter(Self.isConstraint)
            let rules = elements.compactMap {
                readConstraint($0, of: item, knownItems, &keys, at: locations[item.linkId] ?? location)
            }
            found += rules
            if rules.count == elements.count {
                markImported(Set(elements.compactMap { $0["url"]?.string }), of: item.linkId)
            }
        }
        return found
    }

    private static func isConstraint(_ element: JSON) -> Bool {
        let url = element["url"]?.string ?? ""
        return url.hasSuffix("/targetConstraint") || url.hasSuffix("/questionnaire-constraint")
    }

    private mutating func readConstraint(
        _ element: JSON, of item: Item?, _ knownItems: KnownItems, _ keys: inout NameGenerator,
        at location: String
    ) -> (rule: Constraint, message: String)? {
        guard Self.isConstraint(element) else { return nil }
        let parts = element["extension"]?.array ?? []
        func part(_ name: String) -> JSON? {
            parts.first { $0["url"]?.string == name }?.object?.first { $0.name.hasPrefix("value") }?.value
        }
        guard let source = part("expression").flatMap({ $0.string ?? Self.path($0) }),
            let expression = translate(source, knownItems, currentItem: item, at: location)
        else { return nil }
        let key = keys.makeName(part("key")?.string ?? "rule", letter: "r")
        let severity = readSeverity(part("severity"), at: location)
        let rule = Constraint(
            key: key, severity: severity, expression: expression,
            item: item.flatMap { $0.type.isQuestion ? $0.linkId : nil })
        return (rule, part("human")?.string?.nonBlank ?? part("requirements")?.string?.nonBlank ?? key)
    }

    /// The severity of a constraint. Unknown severities become warnings, because only an error rejects answers.
    private mutating func readSeverity(_ given: JSON?, at location: String) -> Constraint.Severity {
        guard let given else { return .error }
        if let known = given.string.flatMap({ Constraint.Severity(rawValue: $0) }) { return known }
        let name = given.string ?? given.text
        remark(
            Remark(
                location: "\(location)/extension",
                detail: "a rule of the severity \(name.prefix(40)) is imported as a warning"))
        return .warning
    }

    /// The text of an expression, if its language is FHIRPath.
    static func path(_ expression: JSON?) -> String? {
        guard let expression, expression["language"] == "text/fhirpath" else { return nil }
        return expression["expression"]?.string?.nonBlank
    }

    private mutating func translate(
        _ source: String, _ knownItems: KnownItems, currentItem: Item?, at location: String
    ) -> String? {
        let reader = self
        var translation = FHIRPathTranslator(
            items: knownItems.items, parents: knownItems.parents, currentItem: currentItem
        ) {
            linkId, code in
            reader.option(code: code, of: linkId)
        }
        do throws(TranslationError) {
            return try translation.expression(source)
        } catch {
            remark(
                Remark(
                    location: "\(location)/extension",
                    detail: "a rule in FHIRPath is not applied: \(error.detail)"))
            return nil
        }
    }

    /// The option of an item that has this code in the source, regardless of the code system; nil if there is none, or
    /// more than one.
    private func option(code: String, of linkId: String) -> OptionValue? {
        let codings = mapping.codings[linkId] ?? [:]
        let found = codings.filter { $0.value["valueCoding"]?["code"]?.string == code }.map(\.key)
        if found.count == 1 { return optionValue(found[0], of: linkId) }
        return found.isEmpty && codings[code] == nil && optionCodes[linkId]?.contains(code) == true
            ? .code(code) : nil
    }

    /// The items that expressions may use: those outside repeating groups.
    private struct KnownItems {
        /// linkId in the source -> item.
        var items: [String: Item] = [:]
        /// linkId -> linkId of the group or question that contains it in the source.
        var parents: [String: String] = [:]
    }

    private func known(_ items: [Item]) -> KnownItems {
        var known = KnownItems()
        func add(_ items: [Item], in group: String?) {
            for item in items where !item.isRepeatingGroup {
                let sourceLinkId = mapping.linkIds[item.linkId] ?? item.linkId
                if linkIds[sourceLinkId] == item.linkId { known.items[sourceLinkId] = item }
                known.parents[item.linkId] = mapping.parentQuestions[item.linkId] ?? group
                add(item.item, in: item.linkId)
            }
        }
        add(items, in: nil)
        return known
    }
}
