/// Checks the texts of variables: section `variables` of `content/text.<language>.yaml`.
extension StudyCheck {
    mutating func checkVariableTexts(_ signatures: VariableSignatures) {
        let variables = Dictionary(
            study.variables.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        for language in study.languages {
            guard let texts = study.text[language]?.variables else { continue }
            let section = "/text/\(Fault.escape(language))/variables"
            for (id, text) in texts.sorted(by: { $0.key < $1.key }) {
                let pointer = "\(section)/\(Fault.escape(id))"
                guard let variable = variables[id] else {
                    faults.add(
                        pointer, "unknown_variable", "The study has no variable \(id.prefix(60)).", naming: id
                    )
                    continue
                }
                check(text, of: variable, signatures[id], pointer)
            }
            for variable in study.variables where variable.shown != .hidden && texts[variable.id] == nil {
                faults.add(
                    section, "missing_text", "There is no text for variable \(variable.id), which is shown.",
                    naming: variable.id)
            }
        }
    }

    private mutating func check(
        _ text: VariableText, of variable: TailoringVariable, _ signature: VariableSignature?,
        _ pointer: String
    ) {
        require(text.title, "\(pointer)/title")
        let comparisons = [("above", text.above), ("below", text.below), ("equal", text.equal)]
        let sentences = comparisons + [("text", text.text)]
        let expected = variable.isComparison ? comparisons : [("text", text.text)]
        for (name, sentence) in sentences where sentence != nil && !expected.contains(where: { $0.0 == name })
        {
            faults.add(
                "\(pointer)/\(name)", "not_permitted",
                variable.isComparison
                    ? "The kind `\(variable.kind.name)` has the texts above, below and equal."
                    : "Only the kinds `change` and `slope` have the texts above, below and equal.")
        }
        // Without a signature, the definition has a fault, which is reported elsewhere.
        guard let signature else { return }
        let hasValue = signature.shape.hasValue
        for (name, sentence) in expected {
            if let sentence {
                require(sentence, "\(pointer)/\(name)")
                let best = signature.isStreak ? ["best"] : []
                checkPlaceholders(
                    sentence, "\(pointer)/\(name)", among: hasValue ? ["value", "n"] + best : ["n"])
            } else if hasValue, variable.shown != .hidden {
                faults.add(pointer, "missing_text", "The text `\(name)` is missing.")
            }
        }
    }
}
