extension PromptKey {
    /// That an occasion was named by the mail of another day than its own is now: no daily mail names it any more.
    package static func named(_ occasion: Occasion) -> PromptKey {
        PromptKey(.dueToday, of: occasion, ordinal: 1)
    }
}

extension Prompting {
    /// What the daily mail counts at this moment: see `Study.dueToday`.
    package func due(at now: Instant) -> [Occasion] { study.dueToday(unnamed, at: now, zone: zone) }

    /// Occasions that the daily mail may name: not those that it named before an edit took them to another day.
    var unnamed: [Occasion] {
        // The subject of the mail itself is a date.
        let named = Set(
            records.filter { $0.key.kind == .dueToday }.compactMap { OccasionID($0.key.subject) })
        return named.isEmpty ? occasions : occasions.filter { !named.contains($0.id) }
    }

    /// Those of which a daily mail has told, and which planning anew takes to another day or away: a mail of that day, or of the one on which they come
    /// back, would tell of them again. An occasion that opens is told of on its day; what is open stays as it is.
    /// - Parameters:
    ///   - difference: not written yet; `occasions` are as they are before.
    ///   - plannedAt: since when occasions are planned for their days, where that is known: a mail of before has not told of them.
    package func told(before difference: Reconciliation, plannedAt: [OccasionID: Instant] = [:]) -> [Occasion]
    {
        let mails = Dictionary(
            records.filter { $0.key.kind == .dueToday && !$0.isUnsent && !$0.isRetrying }
                .map { ($0.key.subject, $0.claimedAt) }, uniquingKeysWith: max)
        guard !mails.isEmpty else { return [] }
        let after = Dictionary(difference.move.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let gone = Set(difference.cancel + difference.move.filter { $0.setAside == .cancelled }.map(\.id))
        return occasions.filter { occasion in
            guard occasion.setAside == nil, gone.contains(occasion.id) || after[occasion.id] != nil else {
                return false
            }
            // After a journey its own zone is the one by which it was told of.
            let days = [occasion.zone, zone].map { day(of: occasion, in: $0) }
            let planned = plannedAt[occasion.id] ?? .minimum
            guard days.contains(where: { mails[$0].map { planned <= $0 } ?? false }) else { return false }
            guard !gone.contains(occasion.id), let next = after[occasion.id] else { return true }
            return mails[day(of: next, in: zone)] == nil
        }
    }

    /// The date of the mail that tells of it first.
    private func day(of occasion: Occasion, in zone: Zone) -> String {
        zone.local(of: occasion.window.openAt).date.description
    }
}
