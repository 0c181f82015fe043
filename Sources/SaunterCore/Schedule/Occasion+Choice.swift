extension Sequence<Occasion> {
    /// The occasion that a sheet of this questionnaire belongs to when it names none: the first whose window
    /// holds its completion, that is not set aside, and that is not answered yet; where all are, the first. A
    /// sheet that names a walk belongs to the occasion that follows this very walk, else to one that follows no
    /// walk, and never to one that follows another.
    /// - Parameters:
    ///   - walk: what the sheet names, whether it is known or not.
    ///   - schedules: of the study; of an occasion whose schedule is gone its anchor instance tells.
    package func choice(
        for questionnaire: String, completedAt: Instant, after walk: WalkID?, schedules: [Schedule]
    ) -> Occasion? {
        let open = filter {
            $0.questionnaire == questionnaire && $0.setAside == nil && $0.window.openAt <= completedAt
                && completedAt < $0.window.closeAt
        }
        guard let walk else { return open.firstUnanswered }
        return open.first { $0.key.anchorInstance == walk.description }
            ?? open.filter { occasion in
                let schedule = schedules.first { $0.id == occasion.key.schedule }
                return schedule.map { $0.anchor != .walk } ?? occasion.key.anchorInstance.isEmpty
            }.firstUnanswered
    }
}

extension [Occasion] {
    fileprivate var firstUnanswered: Occasion? { first { $0.sheetID == nil } ?? first }
}
