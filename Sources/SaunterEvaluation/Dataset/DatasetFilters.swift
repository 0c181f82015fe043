import SaunterCore

/// The part of a study that a dataset contains.
/// Tables without a date or an instrument (participants, enrolments, calibrations) are filtered by arm only.
package struct DatasetFilters: Sendable, Hashable {
    /// The first local date; nil for no bound.
    package var from: LocalDate?
    /// The last local date, inclusive; nil for no bound.
    package var to: LocalDate?
    /// Codes of questionnaires; empty for all.
    package var questionnaires: [String]
    /// Codes of arms; empty for all.
    package var arms: [String]

    /// Creates filters; by default they select the complete study.
    package init(
        from: LocalDate? = nil, to: LocalDate? = nil, questionnaires: [String] = [], arms: [String] = []
    ) {
        self.from = from
        self.to = to
        self.questionnaires = questionnaires
        self.arms = arms
    }

    var hasDates: Bool { from != nil || to != nil }

    /// The first date as PostgreSQL text; `-infinity` without a bound.
    var firstDate: String { from?.description ?? "-infinity" }
    var lastDate: String { to?.description ?? "infinity" }

    /// The reason why a profile rejects these filters: the dates are reversed, or the profile is `public`, which
    /// accepts no filters and no instant.
    package func fault(with profile: DatasetProfile, asOf: Instant? = nil) -> DatasetFault? {
        if let from, let to, to < from { return .reversedDates(from: from, to: to) }
        if profile == .public, asOf != nil { return .pastProfile(profile) }
        return profile == .public && (hasDates || !arms.isEmpty) ? .filteredProfile(profile) : nil
    }

    /// Rejects codes that the study does not define.
    func check(against definitions: StudyDefinitions) throws(DatasetFault) {
        for code in questionnaires where !definitions.instruments.contains(where: { $0.code == code }) {
            throw .unknownQuestionnaire(code, known: definitions.instruments.map(\.code))
        }
        for code in arms where !definitions.arms.contains(code) {
            throw .unknownArm(code, known: definitions.arms)
        }
    }

    /// The filters as a sentence, with a space after it. Empty if the dataset covers the complete study.
    var sentence: String {
        let dates = [from.map { "from \($0)" }, to.map { "to \($0)" }].compactMap(\.self)
        let parts =
            dates
            + (arms.isEmpty ? [] : ["arms \(arms.sorted().joined(separator: ", "))"])
            + (questionnaires.isEmpty
                ? [] : ["questionnaires \(questionnaires.sorted().joined(separator: ", "))"])
        return parts.isEmpty ? "" : "Contains only a part of the study: \(parts.joined(separator: "; ")). "
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
