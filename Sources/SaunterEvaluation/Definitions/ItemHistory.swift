import SaunterCore

/// One question through the versions of its instrument.
package struct ItemHistory: Sendable, Hashable {
    /// The question in one version, and where its answers are stored.
    package struct Appearance: Sendable, Hashable {
        package let version: String
        package let item: Item
        /// Place of its first slot, from 0.
        let slot: Int
        /// Place of its number, from 0, for items that have one.
        let number: Int?

        /// The slot of what a column is about, one of `columnOptions`; nil when this version does not offer the option.
        func slot(of option: OptionValue?) -> Int? {
            guard let option, item.type != .quantity else { return slot }
            if let place = item.answerOption.firstIndex(where: { $0.value == option }) { return slot + place }
            let isOther = item.type == .openChoice && option == .code(Item.otherCode)
            return isOther ? slot + item.answerOption.count : nil
        }
    }

    package let linkId: String
    package let instrument: String
    /// In the order of first publication; never empty.
    package let appearances: [Appearance]

    init(item: Item, instrument: String, versions: [Questionnaire], codecs: [AnswerCodec]) {
        linkId = item.linkId
        self.instrument = instrument
        appearances = zip(versions, codecs).compactMap { questionnaire, codec in
            guard let slot = codec.slotIndex(of: item.linkId),
                let found = questionnaire.questions.first(where: { $0.linkId == item.linkId })
            else { return nil }
            return Appearance(
                version: questionnaire.version, item: found, slot: slot,
                number: codec.numberIndex(of: item.linkId))
        }
    }

    /// Of what is asked several times on a sheet: each value, as if it were asked once.
    init(repeated linkId: String, instrument: String, versions: [Questionnaire]) {
        self.linkId = linkId
        self.instrument = instrument
        appearances = versions.compactMap { questionnaire in
            guard var found = questionnaire.askedSeveralTimes.first(where: { $0.item.linkId == linkId })?.item
            else { return nil }
            if found.isList { found.repeats = false }
            return Appearance(version: questionnaire.version, item: found, slot: 0, number: nil)
        }
    }

    /// As the newest version that has it.
    package var newest: Item { appearances[appearances.count - 1].item }

    /// The options of all versions: the newest version's in its order, then those that it no longer has; of an open
    /// choice own words come last, as `other`.
    package var options: [ResponseOption] {
        var options: [ResponseOption] = []
        for appearance in appearances.reversed() {
            for option in appearance.item.answerOption
            where !options.contains(where: { $0.value == option.value }) {
                options.append(option)
            }
        }
        let other = OptionValue.code(Item.otherCode)
        if newest.type == .openChoice, !options.contains(where: { $0.value == other }) {
            options.append(ResponseOption(value: other))
        }
        return options
    }

    /// The options in the order of their meaning: numbers ascend, whatever the order on the screen; codes are
    /// in order of appearance.
    package var rankedOptions: [ResponseOption] {
        let numbers = options.compactMap { option in
            if case .integer(let value) = option.value { (rank: value, option: option) } else { nil }
        }
        return numbers.count == options.count ? numbers.sorted { $0.rank < $1.rank }.map(\.option) : options
    }

    /// Whether it has columns of its own in a wide file: texts stand apart.
    package var isCoded: Bool { isCounted || newest.type != .string && newest.type != .text }

    /// Whether only the number of its instances or values stands in one cell.
    package var isCounted: Bool { newest.isList || newest.isRepeatingGroup }

    /// Whether it has a column for each option: several may be chosen, or they are ranked.
    package var isMultiple: Bool { newest.type.hasOptions && (newest.repeats || newest.type == .ranking) }

    /// What its columns are about: each option where it has several, nil for the item itself, and the unit of a
    /// quantity.
    package var columnOptions: [OptionValue?] {
        if isCounted { return [nil] }
        if isMultiple { return options.map(\.value) }
        return newest.type == .quantity ? [nil, .code(Item.unitCode)] : [nil]
    }

    /// The name of its set in `meta/value_labels.csv`; nil for items without options.
    package var valueSet: String? { newest.type.hasOptions ? "\(instrument).\(linkId)" : nil }
}

extension Questionnaire {
    /// What has several answers in rows of their own: the questions of repeating groups, each with its group, and those of
    /// several values, which are their own.
    var askedSeveralTimes: [(group: Item, item: Item)] {
        questions.flatMap { item -> [(group: Item, item: Item)] in
            if item.isList { return [(item, item)] }
            return repeatedQuestions.filter { $0.group.linkId == item.linkId }
        }
    }
}
