import SaunterCore

/// Conditions and rules in FHIRPath, as far as our own words can say them. The rest is kept, and remarked on.
extension FHIRReading {
    /// Puts `enableWhenExpression` of every item into our words.
    mutating func readExpressions(_ items: inout [Item]) {
        let asked = known(items)
        translateConditions(&items, asked)
    }

    private mutating func translateConditions(_ items: inout [Item], _ asked: Known) {
        for index in items.indices {
            let name = items[index].linkId
            for element in sources[name]?["extension"]?.array ?? [] {
                guard let url = element["url"]?.string,
                    url.hasSuffix("/sdc-questionnaire-enableWhenExpression"),
                    items[index].enableWhenExpression == nil,
                    let source = Self.path(element["valueExpression"])
                else { continue }
                if let expression = translate(source, asked, own: nil, at: places[name] ?? place) {
                    items[index].enableWhenExpression = expression
                    understand([url], of: name)
                }
            }
            translateConditions(&items[index].item, asked)
        }
    }

    /// Rules of items and of the whole, in the order of the file.
    mutating func targetConstraints(_ items: [Item]) -> [(rule: Constraint, words: String)] {
        let asked = known(items)
        var keys = NameMaker()
        for (rule, _) in constraints { _ = keys.take(rule.key) }
        var found: [(rule: Constraint, words: String)] = []
        for element in resource["extension"]?.array ?? [] {
            if let rule = rule(element, of: nil, asked, &keys, at: place) {
                found.append(rule)
                understoodOfAll.append(element)
            }
        }
        for item in Self.all(items) {
            let elements = (sources[item.linkId]?["extension"]?.array ?? []).filter(Self.isRule)
            let rules = elements.compactMap {
                rule($0, of: item, asked, &keys, at: places[item.linkId] ?? place)
            }
            found += rules
            if rules.count == elements.count {
                understand(Set(elements.compactMap { $0["url"]?.string }), of: item.linkId)
            }
        }
        return found
    }

    private static func isRule(_ element: JSON) -> Bool {
        let url = element["url"]?.string ?? ""
        return url.hasSuffix("/targetConstraint") || url.hasSuffix("/questionnaire-constraint")
    }

    private mutating func rule(
        _ element: JSON, of item: Item?, _ asked: Known, _ keys: inout NameMaker, at place: String
    ) -> (rule: Constraint, words: String)? {
        guard Self.isRule(element) else { return nil }
        let parts = element["extension"]?.array ?? []
        func part(_ name: String) -> JSON? {
            parts.first { $0["url"]?.string == name }?.object?.first { $0.name.hasPrefix("value") }?.value
        }
        guard let source = part("expression").flatMap({ $0.string ?? Self.path($0) }),
            let expression = translate(source, asked, own: item, at: place)
        else { return nil }
        let key = keys.take(part("key")?.string ?? "rule", letter: "r")
        let severity = self.severity(part("severity"), at: place)
        let rule = Constraint(
            key: key, severity: severity, expression: expression,
            item: item.flatMap { $0.type.isQuestion ? $0.linkId : nil })
        return (rule, part("human")?.string?.nonBlank ?? part("requirements")?.string?.nonBlank ?? key)
    }

    /// What is less than an error refuses no answer.
    private mutating func severity(_ given: JSON?, at place: String) -> Constraint.Severity {
        guard let given else { return .error }
        if let known = given.string.flatMap({ Constraint.Severity(rawValue: $0) }) { return known }
        let name = given.string ?? given.text
        remark(
            Remark(
                place: "\(place)/extension",
                detail: "a rule of the severity \(name.prefix(40)) is taken as a warning"))
        return .warning
    }

    /// The text of an expression that is said to be of FHIRPath.
    private static func path(_ expression: JSON?) -> String? {
        guard let expression, expression["language"] == "text/fhirpath" else { return nil }
        return expression["expression"]?.string?.nonBlank
    }

    private mutating func translate(
        _ source: String, _ asked: Known, own: Item?, at place: String
    ) -> String? {
        let reading = self
        var translation = FHIRPathTranslation(items: asked.items, parents: asked.parents, own: own) {
            linkId, code in
            reading.option(code: code, of: linkId)
        }
        do throws(LogicFault) {
            return try translation.expression(source)
        } catch {
            remark(
                Remark(
                    place: "\(place)/extension",
                    detail: "a rule in FHIRPath is not carried out: \(error.detail)"))
            return nil
        }
    }

    /// The only option of an item that has this code there, whatever its system.
    private func option(code: String, of linkId: String) -> OptionValue? {
        let codings = names.codings[linkId] ?? [:]
        let found = codings.filter { $0.value["valueCoding"]?["code"]?.string == code }.map(\.key)
        if found.count == 1 { return .code(found[0]) }
        return found.isEmpty && codings[code] == nil && optionCodes[linkId]?.contains(code) == true
            ? .code(code) : nil
    }

    /// Items that have one answer or one list of answers, and groups that are there once.
    private struct Known {
        /// linkId there -> the item here.
        var items: [String: Item] = [:]
        /// linkId -> what it stands under there, by its linkId here.
        var parents: [String: String] = [:]
    }

    private func known(_ items: [Item]) -> Known {
        var known = Known()
        func add(_ items: [Item], in group: String?) {
            for item in items where !item.isRepeatingGroup {
                let there = names.linkIds[item.linkId] ?? item.linkId
                if linkIds[there] == item.linkId { known.items[there] = item }
                known.parents[item.linkId] = names.under[item.linkId] ?? group
                add(item.item, in: item.linkId)
            }
        }
        add(items, in: nil)
        return known
    }

    private static func all(_ items: [Item]) -> [Item] { items.flatMap { [$0] + all($0.item) } }
}
