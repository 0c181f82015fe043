import SaunterCore

/// All versions of one instrument that a study has used.
package struct InstrumentHistory: Sendable, Hashable {
    /// The code of the instrument.
    package let code: String
    /// The language of labels. Texts that do not exist in it are in the first language of the questionnaire.
    var language: String
    /// In the order of first publication; never empty.
    package let versions: [Questionnaire]
    /// The questions of all versions: first the questions of the newest version in its order, then the retired ones in
    /// the order of their retirement.
    package let items: [ItemHistory]
    /// Questions in repeating groups and items with several values, in the same order. They have columns in the files
    /// of instances.
    let repeatedItems: [ItemHistory]

    /// - Parameter published: the questionnaires in the order of publication. A version may occur several times. Not
    ///   empty.
    init(code: String, published: [Questionnaire], language: String = "en") {
        var versions: [Questionnaire] = []
        for questionnaire in published
        where !versions.contains(where: { $0.version == questionnaire.version }) {
            versions.append(questionnaire)
        }
        self.code = code
        self.language = language
        self.versions = versions
        let codecs = versions.map { AnswerCodec($0) }
        var items: [ItemHistory] = []
        // Versions are read from the newest to the oldest. Each item is assigned to the last version that contains it,
        // so items that were retired later are found first.
        var groups: [[ItemHistory]] = []
        for index in versions.indices.reversed() {
            var group: [ItemHistory] = []
            for item in versions[index].questions where !items.contains(where: { $0.linkId == item.linkId }) {
                let history = ItemHistory(item: item, instrument: code, versions: versions, codecs: codecs)
                items.append(history)
                group.append(history)
            }
            groups.append(group)
        }
        self.items = (groups.first ?? []) + groups.dropFirst().reversed().flatMap(\.self)
        var repeated: [ItemHistory] = []
        for item in versions.reversed().flatMap(\.multiInstanceItems).map(\.item)
        where !repeated.contains(where: { $0.linkId == item.linkId }) {
            repeated.append(ItemHistory(repeated: item.linkId, instrument: code, versions: versions))
        }
        repeatedItems = repeated
    }

    /// The version that was published last.
    package var newest: Questionnaire { versions[versions.count - 1] }

    /// Whether some version shows options or items in a shuffled order.
    var isShuffled: Bool {
        func shuffles(_ items: [Item]) -> Bool { items.contains { $0.shuffle || shuffles($0.item) } }
        return versions.contains { shuffles($0.item) }
    }

    /// A question in a repeating group, with its group, from the newest version that contains it.
    func repeated(_ linkId: String) -> (group: Item, item: Item)? {
        versions.reversed().lazy.compactMap { version in
            version.repeatedQuestions.first { $0.item.linkId == linkId }
        }.first
    }

    /// The languages of all versions; those of the newest version are first.
    var languages: [String] {
        var languages: [String] = []
        for version in versions.reversed() {
            for language in version.languages where !languages.contains(language) {
                languages.append(language)
            }
        }
        return languages
    }
}
