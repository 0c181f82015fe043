extension Study {
    /// Why this version cannot come after another one of the study, a sentence each: what somebody consented to keeps its number, and what was
    /// stored under a name keeps its type. Texts may be mended in all but the consent; languages may be added.
    package func conflicts(with other: Study) -> [String] {
        consentConflicts(with: other)
            + questionnaires.flatMap { questionnaire in
                other.questionnaire(questionnaire.code).map { questionnaire.conflicts(with: $0) } ?? []
            }
    }

    private func consentConflicts(with other: Study) -> [String] {
        guard consentVersion == other.consentVersion else { return [] }
        return text.keys.sorted().compactMap { language in
            guard let theirs = other.text[language]?.consent, theirs != text[language]?.consent else {
                return nil
            }
            return "the consent text (\(language)) is another than that of \(other.version), under the same "
                + "consent_version \(consentVersion): give it a new one, so that participants are asked again"
        }
    }
}

extension Questionnaire {
    /// Items that had another type there. Text of one line and of several are stored alike.
    fileprivate func conflicts(with other: Questionnaire) -> [String] {
        let theirs = Dictionary(
            other.item.flatMap(\.withinIt).map { ($0.linkId, $0) }, uniquingKeysWith: { first, _ in first })
        return item.flatMap(\.withinIt).compactMap { item in
            guard let before = theirs[item.linkId], before.storedType != item.storedType else { return nil }
            return
                "\(code).\(item.linkId) is of type \(item.type.rawValue), and in \(code) \(other.version) it was of type "
                + "\(before.type.rawValue): give it a new linkId, so that no column means two things"
        }
    }
}

extension Item {
    /// The item and all items in it.
    fileprivate var withinIt: [Item] { [self] + item.flatMap(\.withinIt) }

    fileprivate var storedType: ItemType { type == .text ? .string : type }
}
