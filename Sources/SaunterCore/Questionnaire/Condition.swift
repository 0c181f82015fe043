/// One comparison of `enableWhen`: the answer to an earlier item is compared with a value.
package struct Condition: Sendable, Hashable {
    /// The operators of FHIR R4.
    package enum Comparison: String, Sendable, Hashable, CaseIterable {
        case exists, equal = "=", notEqual = "!=", greater = ">", less = "<", atLeast = ">=", atMost = "<="
    }

    /// The linkId of the item whose answer is compared.
    package var question: String
    /// The operator.
    package var comparison: Comparison
    /// A boolean for `exists`, otherwise a value of the question's type.
    package var answer: Answer

    /// Creates a condition. The caller checks that the answer has the type of the question.
    package init(question: String, comparison: Comparison, answer: Answer) {
        self.question = question
        self.comparison = comparison
        self.answer = answer
    }
}

/// Whether all conditions must be true, or at least one.
package enum EnableBehavior: String, Sendable, Hashable, CaseIterable {
    case all, any
}

extension Condition {
    /// Whether the condition is true for an answer; nil means no answer. It follows the rules of FHIR:
    /// - A repeating item satisfies a comparison if at least one of its answers does.
    /// - `!=` is true only if no answer is equal.
    /// - For a blank, `!=` and `exists` with `false` are true. All other comparisons are false.
    /// - Texts are compared by Unicode equivalence.
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

    /// Whether `left` is less. False for values without an order (codes, texts, booleans), and for values of different
    /// types.
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
    /// The indices of the options that were not offered, computed from the answers of a validated sheet.
    func withheld(by answer: (String) -> Answer?) -> Set<Int> {
        Set(
            answerOption.indices.filter { index in
                let option = answerOption[index]
                guard !option.enableWhen.isEmpty else { return false }
                let isOffered = option.enableBehavior.isEnabled(count: option.enableWhen.count) {
                    option.enableWhen[$0].holds(for: answer(option.enableWhen[$0].question))
                }
                return isOffered == false
            })
    }
}

extension EnableBehavior {
    /// Combines the outcomes of several conditions. Without conditions the result is true.
    /// - Parameter outcome: returns whether the condition at an index is true; nil if that depends on an invalid
    ///   answer.
    /// - Returns: nil if the result depends on a condition whose outcome is nil.
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
