extension Study {
    /// A copy for readers who are blinded: each arm has its letter as its code, arms are in the order of the letters,
    /// and texts of arms are left out. Every other part of the study that names arms names the letters.
    /// - Parameter names: letters for the arms of all versions of the study.
    package func blinded(by names: ArmNames) -> Study {
        func letters(_ codes: [String]) -> [String] { codes.compactMap { names[$0] }.sorted() }
        var study = self
        study.arms = arms.compactMap { arm in names[arm.code].map { Arm(code: $0, ratio: arm.ratio) } }
            .sorted { ($0.code.count, $0.code) < ($1.code.count, $1.code) }
        for index in schedules.indices { study.schedules[index].arms = letters(schedules[index].arms) }
        if let walking { study.walking?.targetFeedbackArms = letters(walking.targetFeedbackArms) }
        for language in text.keys { study.text[language]?.arms = [:] }
        return study
    }

    /// Whether the arms have different shares. Counts of participants then reveal which letter means which arm.
    package var hasUnequalRatios: Bool { Set(arms.map(\.ratio)).count > 1 }
}

extension AllocationCount {
    /// The same count under the letter of its arm; nil for an unknown arm.
    package func blinded(by names: ArmNames) -> AllocationCount? {
        names[arm].map {
            AllocationCount(arm: $0, stratum: stratum, levels: levels, participants: participants)
        }
    }
}

extension AllocationBalance.Move {
    /// The same change under the letters of its arms; nil for an unknown arm.
    package func blinded(by names: ArmNames) -> AllocationBalance.Move? {
        guard let from = names[from], let to = names[to] else { return nil }
        return AllocationBalance.Move(from: from, to: to, participants: participants)
    }
}
