/// Where a study takes a covariate of its scoring keys from: an item of one of its questionnaires.
package struct CovariateOrigin: Sendable, Hashable {
    /// What is made of the answer.
    package enum Reading: String, Sendable, Hashable, CaseIterable {
        /// The answer itself: what it counts, or its code.
        case value
        /// Full years from a date to the scored sheet's day; the difference of the years where the answer is a
        /// year.
        case yearsSince = "years_since"
    }

    /// The covariate's id, as scoring keys have it.
    package var id: String
    /// Code of the questionnaire that asks.
    package var questionnaire: String
    /// linkId of the question.
    package var item: String
    package var reading: Reading
    /// Answer as it is written -> code of the key; empty where the answers are the key's codes or numbers.
    package var codes: [String: String]

    package init(
        id: String, questionnaire: String, item: String, reading: Reading = .value,
        codes: [String: String] = [:]
    ) {
        self.id = id
        self.questionnaire = questionnaire
        self.item = item
        self.reading = reading
        self.codes = codes
    }
}

extension CovariateOrigin {
    /// What the answer says of the person on a day; nil where it says nothing.
    /// - Parameter wantsCode: whether the key asks for a code rather than a number.
    func value(of answer: Answer, to item: Item, on day: LocalDate, wantsCode: Bool) -> CovariateValue? {
        if reading == .yearsSince { return years(since: answer, on: day).map { .number(Double($0)) } }
        if wantsCode {
            guard let written = answer.written else { return nil }
            return (codes.isEmpty ? written : codes[written]).map { .code($0) }
        }
        guard let number = ItemWeights(item).value(of: answer)?.double, number.isFinite else { return nil }
        return .number(number)
    }

    private func years(since answer: Answer, on day: LocalDate) -> Int? {
        let today = day.components
        switch answer {
        case .date(let date):
            let then = date.components
            let isBefore = (today.month, today.day) < (then.month, then.day)
            return today.year - then.year - (isBefore ? 1 : 0)
        case .integer(let year) where (1...9999).contains(year): return today.year - year
        default: return nil
        }
    }
}

extension Answer {
    /// As definitions write a single answer; nil for what is no code.
    fileprivate var written: String? {
        switch self {
        case .option(let value): value.text
        case .boolean(let truth): truth ? "true" : "false"
        case .integer(let number): String(number)
        case .decimal, .text, .date, .time, .dateTime, .options, .words, .optionsAndWords, .quantity,
            .ranking,
            .list, .instances:
            nil
        }
    }
}
