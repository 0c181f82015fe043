/// Finds texts that name an arm of a study, for readers who are blinded.
///
/// A text names an arm if it contains the words of the arm's code or title one after the other. Every character that is
/// neither a letter nor a digit separates words, and capitals do not matter. So `walking_days >= 3` names the arm
/// `walking`, and `walks_today` does not.
package struct ArmMentions: Sendable {
    private let names: [[String]]

    /// - Parameters:
    ///   - codes: the arms of all versions of the study.
    ///   - study: the version whose titles of arms count.
    package init(_ codes: [String], titlesOf study: Study) {
        let titles = study.text.values.flatMap { $0.arms.values.map(\.title) }
        names = Set((codes + titles).map(Self.words)).filter { !$0.isEmpty }.sorted { $0.count < $1.count }
    }

    /// Whether the text names an arm.
    package func isNamed(in text: String) -> Bool {
        let words = Self.words(text)
        return names.contains { name in
            words.count >= name.count
                && (0...(words.count - name.count)).contains {
                    words[$0..<($0 + name.count)].elementsEqual(name)
                }
        }
    }

    /// Whether a text in the value names an arm. Names of members do not count.
    package func isNamed(inTextsOf value: JSON) -> Bool { value.strings.contains { isNamed(in: $0) } }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map { String($0) }
    }
}
