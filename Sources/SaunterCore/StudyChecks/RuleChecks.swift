/// Checks the decision rules of a study: `rules.yaml`, and `links` of `study.yaml`.
extension StudyCheck {
    /// - Parameter collections: the codes of the collections of the study; nil if they are not known.
    mutating func checkRules(collections: Set<String>? = nil) {
        checkLinks()
        guard study.rules.count <= DecisionRule.maximumNumber else {
            faults.add(
                "/rules", "too_many",
                "A study has at most \(DecisionRule.maximumNumber) rules, not \(study.rules.count).")
            return
        }
        let signatures = VariableSignatures(study)
        var seen: Set<String> = []
        for (index, rule) in study.rules.enumerated() {
            let pointer = "/rules/\(index)"
            if !Self.isIdentifier(rule.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
            if !seen.insert(rule.code).inserted {
                faults.add("\(pointer)/code", "duplicate", "Another rule has this code.")
            } else if study.notificationRules.contains(where: { $0.code == rule.code }) {
                faults.add("\(pointer)/code", "duplicate", "A notice has this code.")
            }
            checkPoint(of: rule, signatures, collections, "\(pointer)/at/\(rule.point.name)")
            checkConditions(of: rule, signatures, pointer)
            checkRestrictions(of: rule, pointer)
            checkAction(of: rule, signatures, collections, pointer)
            checkRecipient(of: rule, pointer)
            checkPossibility(of: rule, pointer)
            if rule.message != nil { checkDailyMaximum(of: rule, pointer) }
        }
        checkRuleTexts(signatures)
    }

    private mutating func checkLinks() {
        for (name, address) in study.links.sorted(by: { $0.key < $1.key }) {
            let pointer = "/links/\(Fault.escape(name))"
            if !DefinitionName.isValid(name) {
                faults.add(pointer, "invalid_name", DefinitionName.rule)
            } else if VariableName.reserved.contains(name) || Self.rulePlaceholders.contains(name)
                || name == "content"
            {
                faults.add(pointer, "invalid_name", "\(name) has another meaning in texts.")
            } else if study.variables.contains(where: { $0.id == name }) {
                faults.add(pointer, "duplicate", "A variable has this id.")
            }
            if !address.hasPrefix("https://") || address.utf8.count > 2000
                || address.contains(where: \.isWhitespace)
            {
                faults.add(pointer, "not_https", "A link is an https address without spaces.")
            }
        }
    }

    /// The placeholders of every text of a rule.
    private static let rulePlaceholders = ["name", "study", "url"]

    // MARK: Conditions

    private mutating func checkConditions(
        of rule: DecisionRule, _ signatures: VariableSignatures, _ pointer: String
    ) {
        let elements = rule.point.elements
        var keyed: VariableSignature?
        if let literal = elements.literal {
            keyed = VariableSignature(.text)
            keyed?.key = .init(type: .text, known: Set(literal), label: .plain)
        } else if let over = elements.variable {
            let path = "\(pointer)/at/over"
            guard study.variables.contains(where: { $0.id == over }) else {
                faults.add(path, "unknown_variable", "There is no variable \(over.prefix(60)).", naming: over)
                return
            }
            // Without a signature, the variable has a fault, which is reported elsewhere.
            guard let signature = signatures[over] else { return }
            guard signature.key != nil else {
                faults.add(path, "not_keyed", "The variable \(over) has no keys.", naming: over)
                return
            }
            keyed = signature
        }
        if case .reached(let reached) = rule.point {
            checkRuleExpression(reached.condition, keyed, signatures, "\(pointer)/at/reached")
        }
        if let condition = rule.condition {
            checkRuleExpression(condition, keyed, signatures, "\(pointer)/when")
        }
    }

    private mutating func checkRuleExpression(
        _ source: String, _ keyed: VariableSignature?, _ signatures: VariableSignatures, _ pointer: String
    ) {
        let names = TailoringVariable(id: "", kind: .expression(source)).dependencies
        // A variable with a fault has no signature. Its fault is reported elsewhere.
        let hasFault = names.contains { id in
            signatures[id] == nil && study.variables.contains { $0.id == id }
        }
        guard !hasFault else { return }
        do throws(ExpressionFault) {
            let expression = try Expression(source, dialect: .variables)
            for name in expression.items.map({ VariableName($0) }) {
                if name.id == VariableName.value {
                    throw ExpressionFault(position: 1, detail: "`value` exists only in `where` of `keys`")
                }
                if name.needsKey, keyed == nil {
                    throw ExpressionFault(
                        position: 1,
                        detail: "`it` exists only in rules with `cycle`, or `reached` with `over`")
                }
            }
            try signatures.check(keyed: keyed).check(expression, expects: .boolean)
        } catch {
            faults.add([
                Fault(pointer: pointer, code: "bad_expression", detail: error.text, names: names)
            ])
        }
    }

    // MARK: Restrictions

    private mutating func checkRestrictions(of rule: DecisionRule, _ pointer: String) {
        if let item = rule.allowed {
            checkSetting(item, "\(pointer)/allowed", "a boolean") { $0.type == .boolean && !$0.repeats }
        }
        if let cooldown = rule.cooldown { checkLength(cooldown, 60, "\(pointer)/cooldown") }
        if let validity = rule.validFor { checkLength(validity, 60, "\(pointer)/valid_for") }
        if let limit = rule.limit {
            if !(1...100).contains(limit.messages) {
                faults.add("\(pointer)/limit/messages", "out_of_range", "The number must be 1 to 100.")
            }
            checkLength(limit.per, 60, "\(pointer)/limit/per")
            if !study.rules.contains(where: { $0.tags.contains(limit.among) }) {
                faults.add(
                    "\(pointer)/limit/among", "unknown_tag", "No rule has the tag \(limit.among.prefix(60)).")
            }
        }
        for (index, tag) in rule.tags.enumerated() where !Self.isIdentifier(tag) {
            faults.add("\(pointer)/tags/\(index)", "invalid_name", Self.identifierRule)
        }
        if let probability = rule.probability, !(probability > 0 && probability < 1) {
            faults.add(
                "\(pointer)/randomise/probability", "out_of_range",
                "The probability must be greater than 0 and less than 1.")
        }
    }

    private mutating func checkLength(_ seconds: Int, _ least: Int, _ pointer: String) {
        if !(least...Self.maximumDays * 86_400).contains(seconds) {
            faults.add(pointer, "out_of_range", "The time must be 1 minute to \(Self.maximumDays) days.")
        }
    }

    /// Checks that an item of the study's settings exists and has a suitable type.
    mutating func checkSetting(
        _ linkId: String, _ pointer: String, _ noun: String, _ fits: (Item) -> Bool
    ) {
        let path = "\(pointer)/setting"
        let questionnaires = study.settings.compactMap { study.questionnaire($0) }
        guard let item = questionnaires.lazy.flatMap(\.questions).first(where: { $0.linkId == linkId }) else {
            // A questionnaire of settings that does not exist is reported elsewhere.
            guard questionnaires.count == study.settings.count else { return }
            faults.add(
                path, "unknown_setting", "No questionnaire of settings has an item \(linkId.prefix(60)).",
                naming: linkId)
            return
        }
        if !fits(item) {
            faults.add(path, "wrong_setting", "The setting \(linkId) is not \(noun).", naming: linkId)
        }
    }

    // MARK: Action

    private mutating func checkAction(
        of rule: DecisionRule, _ signatures: VariableSignatures, _ collections: Set<String>?,
        _ rulePointer: String
    ) {
        let pointer = "\(rulePointer)/do/\(rule.action.name)"
        switch rule.action {
        case .message(let message): check(message, of: rule, signatures, collections, pointer)
        case .award(let award):
            if !Self.isIdentifier(award.code) {
                faults.add("\(pointer)/code", "invalid_name", Self.identifierRule)
            }
        case .event(let code): checkEvent(code, pointer)
        case .alert(let reason):
            if !Self.isIdentifier(reason) {
                faults.add("\(pointer)/about", "invalid_name", Self.identifierRule)
            }
        case .report:
            faults.add(pointer, "not_available", "Participant reports are not available yet.")
        }
        guard rule.message == nil else { return }
        for (name, isSet) in [("channels", rule.channels != nil), ("valid_for", rule.validFor != nil)]
        where isSet {
            faults.add("\(rulePointer)/\(name)", "not_permitted", "Only messages have `\(name)`.")
        }
    }

    private mutating func check(
        _ message: DecisionRule.Message, of rule: DecisionRule, _ signatures: VariableSignatures,
        _ collections: Set<String>?, _ pointer: String
    ) {
        if study.reminder == nil {
            faults.add(
                pointer, "no_reminder", "The study needs a `reminder` section, which defines the quiet hours."
            )
        }
        if let target = message.target {
            let known = study.links.keys.sorted() + placeholders(of: rule, signatures)
            checkPlaceholders(target, "\(pointer)/target", among: known)
            if !target.hasPrefix("{{"), !DecisionRule.Message.isTarget(target) {
                faults.add("\(pointer)/target", "invalid_target", DecisionRule.Message.targetRule)
            }
        }
        if let content = message.content {
            checkCollection(content.collection, collections, "\(pointer)/content/collection")
            if content.selection == .published, rule.point.name != "published" {
                faults.add(
                    "\(pointer)/content/select", "not_permitted",
                    "`select: published` is only possible with `at: {published: …}`.")
            }
            if let condition = content.condition {
                do throws(ExpressionFault) {
                    _ = try Expression(condition, dialect: .variables)
                } catch {
                    faults.add("\(pointer)/content/where", "bad_expression", error.text)
                }
            }
        }
        if let list = message.lineFor {
            if !study.variables.contains(where: { $0.id == list }) {
                faults.add(
                    "\(pointer)/line_for", "unknown_variable", "There is no variable \(list.prefix(60)).",
                    naming: list)
            } else if let signature = signatures[list], signature.key == nil {
                faults.add(
                    "\(pointer)/line_for", "not_keyed", "The variable \(list) has no keys.", naming: list)
            }
        }
    }

    mutating func checkCollection(_ code: String, _ collections: Set<String>?, _ pointer: String) {
        if !study.hasCollection(code, among: collections) {
            faults.add(
                pointer, "unknown_collection", "The study has no collection \(code.prefix(60)).", naming: code
            )
        }
    }

    private mutating func checkRecipient(of rule: DecisionRule, _ pointer: String) {
        guard rule.recipient == .groupAdmins else { return }
        if rule.point.name != "calendar" || rule.message == nil {
            faults.add(
                "\(pointer)/to", "not_permitted",
                "Only messages at calendar points are possible for group_admins.")
        }
        let own: [(String, Bool)] = [
            ("when", rule.condition != nil), ("allowed", rule.allowed != nil),
            ("cooldown", rule.cooldown != nil),
            ("limit", rule.limit != nil), ("randomise", rule.probability != nil),
            ("channels", rule.channels != nil),
        ]
        for (name, isSet) in own where isSet {
            faults.add(
                "\(pointer)/\(name)", "not_permitted", "`\(name)` concerns a participant, not group_admins.")
        }
        if !rule.point.settings.isEmpty {
            faults.add("\(pointer)/at", "not_permitted", "Group administrators have no settings.")
        }
    }

    // MARK: Texts

    private mutating func checkRuleTexts(_ signatures: VariableSignatures) {
        let awards = study.rules.compactMap { rule -> String? in
            if case .award(let award) = rule.action { award.code } else { nil }
        }
        for language in study.languages {
            guard let text = study.text[language] else { continue }
            let section = "/text/\(Fault.escape(language))"
            for (code, texts) in text.rules.sorted(by: { $0.key < $1.key }) {
                let path = "\(section)/rules/\(Fault.escape(code))"
                guard let rule = study.rule(code), let message = rule.message else {
                    faults.add(
                        path, "unknown_rule", "The study has no rule \(code.prefix(60)) with a message.",
                        naming: code)
                    continue
                }
                check(texts, of: rule, message, signatures, path)
            }
            for rule in study.rules where rule.message != nil && text.rules[rule.code] == nil {
                faults.add(
                    "\(section)/rules", "missing_text", "There is no text for rule \(rule.code).",
                    naming: rule.code)
            }
            for (code, texts) in text.awards.sorted(by: { $0.key < $1.key }) {
                let path = "\(section)/awards/\(Fault.escape(code))"
                guard awards.contains(code) else {
                    faults.add(
                        path, "unknown_award", "No rule grants the award \(code.prefix(60)).", naming: code)
                    continue
                }
                require(texts.title, "\(path)/title")
                require(texts.text, "\(path)/text")
            }
            for code in Set(awards).sorted() where text.awards[code] == nil {
                faults.add(
                    "\(section)/awards", "missing_text", "There is no text for award \(code).", naming: code)
            }
        }
    }

    private mutating func check(
        _ texts: RuleText, of rule: DecisionRule, _ message: DecisionRule.Message,
        _ signatures: VariableSignatures, _ pointer: String
    ) {
        require(texts.subject, "\(pointer)/subject")
        require(texts.body, "\(pointer)/body")
        let known = Self.rulePlaceholders + study.links.keys.sorted() + placeholders(of: rule, signatures)
        checkPlaceholders(texts.subject, "\(pointer)/subject", among: known)
        checkPlaceholders(
            texts.body, "\(pointer)/body", among: message.lineFor == nil ? known : known + ["lines"])
        switch (message.lineFor, texts.line) {
        case (nil, nil): break
        case (nil, .some):
            faults.add("\(pointer)/line", "not_permitted", "Only a message with `line_for` has a `line`.")
        case (.some, nil):
            faults.add(pointer, "missing_text", "The text `line` is missing.")
        case (let list?, let line?):
            require(line, "\(pointer)/line")
            let keyed = study.variables.map(\.id).filter { signatures[$0]?.key != nil }.map { "\($0).it" }
            // The key of an entry is its id, which is not for people.
            let key = signatures[list]?.key?.label == .sheet ? [] : ["it", "it.code"]
            checkPlaceholders(line, "\(pointer)/line", among: known + keyed + key)
        }
    }

    /// The placeholders that follow from the rule: variables, and with keys or content also those.
    private func placeholders(of rule: DecisionRule, _ signatures: VariableSignatures) -> [String] {
        var known: [String] = []
        let elements = rule.point.elements
        let hasKeys = elements.literal != nil || elements.variable != nil
        if hasKeys { known += ["it", "it.code"] }
        for variable in study.variables where rule.recipient == .participant {
            known += [variable.id, "\(variable.id).n"]
            guard let signature = signatures[variable.id] else { continue }
            if signature.isStreak, signature.key == nil { known += ["\(variable.id).best"] }
            if signature.key != nil, hasKeys { known.append("\(variable.id).it") }
            known += (signature.key?.known ?? []).sorted().map { "\(variable.id).\($0)" }
        }
        return known + contentPlaceholders(of: rule)
    }

    /// The fields of the content in a message. If the collection is not known, those that the texts name.
    private func contentPlaceholders(of rule: DecisionRule) -> [String] {
        var code = rule.message?.content?.collection
        if case .published(let published) = rule.point { code = code ?? published }
        guard let code else { return [] }
        if let collection = library?.collection(code) {
            return collection.fields.filter { ![.media, .map].contains($0.kind) }.map { "content.\($0.name)" }
        }
        let texts = study.text.values.compactMap { $0.rules[rule.code] }
        let templates = texts.flatMap { [$0.subject, $0.body] } + [rule.message?.target].compactMap(\.self)
        return templates.flatMap { TextTemplate.names(in: $0) }.filter { $0.hasPrefix("content.") }
    }
}

extension DecisionRule.Message {
    /// Whether a text without placeholders is a target.
    package static func isTarget(_ text: String) -> Bool {
        guard !text.contains(where: \.isWhitespace) else { return false }
        return text.hasPrefix("https://") || !text.contains(":") && !text.hasPrefix("/")
    }

    /// The sentence for a text that is not a target.
    package static let targetRule =
        "A target is an https address, or a path in the app without a slash at its beginning."
}
