extension Study {
    /// Reasons why this version cannot follow another version of the study, one sentence each. Two rules apply:
    /// 1. A changed consent text needs a new consent version.
    /// 2. An item keeps its type.
    ///
    /// All other texts may change, and languages may be added.
    package func conflicts(with other: Study) -> [String] {
        consentConflicts(with: other)
            + questionnaires.flatMap { questionnaire in
                other.questionnaire(questionnaire.code).map { questionnaire.conflicts(with: $0) } ?? []
            }
    }

    private func consentConflicts(with other: Study) -> [String] {
        guard consentVersion == other.consentVersion else { return [] }
        return text.keys.sorted().compactMap { language in
            guard let previous = other.text[language]?.consent, previous != text[language]?.consent else {
                return nil
            }
            return "the consent text (\(language)) differs from that of \(other.version), but both have the "
                + "consent_version \(consentVersion): change consent_version, so that participants are asked again"
        }
    }
}

extension Questionnaire {
    /// Items whose type differs. `string` and `text` count as one type because they are stored in the same way.
    fileprivate func conflicts(with other: Questionnaire) -> [String] {
        let previous = Dictionary(
            other.item.flatMap(\.selfAndDescendants).map { ($0.linkId, $0) },
            uniquingKeysWith: { first, _ in first })
        return item.flatMap(\.selfAndDescendants).compactMap { item in
            guard let before = previous[item.linkId],
                before.storedType != item.storedType
            else { return nil }
            return
                "\(code).\(item.linkId) is of type \(item.type.rawValue), and in \(code) \(other.version) it was of type "
                + "\(before.type.rawValue): change the linkId, so that every column has one meaning"
        }
    }
}

extension Item {
    /// The item and all nested items.
    fileprivate var selfAndDescendants: [Item] { [self] + item.flatMap(\.selfAndDescendants) }

    fileprivate var storedType: ItemType { type.definition.succession ?? type }
}
