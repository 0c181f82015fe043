extension Condition {
    /// Whether the condition holds for what was answered (nil = no answer). FHIR's rules: a repeating item
    /// fulfils a comparison if any of its answers does, but `!=` only if none is equal; so `!=` holds for a
    /// blank and the other comparisons do not. Texts compare by Unicode equivalence.
    package func holds(for answer: Answer?) -> Bool {
        switch comparison {
        case .exists: self.answer == .boolean(answer != nil)
        case .equal: values(of: answer).contains { equals($0) }
        case .notEqual: !values(of: answer).contains { equals($0) }
        case .greater: values(of: answer).contains { Self.isLess(self.answer, $0) }
        case .less: values(of: answer).contains { Self.isLess($0, self.answer) }
        case .atLeast: values(of: answer).contains { equals($0) || Self.isLess(self.answer, $0) }
        case .atMost: values(of: answer).contains { equals($0) || Self.isLess($0, self.answer) }
        }
    }

    private func values(of answer: Answer?) -> [Answer] { answer?.values ?? [] }

    private func equals(_ given: Answer) -> Bool {
        guard case .quantity(let left) = given, case .quantity(let right) = answer,
            let (own, wanted) = UCUMScale.amounts(left, right)
        else { return given == answer }
        return !(own < wanted) && !(wanted < own)
    }

    /// False for values without an order (codes, texts, booleans) and for values of different types.
    private static func isLess(_ left: Answer, _ right: Answer) -> Bool {
        switch (left, right) {
        case (.integer(let left), .integer(let right)): left < right
        case (.decimal(let left), .decimal(let right)): left < right
        case (.date(let left), .date(let right)): left < right
        case (.time(let left), .time(let right)): left < right
        case (.dateTime(let left), .dateTime(let right)): left < right
        case (.quantity(let left), .quantity(let right)):
            UCUMScale.amounts(left, right).map { $0 < $1 } ?? false
        case (.option(.integer(let left)), .option(.integer(let right))): left < right
        default: false
        }
    }
}

extension Item {
    /// The places of the options that were not offered, by the answers of a sheet that is settled.
    func withheld(by answer: (String) -> Answer?) -> Set<Int> {
        Set(
            answerOption.indices.filter { place in
                let option = answerOption[place]
                guard !option.enableWhen.isEmpty else { return false }
                let isOffered = option.enableBehavior.isEnabled(count: option.enableWhen.count) {
                    option.enableWhen[$0].holds(for: answer(option.enableWhen[$0].question))
                }
                return isOffered == false
            })
    }
}

extension EnableBehavior {
    /// Whether conditions enable what they belong to. `outcome` tells of the condition at an index whether it holds;
    /// nil = cannot be told, because the question's answer is faulty. The result is nil when it hangs on such
    /// a condition. No condition at all enables.
    package func isEnabled(count: Int, _ outcome: (Int) -> Bool?) -> Bool? {
        if count == 0 { return true }
        let deciding = self == .any
        var isKnown = true
        for index in 0..<count {
            switch outcome(index) {
            case deciding?: return deciding
            case nil: isKnown = false
            default: break
            }
        }
        return isKnown ? !deciding : nil
    }
}
