import SaunterCore

/// One question in all versions of its instrument.
package struct ItemHistory: Sendable, Hashable {
    /// The question in one version, and where its answers are stored.
    package struct Appearance: Sendable, Hashable {
        /// The version of the instrument.
        package let version: String
        /// The item in this version.
        package let item: Item
        /// The index of its first slot, from 0.
        let slot: Int
        /// The index of its number, from 0. Nil if the item has no number.
        let number: Int?

        /// The slot of a column. Nil if this version does not offer the option.
        /// - Parameter option: one of `columnOptions`.
        func slot(of option: OptionValue?) -> Int? {
            guard let option, !item.type.hasUnits else { return slot }
            if let index = item.answerOption.firstIndex(where: { $0.value == option }) { return slot + index }
            let isOther = item.type.acceptsFreeText && option == .code(Item.otherCode)
            return isOther ? slot + item.answerOption.count : nil
        }
    }

    /// The linkId of the item in all versions.
    package let linkId: String
    /// The code of the instrument.
    package let instrument: String
    /// In the order of first publication; never empty.
    package let appearances: [Appearance]
    /// Whether the newest version of the item is a list of own words that the participant can rank.
    let isComparedList: Bool

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
        isComparedList = appearances.last?.item.isComparedList ?? false
    }

    /// The history of an item that is asked several times per sheet, as if it were asked once.
    init(repeated linkId: String, instrument: String, versions: [Questionnaire]) {
        self.linkId = linkId
        self.instrument = instrument
        var isComparedList = false
        appearances = versions.compactMap { questionnaire in
            guard
                var found = questionnaire.multiInstanceItems.first(where: { $0.item.linkId == linkId })?.item
            else { return nil }
            isComparedList = found.isComparedList
            if found.isList { found.repeats = false }
            return Appearance(version: questionnaire.version, item: found, slot: 0, number: nil)
        }
        self.isComparedList = isComparedList
    }

    /// The item in the newest version that contains it.
    package var newest: Item { appearances[appearances.count - 1].item }

    /// The options of all versions: first the options of the newest version in its order, then the removed ones. For an
    /// open choice, `other` is the last one.
    package var options: [ResponseOption] {
        var options: [ResponseOption] = []
        for appearance in appearances.reversed() {
            for option in appearance.item.answerOption
            where !options.contains(where: { $0.value == option.value }) {
                options.append(option)
            }
        }
        let other = OptionValue.code(Item.otherCode)
        if newest.type.acceptsFreeText, !options.contains(where: { $0.value == other }) {
            options.append(ResponseOption(value: other))
        }
        return options
    }

    /// The options in the order of their values: numbers ascend, codes keep the order of appearance.
    package var rankedOptions: [ResponseOption] {
        let numbers = options.compactMap { option in
            option.value.number.map { (rank: $0, option: option) }
        }
        return numbers.count == options.count ? numbers.sorted { $0.rank < $1.rank }.map(\.option) : options
    }

    /// Whether the item has columns in a wide file. Texts and locations do not, because other tables contain them.
    package var isCoded: Bool { isCounted || !newest.hasOwnTable }

    /// Whether its cell contains only the number of its instances or values.
    package var isCounted: Bool { newest.isList || newest.isRepeatingGroup }

    /// Whether the item has a column per option: several options can be chosen or ranked.
    package var isMultiple: Bool { newest.isByOption }

    /// What each column of the item contains: an option if there is a column per option, nil for the item itself, and
    /// the unit of a quantity.
    package var columnOptions: [OptionValue?] {
        if isCounted { return [nil] }
        if isMultiple { return options.map(\.value) }
        return newest.type.hasUnits ? [nil, .code(Item.unitCode)] : [nil]
    }

    /// The name of its set in `meta/value_labels.csv`. Nil for items without options.
    package var valueSet: String? { newest.type.hasOptions ? "\(instrument).\(linkId)" : nil }
}

extension Item {
    /// Whether the values of the item are in a separate table: texts in `free_text.csv`, and locations in
    /// `locations.csv`.
    var hasOwnTable: Bool { type.form == .text || type.form == .location }
}

extension ItemType {
    /// The type of a column with answers.
    var columnType: ColumnType { ColumnType(rawValue: definition.column.rawValue) ?? .string }
}

extension Questionnaire {
    /// The items whose answers have separate rows: questions in repeating groups, each with its group, and items with
    /// several values, each with itself as group.
    var multiInstanceItems: [(group: Item, item: Item)] {
        questions.flatMap { item -> [(group: Item, item: Item)] in
            if item.isList { return [(item, item)] }
            return repeatedQuestions.filter { $0.group.linkId == item.linkId }
        }
    }
}
