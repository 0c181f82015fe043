import SaunterCore

/// Which part of a study a dataset holds. What belongs to no date or instrument (participants, enrolments,
/// calibrations) is filtered by arm alone.
package struct DatasetFilters: Sendable, Hashable {
    /// Local dates, both inclusive; nil is open.
    package var from: LocalDate?
    package var to: LocalDate?
    /// Codes; empty is all.
    package var questionnaires: [String]
    package var arms: [String]

    package init(
        from: LocalDate? = nil, to: LocalDate? = nil, questionnaires: [String] = [], arms: [String] = []
    ) {
        self.from = from
        self.to = to
        self.questionnaires = questionnaires
        self.arms = arms
    }

    var hasDates: Bool { from != nil || to != nil }

    /// The dates as PostgreSQL's words, infinite where they are open.
    var firstDate: String { from?.description ?? "-infinity" }
    var lastDate: String { to?.description ?? "infinity" }

    /// What is wrong with asking for such a part under a profile: its dates end before they begin, or it is one of counts, of which there are no
    /// parts.
    package func fault(with profile: DatasetProfile) -> DatasetFault? {
        if let from, let to, to < from { return .reversedDates(from: from, to: to) }
        return profile == .public && (hasDates || !arms.isEmpty) ? .filteredProfile(profile) : nil
    }

    /// Refuses codes that the study does not have.
    func check(against definitions: StudyDefinitions) throws(DatasetFault) {
        for code in questionnaires where !definitions.instruments.contains(where: { $0.code == code }) {
            throw .unknownQuestionnaire(code, known: definitions.instruments.map(\.code))
        }
        for code in arms where !definitions.arms.contains(code) {
            throw .unknownArm(code, known: definitions.arms)
        }
    }

    /// For a reader, with a blank behind; empty for the whole study.
    var words: String {
        let dates = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        let parts =
            dates
            + (arms.isEmpty ? [] : ["arms \(arms.sorted().joined(separator: ", "))"])
            + (questionnaires.isEmpty
                ? [] : ["questionnaires \(questionnaires.sorted().joined(separator: ", "))"])
        return parts.isEmpty ? "" : "Of a part of the study: \(parts.joined(separator: "; ")). "
    }

    var json: JSON {
        [
            "from": .optional(from) { .string($0.description) },
            "to": .optional(to) { .string($0.description) },
            "questionnaires": .array(questionnaires.sorted().map(JSON.string)),
            "arms": .array(arms.sorted().map(JSON.string)),
        ]
    }
}
