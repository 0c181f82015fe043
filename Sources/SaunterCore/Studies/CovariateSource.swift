/// The answer that supplies a covariate of the study's scoring keys: one item of one questionnaire.
package struct CovariateSource: Sendable, Hashable {
    /// How the answer becomes a value.
    package enum Reading: String, Sendable, Hashable, CaseIterable {
        /// The answer itself: its number or its code.
        case value
        /// Full years from a date to the day of the scored sheet. If the answer is a year: the difference of the years.
        case yearsSince = "years_since"
    }

    /// Id of the covariate in the scoring keys.
    package var id: String
    /// Code of the questionnaire.
    package var questionnaire: String
    /// linkId of the item.
    package var item: String
    /// How the answer becomes the value of the covariate.
    package var reading: Reading
    /// Answer as written in definitions -> code of the scoring key. Empty if the answers are the codes or numbers of
    /// the key.
    package var codes: [String: String]

    /// Creates a source; by default the answer itself is the value.
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

extension CovariateSource {
    /// The value of the covariate on a day. Nil if the answer has no such value.
    /// - Parameter asCode: whether the key needs a code instead of a number.
    func value(of answer: Answer, to item: Item, on day: LocalDate, asCode: Bool) -> CovariateValue? {
        if reading == .yearsSince { return years(since: answer, on: day).map { .number(Double($0)) } }
        if asCode {
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
    /// A single answer as written in definitions. Nil if the answer is not a code.
    fileprivate var written: String? {
        switch self {
        case .option(let value): value.text
        case .boolean(let truth): truth ? "true" : "false"
        case .integer(let number): String(number)
        case .decimal, .text, .date, .time, .dateTime, .options, .freeText, .optionsAndFreeText, .quantity,
            .ranking, .location, .comparedWords, .list, .instances:
            nil
        }
    }
}
