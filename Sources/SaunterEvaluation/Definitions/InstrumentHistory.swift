import SaunterCore

/// The versions of one instrument that a study has used.
package struct InstrumentHistory: Sendable, Hashable {
    package let code: String
    /// In the order of first publication; never empty.
    package let versions: [Questionnaire]
    /// The questions of all versions: the newest version's in its order, then the retired ones, those that
    /// were retired first standing first.
    package let items: [ItemHistory]
    /// The questions of repeating groups and those of several values, which have columns of their own in a file of
    /// instances, in the same order.
    let repeatedItems: [ItemHistory]

    /// - Parameter published: in the order of publication; a version may stand there often. Not empty.
    init(code: String, published: [Questionnaire]) {
        var versions: [Questionnaire] = []
        for questionnaire in published
        where !versions.contains(where: { $0.version == questionnaire.version }) {
            versions.append(questionnaire)
        }
        self.code = code
        self.versions = versions
        let codecs = versions.map { AnswerCodec($0) }
        var items: [ItemHistory] = []
        // Newest first: an item is found in the last version that had it, and those retired later are found
        // sooner.
        var groups: [[ItemHistory]] = []
        for place in versions.indices.reversed() {
            var group: [ItemHistory] = []
            for item in versions[place].questions where !items.contains(where: { $0.linkId == item.linkId }) {
                let history = ItemHistory(item: item, instrument: code, versions: versions, codecs: codecs)
                items.append(history)
                group.append(history)
            }
            groups.append(group)
        }
        self.items = (groups.first ?? []) + groups.dropFirst().reversed().flatMap(\.self)
        var repeated: [ItemHistory] = []
        for item in versions.reversed().flatMap(\.askedSeveralTimes).map(\.item)
        where !repeated.contains(where: { $0.linkId == item.linkId }) {
            repeated.append(ItemHistory(repeated: item.linkId, instrument: code, versions: versions))
        }
        repeatedItems = repeated
    }

    package var newest: Questionnaire { versions[versions.count - 1] }

    /// Whether any version has something that is shown in a shuffled order.
    var isShuffled: Bool {
        func shuffles(_ items: [Item]) -> Bool { items.contains { $0.shuffle || shuffles($0.item) } }
        return versions.contains { shuffles($0.item) }
    }

    /// A question of a repeating group, and that group, as the newest version that has it.
    func repeated(_ linkId: String) -> (group: Item, item: Item)? {
        versions.reversed().lazy.compactMap { version in
            version.repeatedQuestions.first { $0.item.linkId == linkId }
        }.first
    }

    /// Languages of all versions, the newest version's first.
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
