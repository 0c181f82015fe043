/// One message that is planned: what goes out at the same moment goes out as one.
package struct PlannedMessage: Sendable, Hashable {
    package var at: Instant
    package var prompts: [Prompt]

    /// What it tells of, in the order of opening, each once.
    package var occasions: [Occasion] { prompts.distinctOccasions }
}

extension [Prompt] {
    /// What these tell of, in the order of opening, each once.
    package var distinctOccasions: [Occasion] {
        var seen: Set<OccasionID> = []
        return flatMap(\.occasions).filter { seen.insert($0.id).inserted }.sorted {
            ($0.window.openAt, $0.id) < ($1.window.openAt, $1.id)
        }
    }
}

extension Prompting {
    /// The next messages, were nothing answered until then: for a device that makes its notifications by itself. Those over a day's count are
    /// left out. A study without any rule has one for each opening.
    package func ahead(of now: Instant, limit: Int) -> [PlannedMessage] {
        guard !isSilent, limit > 0 else { return [] }
        guard let rule = study.reminder else {
            return messages(openings(after: now), limit: limit, most: nil)
        }
        let prompts =
            prompts(at: now).filter { $0.at > now } + dailies(after: now)
        return messages(prompts.sorted(by: Self.comesBefore), limit: limit, most: rule.mostPerDay)
    }

    private func messages(_ prompts: [Prompt], limit: Int, most: Int?) -> [PlannedMessage] {
        var found: [PlannedMessage] = []
        var counts: [LocalDate: Int] = [:]
        var rest = prompts[...]
        while let first = rest.first, found.count < limit {
            let together = rest.prefix { $0.at == first.at }
            rest = rest.dropFirst(together.count)
            let date = zone.local(of: first.at).date
            let count = counts[date] ?? messages(on: date)
            if let most, count >= most { continue }
            counts[date] = count + 1
            found.append(PlannedMessage(at: first.at, prompts: Array(together)))
        }
        return found
    }

    /// Daily mails as far as occasions are planned.
    private func dailies(after now: Instant) -> [Prompt] {
        let occasions = unnamed
        guard let last = occasions.map(\.window.closeAt).max() else { return [] }
        let claimed = Set(records.map(\.key))
        var found: [Prompt] = []
        var before = now
        for _ in 0..<Self.mostDaysAhead {
            // From one hour with something due to the next, however many days lie between.
            guard
                let hour = study.nextReminder(
                    after: before, chosen: chosen, zone: zone, occasions: occasions, plannedThrough: .maximum),
                hour < last
            else { break }
            let mail = daily(on: zone.local(of: hour).date, hour: hour, at: hour)
            if let mail, !claimed.contains(mail.key) { found.append(mail) }
            before = hour
        }
        return found
    }

    private func openings(after now: Instant) -> [Prompt] {
        occasions.filter { $0.state(at: now) == .upcoming }.map { occasion in
            Prompt(
                key: PromptKey(.atOpen, of: occasion, ordinal: 1), at: occasion.window.openAt,
                expiresAt: occasion.window.closeAt, occasions: [occasion])
        }.sorted(by: Self.comesBefore)
    }

    private static let mostDaysAhead = 60
}
